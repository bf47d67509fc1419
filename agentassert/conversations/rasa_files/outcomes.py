"""What came of the test cases of Rasa files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert.conversations.rasa_files.format import RasaCase, Remark
from agentassert.raw_events import RawEvent
from agentassert.suites.outcomes import CaseStatus
from agentassert.suites.problems import shown_path

_UNIMPORTANT_SLOTS: Final = frozenset({"requested_slot", "session_started_metadata", "flow_hashes", "mocked_datetime"})
_UNIMPORTANT_KINDS: Final = frozenset({"user_featurization", "stack"})


@attrs.frozen(kw_only=True)
class StepOutcome:
    """What came of one user step.

    Args:
        user: the message.
        line: where the step stands.
        events: the message and what followed it, but for what no test is about.
        passed: the kinds of its assertions that held, in order.
        failed: the kind of the one that did not; what follows that is not looked at.
    """

    user: str
    line: int
    events: tuple[RawEvent, ...]
    passed: tuple[str, ...] = ()
    failed: str | None = None


@attrs.frozen(kw_only=True)
class CaseOutcome:
    """What came of a test case.

    Args:
        case: the test case.
        file: the file.
        status: whether it passed, failed, or broke for reasons that are not the assistant's.
        reason: why it did not pass.
        line: where the assertion or step stands that failed; where the case does, when it broke.
        assertion: the assertion that failed, as written.
        difference: of a legacy step, what was and what should have been.
        steps: its user steps as far as they were looked at.
        prior: what happened before the first message.
        remarks: what to mind about the verdict.
    """

    case: RasaCase
    file: Path
    status: CaseStatus
    reason: str | None = None
    line: int = 0
    assertion: Mapping[str, Any] | None = None
    difference: tuple[str, ...] = ()
    steps: tuple[StepOutcome, ...] = ()
    prior: tuple[RawEvent, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def place(self) -> str:
        """Where to look, as `file:line`."""
        return f"{shown_path(self.file)}:{self.line or self.case.line}"


def telling(events: Iterable[RawEvent]) -> tuple[RawEvent, ...]:
    """The events without those that no test is about.

    Example:
        >>> telling([{"event": "stack"}, {"event": "slot", "name": "seats"}])
        ({'event': 'slot', 'name': 'seats'},)
    """
    return tuple(
        one
        for one in events
        if one["event"] not in _UNIMPORTANT_KINDS and not (one["event"] == "slot" and one["name"] in _UNIMPORTANT_SLOTS)
    )


def accuracy(outcomes: Iterable[CaseOutcome]) -> dict[str, tuple[int, int]]:
    """By kind of assertion, how many held, and how many were looked at: those after a failure were not.

    Example:
        >>> accuracy([])
        {}
    """
    counts: dict[str, tuple[int, int]] = {}
    for step in (step for outcome in outcomes for step in outcome.steps):
        for kind in step.passed:
            passed, all_of_them = counts.get(kind, (0, 0))
            counts[kind] = passed + 1, all_of_them + 1
        if step.failed is not None:
            passed, all_of_them = counts.get(step.failed, (0, 0))
            counts[step.failed] = passed, all_of_them + 1
    return dict(sorted(counts.items()))
