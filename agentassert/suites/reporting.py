"""What `agentassert test` prints: progress, a table, the reasons, annotations for a forge's interface, or the JSON alone."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any, Final, TextIO

from agentassert.suites.outcomes import CaseStatus
from agentassert.text.pieces import escaped
from agentassert.text.terminals import has_colours

_QUIET_FOR: Final = 5.0
"""Seconds of silence after which progress is told."""
_COLOURS: Final = {CaseStatus.PASSED: "32", CaseStatus.FAILED: "31", CaseStatus.ERROR: "33"}

Results = list[dict[str, Any]]


class Progress:
    """Tells on a stream how far a long test run has come; a short one stays silent.

    Args:
        stream: where to.
        clock: seconds that go by.

    Example:
        >>> import io
        >>> stream, times = io.StringIO(), iter([0.0, 6.0])
        >>> progress = Progress(stream, clock=lambda: next(times))
        >>> progress.ended(2, 10, failed=1)
        >>> print(stream.getvalue().rstrip())
        2 of 10 tests ended, 1 did not pass (6 s)
    """

    def __init__(self, stream: TextIO, clock: Any = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._started = self._told = clock()

    def ended(self, count: int, total: int, failed: int) -> None:
        """A test ended."""
        self._tell(f"{count} of {total} tests ended" + (f", {failed} did not pass" if failed else ""))

    def run_ended(self, name: str, count: int, total: int) -> None:
        """One of a test's runs ended."""
        self._tell(f"{name}: {count} of {total} runs")

    def _tell(self, words: str) -> None:
        now = self._clock()
        if now - self._told >= _QUIET_FOR:
            self._told = now
            print(f"{words} ({now - self._started:.0f} s)", file=self._stream, flush=True)


def print_table(cases: Results, stream: TextIO) -> None:
    """Print a line for each case, and below it why those failed that did.

    Example:
        >>> import sys
        >>> case = {"agent_name": "a", "test_name": "n", "status": "passed", "successes": 1, "runs": 1, "success_threshold": 100}
        >>> print_table([{**case, "errors": 0, "failure_reason": None}], sys.stdout)
        Result  Test  Runs  Threshold
        passed  a::n  1/1   100 %
    """
    rows = [("Result", "Test", "Runs", "Threshold")]
    rows += [(case["status"], escaped(_title(case)), _runs(case), _threshold(case)) for case in cases]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    coloured = has_colours(stream)
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        if coloured and number:
            cells[0] = f"\x1b[{_COLOURS[CaseStatus(row[0])]}m{cells[0]}\x1b[0m"
        print("  ".join(cells).rstrip(), file=stream)
    for case in cases:
        if case["failure_reason"]:
            print(f"\n{escaped(_title(case))} ({escaped(case['file'])})", file=stream)
            print("\n".join(f"  {escaped(line)}" for line in case["failure_reason"].splitlines()), file=stream)


def print_json(status: str, cases: Results, environment: str | None, stream: TextIO) -> None:
    """Print the whole result as JSON, in characters that every encoding has.

    Example:
        >>> import sys
        >>> print_json("passed", [], None, sys.stdout)
        {
          "status": "passed",
          "environment": null,
          "cases": []
        }
    """
    print(json.dumps({"status": status, "environment": environment, "cases": cases}, indent=2), file=stream)


def print_annotations(cases: Iterable[dict[str, Any]], stream: TextIO) -> None:
    """Print a workflow command of GitHub Actions for each case that did not pass, which marks its line in the pull request.

    Example:
        >>> import sys
        >>> case = {"agent_name": "a", "test_name": "n", "file": "tests/a.yaml:3", "failure_reason": "output.id was 9", "passed": False}
        >>> print_annotations([case], sys.stdout)
        ::error file=tests/a.yaml,line=3,title=a%3A%3An::output.id was 9
    """
    for case in cases:
        if not case["passed"]:
            file, _, line = case["file"].rpartition(":")
            title = _escaped(_title(case)).replace(":", "%3A").replace(",", "%2C")
            print(f"::error file={file},line={line},title={title}::{_escaped(case['failure_reason'])}", file=stream)


def _title(case: dict[str, Any]) -> str:
    return f"{case['agent_name']}::{case['test_name']}"


def _runs(case: dict[str, Any]) -> str:
    errors = f" ({case['errors']} broke)" if case["errors"] else ""
    return f"{case['successes']}/{case['runs']}{errors}"


def _threshold(case: dict[str, Any]) -> str:
    if "success_confidence" not in case:
        return f"{case['success_threshold']} %"
    lower, upper = case["success_interval"]
    return f"{case['success_threshold']} % at {100 * case['success_confidence']:g} % ({lower:g} to {upper:g} %)"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
