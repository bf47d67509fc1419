"""What pytest reports of a test, phase by phase, as one entry of the HTML report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from warnings import WarningMessage

import attrs
import pytest

from agentassert.captures import Capture
from agentassert.plugin.telling import TITLE
from agentassert.reports.nodes import Limits
from agentassert.reports.page_content import Ending, Problem, ReportedCapture, ReportedTest
from agentassert.reports.tree_html import capture_html

_OWN_ERROR: Final = re.compile(r"agentassert\.errors\.(?:AgentAssertionError: )?")
_ORDER: Final = list(Ending)
_MOST_SHOWN: Final = 20_000
"""Tool executions and other parts of one capture; a browser makes them when they are looked at."""
_NOT_ENDED: Final = Problem(title="Interrupted", message="The test had not ended when the tests were stopped.")


@attrs.define
class Gathered:
    """One test, of which more and more becomes known."""

    node_id: str
    line: int | None = None
    duration: float = 0.0
    runs: str | None = None
    _endings: list[Ending] = attrs.field(factory=list)
    _problems: list[Problem] = attrs.field(factory=list)
    _captures: list[ReportedCapture] = attrs.field(factory=list)
    _output: dict[tuple[str, str], None] = attrs.field(factory=dict)

    def add(self, report: pytest.TestReport) -> None:
        """Take what one phase, or one subtest, came to."""
        ending = _ending(report)
        if ending is not None:
            self._endings.append(ending)
        if report.location[1] is not None:
            self.line = report.location[1] + 1
        self.duration += report.duration
        self.runs = getattr(report, "agentassert_runs", self.runs)
        if report.outcome != "passed" or ending is Ending.XPASSED:
            self._problems.append(_problem(report, ending))
        # Each phase's report repeats the sections of those before it.
        self._output.update(dict.fromkeys(one for one in report.sections if one[1] and not one[0].startswith(TITLE)))
        text = getattr(report, "agentassert_captures", None)
        if text is not None:
            is_a_suites = hasattr(report, "agentassert")  # its expectations mark nothing
            self._captures += [_capture(one, None if is_a_suites else one["checked"]) for one in json.loads(text)]

    def reported(self, warnings: tuple[Problem, ...]) -> ReportedTest:
        """What is known of it when the tests have ended, with what it was warned of."""
        file, _, name = self.node_id.partition("::")
        return ReportedTest(
            file=file,
            name=name or file,
            ending=min(self._endings, key=_ORDER.index, default=Ending.ERROR),
            line=self.line,
            duration=self.duration,
            runs=self.runs,
            warnings=warnings,
            problems=tuple(self._problems) if self._endings else (*self._problems, _NOT_ENDED),
            captures=tuple(self._captures),
            output=tuple(self._output),
        )


def not_collected(report: pytest.CollectReport) -> ReportedTest:
    """The entry of a file or folder whose tests could not be collected."""
    return ReportedTest(
        file=report.nodeid or ".",
        name="collecting the tests",
        ending=Ending.ERROR,
        problems=(Problem(title="Error in collection", message=report.longreprtext),),
    )


def warned(warning: WarningMessage, root: Path) -> Problem:
    """A warning of a test, with the place that it names, as seen from `root`."""
    file = Path(warning.filename)
    place = f"{(file.relative_to(root) if file.is_relative_to(root) else file).as_posix()}:{warning.lineno}"
    return Problem(title=warning.category.__name__, message=f"{warning.message}\n{place}")


def _ending(report: pytest.TestReport) -> Ending | None:
    """How a phase ended the test; `None` where it says nothing of it: what went well before the call or after it, or in a subtest."""
    if json.loads(getattr(report, "agentassert", "{}")).get("status") == Ending.ERROR:
        return Ending.ERROR
    if report.failed:
        return Ending.FAILED if report.when == "call" else Ending.ERROR
    if report.skipped:
        return Ending.XFAILED if hasattr(report, "wasxfail") else Ending.SKIPPED
    if not report.passed or report.when != "call" or hasattr(report, "context"):
        return None
    return Ending.XPASSED if hasattr(report, "wasxfail") else Ending.PASSED


def _problem(report: pytest.TestReport, ending: Ending | None) -> Problem:
    title = _title(report, ending)
    if isinstance(report.longrepr, tuple):
        return Problem(title=title, message=report.longrepr[2].removeprefix("Skipped: "))
    crash = getattr(report.longrepr, "reprcrash", None)
    expected = getattr(report, "wasxfail", None)
    if expected is not None:
        return Problem(title=title, message=expected or "no reason given", traceback=report.longreprtext)
    if crash is None:
        return Problem(title=title, message=report.longreprtext)
    is_own = _OWN_ERROR.match(crash.message) is not None  # and tells all that there is
    message = _OWN_ERROR.sub("", crash.message, count=1) if is_own else crash.message
    return Problem(title=title, message=message, traceback=report.longreprtext, unfolded=not is_own)


def _title(report: pytest.TestReport, ending: Ending | None) -> str:
    if report.when in ("setup", "teardown") and report.failed:
        return f"Error in {report.when}"
    if hasattr(report, "context"):
        return f"Subtest {report.outcome}: {report.head_line}"
    named = {
        Ending.XFAILED: "Failed, as expected",
        Ending.XPASSED: "Passed, though expected to fail",
        Ending.ERROR: "Error",
        None: report.outcome.capitalize(),  # such as `rerun`, of a plugin
    }
    return named.get(ending, report.outcome.capitalize())


def _capture(told: Mapping[str, Any], checked: list[str] | None) -> ReportedCapture:
    capture = Capture.from_json(json.dumps(told["capture"]))
    problem = told.get("problem")
    executions = list(_executions(capture))
    marked = frozenset(checked or ())
    return ReportedCapture(
        name=capture.name,
        run=told.get("run"),
        problem=None if problem is None else _OWN_ERROR.sub("", problem, count=1),
        tree=capture_html(capture, checked=checked, limits=Limits(items=_MOST_SHOWN, nodes=_MOST_SHOWN)),
        executions=len(executions),
        failed=sum(one.failed is True for one in executions),
        unchecked=0 if checked is None else sum(one.id not in marked for one in executions),
        doubts=capture.health.doubts,
    )


def _executions(capture: Capture) -> Iterator[Any]:
    for top in (*capture.invocations, *((capture.strays,) if capture.strays is not None else ())):
        for one in top.with_nested():
            yield from one.tool_executions
