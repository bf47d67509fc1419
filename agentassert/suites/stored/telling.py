"""What `agentassert check` prints."""

from __future__ import annotations

import json
import os
from typing import Any, TextIO

from agentassert.failures import counted
from agentassert.suites.reporting import print_annotations, print_table
from agentassert.suites.stored.choosing import Choice
from agentassert.suites.stored.judging import Report
from agentassert.suites.stored.tallies import Tallies, named
from agentassert.text.pieces import escaped


def annotate(tallies: Tallies, stream: TextIO) -> None:
    """Mark the cases that did not pass in the interface of GitHub, where the program runs in one of its workflows."""
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print_annotations([one.to_json(tallies.strangers) for one in tallies.cases], stream)


def print_report(report: Report, choice: Choice, stream: TextIO, problems: TextIO) -> None:
    """Print every failure of some pieces, and on another stream what could not be read."""
    for verdict in report.verdicts:
        chosen = choice.cases[verdict.case]
        print(f"{escaped(verdict.place)}: {chosen.title} ({chosen.place})", file=stream)
        lines = [f"error: {verdict.error}"] if verdict.error is not None else [*verdict.reasons, verdict.recorded or ""]
        for line in "\n".join(lines).splitlines():
            print(f"  {line}" if line else "", file=stream)
        print(file=stream)
    for problem in report.problems:
        print(f"agentassert: {escaped(problem)}", file=problems)


def print_summary(tallies: Tallies, choice: Choice, files: int, stream: TextIO) -> None:
    """Print a line for each case, and how much was looked at."""
    cases = [one.to_json(tallies.strangers) for one in tallies.cases]
    # The reasons of invocations have been told where they were found.
    print_table([{**case, "failure_reason": None} if "failed_runs" in case else case for case in cases], stream)
    print(f"\n{counted(tallies.captures, 'capture')} in {counted(files, 'file')}", file=stream)
    if tallies.unread:
        print(f"not read: {tallies.unread}", file=stream)
    if tallies.strangers:
        print(f"invocations of agents that no case is for: {named(tallies.strangers)}", file=stream)
    if tallies.first_doubt is not None:
        print(f"recordings in doubt: {tallies.doubtful}; the first, {escaped(tallies.first_doubt)}", file=stream)
    for title, why in choice.skipped.items():
        print(f"not applied: {title}: {why}", file=stream)


def print_json(tallies: Tallies, choice: Choice, stream: TextIO) -> None:
    """Print the whole result as JSON, in characters that every encoding has."""
    content: dict[str, Any] = {
        "status": str(tallies.status),
        "captures": tallies.captures,
        "cases": [one.to_json(tallies.strangers) for one in tallies.cases],
        "not_applied": dict(choice.skipped),
        "not_read": {"total": tallies.unread, "shown": tallies.problems},
        "in_doubt": {"total": tallies.doubtful, "first": tallies.first_doubt},
        "agents_without_case": dict(tallies.strangers),
    }
    print(json.dumps(content, indent=2), file=stream)
