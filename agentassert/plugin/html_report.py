"""`--agentassert-html FILE`: a report of all tests, written when they have ended or were stopped."""

from __future__ import annotations

import os
import platform
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

import agentassert
from agentassert.errors import NothingCheckedWarning, SharedChecksWarning, UnknownToolWarning
from agentassert.plugin.html_gathering import Gathered, not_collected, warned
from agentassert.reports.page import page
from agentassert.reports.page_content import Problem, Reported, ReportedTest
from agentassert.stored.replaced_files import replacing
from agentassert.suites.outcomes import COMMAND_PLUGIN

OPTION: Final = "--agentassert-html"

_SHOWN_WARNINGS: Final = (NothingCheckedWarning, SharedChecksWarning, UnknownToolWarning)
"""Of the doubts that other warnings tell, the trees tell, too."""


def register(config: pytest.Config) -> None:
    """Have a report written, unless this is a process of pytest-xdist that another one gathers from.

    Args:
        config: in which the option is given.

    Raises:
        pytest.UsageError: when the file cannot be written, before any test is run.
    """
    if hasattr(config, "workerinput"):
        return
    given = str(config.getoption("agentassert_html"))
    file = config.invocation_params.dir / given
    try:
        _prepare(file)
    except OSError as error:
        raise pytest.UsageError(f"{OPTION}: {file} cannot be written: {error.strerror or error}") from None
    config.pluginmanager.register(HtmlReport(file, config), "agentassert_html")


class HtmlReport:
    """The plugin that gathers what pytest reports, and writes the file.

    Args:
        file: what is written.
        config: of the tests.
    """

    def __init__(self, file: Path, config: pytest.Config) -> None:
        self._file = file
        self._root = config.rootpath
        self._started_at = datetime.now(UTC).astimezone()
        self._started = time.perf_counter()
        self._tests: dict[tuple[object, str], Gathered] = {}
        self._begun: dict[str, Gathered] = {}
        self._not_collected: list[ReportedTest] = []
        self._warned: dict[str, dict[Problem, None]] = {}
        self._unwritten: OSError | None = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that could not be read is an entry of its own."""
        if report.failed:
            entry = not_collected(report)
            if entry not in self._not_collected:  # each process of pytest-xdist says so
                self._not_collected.append(entry)

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        """A test begins, whose end may never be told."""
        self._begun[nodeid] = Gathered(nodeid, None if location[1] is None else location[1] + 1)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One phase of one test."""
        process = getattr(report, "node", None)  # with `--dist=each` every process runs every test
        begun = self._begun.pop(report.nodeid, None)
        self._tests.setdefault((process, report.nodeid), begun or Gathered(report.nodeid)).add(report)

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, nodeid: str) -> None:
        """One of ours is told at its test, once from all processes that run it."""
        if nodeid and issubclass(warning_message.category, _SHOWN_WARNINGS):
            self._warned.setdefault(nodeid, {})[warned(warning_message, self._root)] = None

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the file, whatever ended the tests."""
        stopped = exitstatus in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR)
        reported = Reported(
            title=self._root.name,
            tests=[*self._not_collected, *map(self._reported, (*self._tests.values(), *self._begun.values()))],
            started_at=self._started_at,
            duration=time.perf_counter() - self._started,
            interrupted=stopped or bool(session.shouldstop or session.shouldfail),
            made_with=(
                f"agentassert {agentassert.__version__}",
                f"pytest {pytest.__version__}",
                f"Python {platform.python_version()}",
            ),
        )
        try:
            _write(self._file, reported)
        except OSError as error:
            self._unwritten = error
            if session.exitstatus == pytest.ExitCode.OK:  # else whoever keeps the report would keep the one of before
                session.exitstatus = pytest.ExitCode.TESTS_FAILED
        command = session.config.pluginmanager.get_plugin(COMMAND_PLUGIN)
        if command is not None:
            command.report_ended(self.told)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Say where the report is."""
        if self._unwritten is None:
            terminalreporter.write_sep("-", self.told)
        else:
            terminalreporter.write_line(self.told, red=True)

    @property
    def told(self) -> str:
        """Where the report is, or why it is not there."""
        if self._unwritten is None:
            return f"HTML report: {self._file.resolve().as_uri()}"
        return f"{OPTION}: {self._file} could not be written: {self._unwritten.strerror or self._unwritten}"

    def _reported(self, test: Gathered) -> ReportedTest:
        return test.reported(tuple(self._warned.get(test.node_id, ())))


def _prepare(file: Path) -> None:
    """Find out now that the file cannot be written."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.exists() and not file.is_file():
        raise OSError("it is no regular file")
    target = file.resolve()
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    beside.open("wb").close()
    beside.unlink()


def _write(file: Path, reported: Reported) -> None:
    with replacing(file.resolve()) as written:
        written.writelines(piece.encode("utf-8", "backslashreplace") for piece in page(reported))
