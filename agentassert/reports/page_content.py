"""What a page tells of tests: plain values, of which nothing is escaped or masked yet, except the trees."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import attrs


class Ending(enum.StrEnum):
    """How a test ended. `ERROR`: it broke before it could pass or fail, such as in a fixture."""

    FAILED = "failed"
    ERROR = "error"
    XPASSED = "xpassed"
    PASSED = "passed"
    XFAILED = "xfailed"
    SKIPPED = "skipped"


@attrs.frozen(kw_only=True)
class Problem:
    """What went wrong in one phase of a test, or why it was skipped.

    Args:
        title: such as "Failed" or "Error in teardown".
        message: what was raised.
        traceback: with the lines of code that led there; empty when it tells no more than the message.
        unfolded: whether the traceback is to be seen at first.
    """

    title: str
    message: str
    traceback: str = ""
    unfolded: bool = False


@attrs.frozen(kw_only=True)
class ReportedCapture:
    """One capture of a test.

    Args:
        name: the name that was given to it.
        run: which run of a repeated test it is of, from 1; `problem`: why that run did not pass.
        tree: the HTML of its tree; secrets masked, escaped.
        executions: how many tools were executed; `failed`: how many of them failed; `unchecked`: how many no assertion checked.
        doubts: why the recording is in doubt, a sentence each.
    """

    tree: str
    name: str | None = None
    run: int | None = None
    problem: str | None = None
    executions: int = 0
    failed: int = 0
    unchecked: int = 0
    doubts: tuple[str, ...] = ()


@attrs.frozen(kw_only=True)
class ReportedTest:
    """One test.

    Args:
        file: where it stands; `line`: counted from 1, where that is known.
        name: what it is called in its file.
        ending: how it ended.
        duration: seconds, with its fixtures.
        runs: how many runs of a repeated test passed, in words.
        problems: what went wrong, in the order of the phases; `warnings`: what it was warned of.
        captures: what its captures recorded.
        output: pairs of a title and what was printed or logged.

    Example:
        >>> test = ReportedTest(file="tests/test_a.py", name="test_it", ending=Ending.PASSED)
        >>> test.executions, test.kinds
        (0, ('passed',))
    """

    file: str
    name: str
    ending: Ending
    line: int | None = None
    duration: float = 0.0
    runs: str | None = None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    captures: tuple[ReportedCapture, ...] = ()
    output: tuple[tuple[str, str], ...] = ()

    @property
    def executions(self) -> int:
        """How many tools it executed."""
        return sum(one.executions for one in self.captures)

    @property
    def failed_executions(self) -> int:
        """How many of them failed."""
        return sum(one.failed for one in self.captures)

    @property
    def unchecked(self) -> int:
        """How many tool executions no assertion checked."""
        return sum(one.unchecked for one in self.captures)

    @property
    def doubts(self) -> int:
        """How many doubts there are about its captures."""
        return sum(len(one.doubts) for one in self.captures)

    @property
    def kinds(self) -> tuple[str, ...]:
        """What it can be filtered by."""
        marks = {"unchecked": self.unchecked, "doubtful": self.doubts, "warned": len(self.warnings)}
        return (str(self.ending), *(kind for kind, number in marks.items() if number))


@attrs.frozen(kw_only=True)
class Reported:
    """Tests that ran together.

    Args:
        title: what was tested, such as the name of the project's folder.
        tests: the tests, in the order in which they ended.
        started_at: wall-clock time of the start; `duration`: seconds.
        interrupted: whether it was stopped before every test had ended.
        made_with: names and versions of what ran the tests.
    """

    title: str
    tests: Sequence[ReportedTest]
    started_at: datetime
    duration: float
    interrupted: bool = False
    made_with: tuple[str, ...] = ()

    def count(self) -> Counter[str]:
        """How many tests there are of each kind."""
        return Counter(kind for test in self.tests for kind in test.kinds)
