"""Runs a test several times, as `@pytest.mark.agentassert(runs=…)` asks, and lets the run that decides be its report."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import attrs
import pytest
from _pytest.runner import call_and_report

from agentassert.plugin import telling
from agentassert.plugin.marks import Repetition
from agentassert.plugin.runs import Runs
from agentassert.plugin.watch import RUN


def run_repeatedly(item: pytest.Function, nextitem: pytest.Item | None, asked: Repetition) -> None:
    """Run a test until it is decided whether enough of the runs pass.

    Each run sets up the fixtures of function scope anew, as for a test of its own. Only the run that decides is reported; it passes
    if enough did, and fails if too few could, because it is a passing run that makes them enough, and a failing one that makes
    them too few.

    Args:
        item: the test.
        nextitem: the test that comes next, for whose sake fixtures of wider scope are kept.
        asked: how often.
    """
    history = _History(Runs(asked), over=bool(item.config.getoption("setuponly", default=False)))
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    item.config.pluginmanager.register(history)
    try:
        for number in itertools.count(1):
            item.stash[RUN] = number
            if _is_over(item, history, nextitem):
                break
    finally:
        item.config.pluginmanager.unregister(history)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)


def _is_over(item: pytest.Function, history: _History, nextitem: pytest.Item | None) -> bool:
    """Make one run; whether it was the last one."""
    _renew(item)
    try:
        reports = _set_up_and_called(item)
        over = history.add(reports[-1])
        if over:
            history.tell(reports)
            item.user_properties.append(("agentassert_runs", history.runs.summary))
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
        # A sibling of the test keeps the fixtures of wider scope for the next run.
        follows = nextitem if over else copy.copy(item)
        if _is_stopping(item):
            follows = None
        torn_down = call_and_report(item, "teardown", log=False, nextitem=follows)
        if over or torn_down.failed:
            item.ihook.pytest_runtest_logreport(report=torn_down)
    finally:
        item._request = False  # type: ignore[assignment]  # noqa: SLF001
        item.funcargs = None  # type: ignore[assignment]
    return over or _is_stopping(item)


def _renew(item: pytest.Function) -> None:
    """Give a further run fixtures of its own, and an instance of its own where the test is a method."""
    if item._request:  # noqa: SLF001  # pytest's own way to run an item again, see its `runtestprotocol`
        return
    item._initrequest()  # noqa: SLF001
    if isinstance(item.parent, pytest.Class):
        for name in ("_instance", "_obj"):  # which pytest makes when they are missing
            vars(item).pop(name, None)


def _set_up_and_called(item: pytest.Function) -> list[pytest.TestReport]:
    reports = [call_and_report(item, "setup", log=False)]
    if reports[0].passed and not item.config.getoption("setuponly", default=False):
        reports.append(call_and_report(item, "call", log=False))
    return reports


def _is_stopping(item: pytest.Item) -> bool:
    return bool(item.session.shouldfail or item.session.shouldstop)


@attrs.define(eq=False)  # a plugin of pytest is told from others by its identity
class _History:
    """The runs so far, and what is kept of them for the report of the one that decides.

    Args:
        runs: how they went.
        over: whether there is to be one run at most.
    """

    runs: Runs
    over: bool
    failed: bool = False
    duration: float = 0.0
    trees: list[tuple[str, str]] = attrs.field(factory=list)
    captures: list[Any] = attrs.field(factory=list)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
        """Note whether the phase failed: by an error, or because a plugin says so; a report tells it not where a failure is expected."""
        report = yield
        is_expected_to = item.get_closest_marker("xfail") is not None
        self.failed = call.excinfo is not None or (report.failed and not is_expected_to)
        return report

    def add(self, report: pytest.TestReport) -> bool:
        """Note how a run went; whether the test is decided."""
        if _is_skipped(report) and self.runs.made == 0:
            return True
        self.runs.problems.append(_problem(report) if self.failed else None)
        self.duration += report.duration
        trees = [one for one in report.sections if one[0].startswith(telling.TITLE)]
        report.sections = [one for one in report.sections if one not in trees]
        self.trees += trees
        captures = json.loads(getattr(report, "agentassert_captures", "[]"))
        for one in captures if self.failed else ():
            one["problem"] = self.runs.problems[-1]
        self.captures += captures
        return self.over or self.runs.decided

    def tell(self, reports: list[pytest.TestReport]) -> None:
        """Let the report of the run that decides tell of all runs."""
        report: Any = reports[-1]
        runs = self.runs
        if not runs.made:
            return
        if _is_skipped(report):
            report.outcome, report.longrepr = "failed", runs.problems[-1]
        report.duration = self.duration
        report.sections += self.trees
        report.agentassert_runs = runs.summary
        if self.captures:
            report.agentassert_captures = json.dumps(self.captures)
        if report.failed:
            _add_to_failure(report, runs)


def _is_skipped(report: pytest.TestReport) -> bool:
    return report.skipped and not hasattr(report, "wasxfail")


def _problem(report: pytest.TestReport) -> str:
    if _is_skipped(report):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longreprtext
        return f"it was skipped after a run that was not: {reason}"
    crash = getattr(report.longrepr, "reprcrash", None)
    said = report.longreprtext if crash is None else crash.message
    return said if report.when == "call" else f"{report.when}: {said}"


def _add_to_failure(report: Any, runs: Runs) -> None:
    if hasattr(report.longrepr, "addsection"):
        report.longrepr.addsection(runs.summary, runs.told)
    else:
        report.longrepr = f"{report.longreprtext}\n{runs.told}"
