"""How often each case was passed, and what was wrong otherwise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.failures import counted
from agentassert.suites.confidence import reaches, wilson_bounds
from agentassert.suites.outcomes import CaseStatus
from agentassert.suites.stored.choosing import Chosen
from agentassert.suites.stored.judging import Report, Verdict

MOST_SHOWN: Final = 100
"""How many failures of a case its JSON shows."""
_MOST_AGENTS: Final = 10
_MOST_STRANGERS: Final = 1000
_OTHERS: Final = "others"
"""Stands for the agents that are one too many to be told apart."""


@attrs.define
class Tally:
    """What came of one case. Each invocation that it was applied to counts as a run of it.

    Args:
        chosen: the case.
        successes: invocations that pass it.
        failures: those that do not.
        errors: those of which nobody can say.
        shown: the first that do not pass.
    """

    chosen: Chosen
    successes: int = 0
    failures: int = 0
    errors: int = 0
    shown: list[Verdict] = attrs.field(factory=list)

    def add(self, verdict: Verdict) -> None:
        """Count an invocation that does not pass."""
        if verdict.error is None:
            self.failures += 1
        else:
            self.errors += 1
        if len(self.shown) < MOST_SHOWN:
            self.shown.append(verdict)

    @property
    def runs(self) -> int:
        """The invocations that it was applied to."""
        return self.successes + self.failures + self.errors

    @property
    def status(self) -> CaseStatus:
        """Whether enough of them pass; a case that was applied to none fails, since nothing could make it."""
        if self.runs and self._reached(self.successes):
            return CaseStatus.PASSED
        return CaseStatus.ERROR if self.errors and self._reached(self.successes + self.errors) else CaseStatus.FAILED

    def _reached(self, successes: int) -> bool:
        case = self.chosen.case
        return reaches(successes, self.runs, case.success_threshold, case.success_confidence)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson bounds of the rate of passing invocations in percent, where a confidence is asked for."""
        confidence = self.chosen.case.success_confidence
        if confidence is None:
            return None
        lower, upper = wilson_bounds(self.successes, self.runs, confidence) if self.runs else (0.0, 1.0)
        return round(100 * lower, 1), round(100 * upper, 1)

    def to_json(self, strangers: Counter[str]) -> dict[str, Any]:
        """The case in the JSON of the command, in the words of `agentassert test --json`."""
        case, status = self.chosen.case, self.status
        content: dict[str, Any] = {
            "agent_name": self.chosen.agent,
            "test_name": case.name,
            "file": self.chosen.place,
            "passed": status is CaseStatus.PASSED,
            "status": str(status),
            "successes": self.successes,
            "errors": self.errors,
            "runs": self.runs,
            "success_threshold": case.success_threshold,
            "failure_reason": None if status is CaseStatus.PASSED else self._reason(strangers),
        }
        if self.interval is not None:
            content["success_confidence"] = case.success_confidence
            content["success_interval"] = list(self.interval)
        if self.shown:
            shown = [{**attrs.asdict(one), "reasons": list(one.reasons)} for one in self.shown]
            for one in shown:
                del one["case"]
            content["failed_runs"] = {"total_failed": self.failures + self.errors, "shown": shown}
        return content

    def _reason(self, strangers: Counter[str]) -> str:
        if not self.runs:
            return f"it was applied to nothing, so it checked nothing: {_who_was_there(self.chosen.agent, strangers)}"
        lines = []
        if self.shown:
            first = self.shown[0]
            lines.append(
                f"{self.failures + self.errors} of {counted(self.runs, 'invocation')} did not pass; the first, {first.place}:"
            )
            lines += first.reasons if first.error is None else (f"error: {first.error}",)
        if self.interval is not None:
            lower, upper = self.interval
            lines.append(
                f"{self.successes} of {counted(self.runs, 'invocation')} passed: the rate is between {lower:g} % and {upper:g} %"
            )
        return "\n".join(lines)


def named(strangers: Counter[str]) -> str:
    """The agents that no case is for, those with the most invocations first.

    Example:
        >>> named(Counter({"router": 1, "triage": 3}))
        "'triage' (3), 'router' (1)"
    """
    shown = sorted(strangers.items(), key=lambda one: (-one[1], one[0]))
    told = ", ".join(f"{render.value(name)} ({count})" for name, count in shown[:_MOST_AGENTS])
    return told if len(shown) <= _MOST_AGENTS else f"{told} and {len(shown) - _MOST_AGENTS} more"


def _who_was_there(agent: str, strangers: Counter[str]) -> str:
    if not strangers:
        return f"no invocation of {agent!r} that it applies to was recorded"
    return (
        f"no invocation of {agent!r} was recorded, only of {named(strangers)}; "
        "--agent NAME says whose work it is that names no agent, such as a list of messages"
    )


class Tallies:
    """What came of all cases.

    Args:
        cases: those that are applied.
    """

    def __init__(self, cases: Sequence[Chosen]) -> None:
        self.cases = [Tally(one) for one in cases]
        self.strangers: Counter[str] = Counter()
        self.problems: list[str] = []
        self.captures = self.unread = self.doubtful = 0
        self.first_doubt: str | None = None

    def add(self, report: Report) -> None:
        """Take what came of some pieces."""
        self.captures += report.captures
        self.doubtful += len(report.doubts)
        self.first_doubt = self.first_doubt or next(iter(report.doubts), None)
        for index, count in report.passed.items():
            self.cases[index].successes += count
        for verdict in report.verdicts:
            self.cases[verdict.case].add(verdict)
        for name, count in report.strangers.items():
            self.strangers[name if name in self.strangers or len(self.strangers) < _MOST_STRANGERS else _OTHERS] += count
        self.unread += len(report.problems)
        self.problems += report.problems[: max(0, MOST_SHOWN - len(self.problems))]

    @property
    def status(self) -> CaseStatus:
        """How it all ended. What cannot be read is a failure: it may be what does not pass."""
        seen = {one.status for one in self.cases}
        if self.unread or CaseStatus.FAILED in seen:
            return CaseStatus.FAILED
        return CaseStatus.ERROR if CaseStatus.ERROR in seen else CaseStatus.PASSED
