"""Suites and their cases as pytest collects and runs them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from agentassert.suites.loading import load_suite, name_refused
from agentassert.suites.outcomes import COMMAND_PLUGIN, CaseResult, CaseStatus
from agentassert.suites.problems import shown_path
from agentassert.suites.projects import Project
from agentassert.suites.running import run_case
from agentassert.suites.schema import Case, Suite


class CaseFailedError(Exception):
    """Carries the result of a case that did not pass to pytest's report."""

    def __init__(self, result: CaseResult) -> None:
        super().__init__(result.reason)
        self.result = result


class SuiteFile(pytest.File):
    """A suite file; its cases are its tests."""

    project: Project
    directory: Path

    @classmethod
    def of(cls, parent: pytest.Collector, path: Path, project: Project, directory: Path) -> Self:
        """The node of a file.

        Args:
            parent: the node of its folder.
            path: the file.
            project: whose suite it is.
            directory: the suites directory that it is in.
        """
        # What pytest tells, and keeps in its cache, of a file that is refused for its name must be text.
        nodeid = None if name_refused(path, directory) is None else shown_path(path)
        node: Self = cls.from_parent(parent, path=path, nodeid=nodeid)
        node.project, node.directory = project, directory
        return node

    def collect(self) -> Iterator[pytest.Item]:
        """The cases; what is wrong with the file, or keeps its agent from being had, is told before anything runs."""
        try:
            suite = load_suite(self.path, self.directory, self.project.agents, self.project.tools)
        except ValueError as error:
            raise self.CollectError(str(error)) from None
        if suite is None:
            return
        for case in suite.cases:
            yield CaseItem.of(self, suite, case)


class CaseItem(pytest.Item):
    """One case of a suite."""

    parent: SuiteFile
    suite: Suite
    case: Case
    result: CaseResult | None

    @classmethod
    def of(cls, parent: SuiteFile, suite: Suite, case: Case) -> Self:
        """The node of a case."""
        node: Self = cls.from_parent(parent, name=case.name)
        node.suite, node.case, node.result = suite, case, None
        return node

    def runtest(self) -> None:
        """Make all runs of the case."""
        project = self.parent.project
        with project.in_environment():
            name = self.suite.agent
            self.result = run_case(self.suite, self.case, project.agent(name), project.tools(name), self._run_ended)
        if self.result.status is not CaseStatus.PASSED:
            raise CaseFailedError(self.result)

    def _run_ended(self, count: int) -> None:
        told = self.config.pluginmanager.get_plugin(COMMAND_PLUGIN)
        if told is not None:
            told.run_ended(self.name, count, self.case.runs)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was wrong, instead of a traceback through this library."""
        if isinstance(excinfo.value, CaseFailedError):
            result = excinfo.value.result
            told = f"{result.place}: {result.successes} of {len(result.runs)} runs passed\n{result.reason}"
            return told.encode(errors="backslashreplace").decode()  # pytest-xdist carries no character that is none
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the case stands."""
        return self.path, self.case.line - 1, f"{self.suite.agent}::{self.case.name}"
