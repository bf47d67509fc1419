"""What a run of Rasa files prints: a table, the reasons with the events that led to them, and what to mind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TextIO

from agentassert.conversations.rasa_files.outcomes import CaseOutcome, accuracy
from agentassert.conversations.rasa_files.results import transcript, without_secrets
from agentassert.suites.outcomes import CaseStatus
from agentassert.suites.problems import shown_path
from agentassert.text.pieces import escaped

_MOST_EVENTS: Final = 40
_LONGEST_EVENT: Final = 200


def print_outcomes(outcomes: Sequence[CaseOutcome], stream: TextIO) -> None:
    """Print a line for each case, why those did not pass that did not, and how the assertions of each kind came out.

    Example:
        >>> import sys
        >>> print_outcomes([], sys.stdout)
        0 passed
    """
    for outcome in outcomes:
        held = sum(len(step.passed) for step in outcome.steps)
        counted = f"  {held}/{_written(outcome)} assertions" if outcome.case.asserts else ""
        _print(f"{outcome.status:<7} {shown_path(outcome.file)}::{outcome.case.name}{counted}", stream)
    for outcome in outcomes:
        if outcome.reason is not None:
            _print_reason(outcome, stream)
    counts = accuracy(outcomes)
    if counts:
        width = max(map(len, counts))
        print("\nAssertions that held, by kind:", file=stream)
        for kind, (passed, evaluated) in counts.items():
            print(f"  {kind:<{width}}  {passed}/{evaluated}  {100 * passed / evaluated:6.2f} %", file=stream)
    if outcomes:
        print(file=stream)
    print(summary(outcomes), file=stream)


def print_remarks(outcomes: Sequence[CaseOutcome], stream: TextIO) -> None:
    """Print each thing to mind once, with its place."""
    lines = [f"{shown_path(outcome.file)}:{one.line}: warning: {one.words}" for outcome in outcomes for one in outcome.remarks]
    for line in dict.fromkeys(map(without_secrets, lines)):
        _print(line, stream)


def summary(outcomes: Sequence[CaseOutcome]) -> str:
    """How many cases came out how."""
    words = {CaseStatus.FAILED: "failed", CaseStatus.ERROR: "broke", CaseStatus.PASSED: "passed"}
    counts = {status: sum(one.status is status for one in outcomes) for status in words}
    return ", ".join(f"{count} {words[status]}" for status, count in counts.items() if count or status is CaseStatus.PASSED)


def _written(outcome: CaseOutcome) -> int:
    return sum(len(getattr(step, "assertions", None) or ()) for step in outcome.case.steps)


def _print_reason(outcome: CaseOutcome, stream: TextIO) -> None:
    print(file=stream)
    _print(f"{outcome.place}: {outcome.case.name}", stream)
    lines = [*without_secrets(outcome.reason).splitlines(), *without_secrets(outcome.difference)]
    if outcome.steps:
        lines += ["Events:", *(f"  {line}" for line in _shortened(transcript(outcome.steps[-1].events)))]
    for line in lines:
        _print(f"  {line}".rstrip(), stream)


def _print(line: str, stream: TextIO) -> None:
    """Print a line, in which nothing that a bot or a file says moves the cursor or hides what follows."""
    print(escaped(line), file=stream)


def _shortened(lines: list[str]) -> list[str]:
    shown = [line if len(line) <= _LONGEST_EVENT else f"{line[:_LONGEST_EVENT]}…" for line in lines[:_MOST_EVENTS]]
    return shown if len(lines) <= _MOST_EVENTS else [*shown, f"… {len(lines) - _MOST_EVENTS:,} more: see --json …"]
