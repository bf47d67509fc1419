"""`agentassert test` and `agentassert coverage`."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import io
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from agentassert import settings
from agentassert.failures import counted
from agentassert.settings import Settings
from agentassert.suites.discovery import looks_like_rasas
from agentassert.suites.exit_codes import BROKEN, FAILED, PASSED
from agentassert.suites.outcomes import COMMAND_PLUGIN, CaseStatus, overall
from agentassert.suites.projects import Project
from agentassert.suites.reporting import Progress, print_annotations, print_json, print_table

_INTERRUPTED: Final = 2
"""What pytest ends with when it was stopped."""
_CANCELLED: Final = "cancelled"
_OF_RASA: Final = {
    "pitfalls": "--pitfalls",
    "fail_fast": "--fail-fast",
    "rasa_actions": "--rasa-actions",
    "e2e_results": "--e2e-results",
}
_PYTESTS_OWN: Final = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")
_NO_TABLE: Final = (
    "there is no [tool.agentassert] in a pyproject.toml in {here} or above; name your agents there:\n"
    '[tool.agentassert.agents]\nsupport = "shop.agents:support"'
)


class UsageError(Exception):
    """What was asked for cannot be done; the text says what to change."""


def run_suites(options: argparse.Namespace) -> int:
    """Run suites through pytest, and print the results.

    Args:
        options: of `agentassert test`.

    Returns:
        The exit code: 0 when every test passed, 1 when one failed or nothing could be run, 2 when something broke.
    """
    try:
        _refuse_what_is_rasas(options)
        project = _project(options.env)
        arguments = _pytest_arguments(options, project.settings)
    except (UsageError, ValueError) as error:
        return _refused(str(error))
    import pytest

    collector = _Collector(sys.stderr)
    pytests_own = io.StringIO()
    with contextlib.redirect_stdout(pytests_own):
        code = pytest.main(arguments, plugins=[collector])
    return _told(options, project, collector, int(code), pytests_own.getvalue())


def report_coverage(options: argparse.Namespace) -> int:
    """Print which tools of which agents the suites cover.

    Args:
        options: of `agentassert coverage`, or of `agentassert test --coverage`.

    Returns:
        The exit code: 0, or 1 when the suites cannot be read, or less is covered than asked for.
    """
    from agentassert.suites.coverage import project_coverage

    try:
        project = _project(options.env)
    except (UsageError, ValueError) as error:
        return _refused(str(error))
    with contextlib.redirect_stdout(sys.stderr), project.in_environment():  # modules of agents may print
        report = project_coverage(project.settings, options.env)
    if options.json:
        print(json.dumps(report.to_json(), indent=2))  # noqa: T201  # what the command is for
    else:
        print(report.text())  # noqa: T201  # likewise
    below = options.fail_under is not None and report.overall < options.fail_under
    if below:
        print(f"coverage is {report.overall:g} %, less than {options.fail_under:g} %", file=sys.stderr)  # noqa: T201
    return FAILED if below or report.is_broken else PASSED


class _Collector:
    """A pytest plugin that gathers what came of the cases, also from the processes of pytest-xdist."""

    def __init__(self, stream: Any) -> None:
        self.__name__ = COMMAND_PLUGIN  # by which pytest's plugin manager knows it
        self.cases: list[dict[str, Any]] = []
        self.wrong: list[str] = []
        self.skipped: list[str] = []
        self.report: str | None = None
        self.selected = self.deselected = 0
        self._progress = Progress(stream)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and report.longreprtext not in self.wrong:
            self.wrong.append(report.longreprtext)

    def pytest_collection_finish(self, session: Any) -> None:
        self.selected = len(session.items)

    def pytest_deselected(self, items: Sequence[Any]) -> None:
        self.deselected += len(items)

    def pytest_runtest_logreport(self, report: Any) -> None:
        case = getattr(report, "agentassert", None)
        if case is not None:
            self.cases.append(json.loads(case))
            total = max(self.selected, len(self.cases))
            self._progress.ended(len(self.cases), total, sum(not one["passed"] for one in self.cases))
        elif report.failed:
            self.wrong.append(f"{report.nodeid}: {report.longreprtext}")
        elif report.skipped:
            self.skipped.append(f"{report.nodeid}: {report.longrepr[2]}")

    def run_ended(self, name: str, count: int, total: int) -> None:
        """Told by a case in this process."""
        self._progress.run_ended(name, count, total)

    def report_ended(self, words: str) -> None:
        """Told by the HTML report: where it is, or why it is not there."""
        self.report = words


def _refuse_what_is_rasas(options: argparse.Namespace) -> None:
    for path in options.paths:
        if looks_like_rasas(Path(path.partition("::")[0])):
            raise UsageError(
                f"{path} is a test of a Rasa assistant: add --rasa URL to run it against one, or --tracker PATH to hold it against what was "
                "stored"
            )
    for name, written in _OF_RASA.items():
        if getattr(options, name):
            raise UsageError(f"{written} is for tests of a Rasa assistant: add --rasa URL or --tracker PATH")


def _project(environment: str | None) -> Project:
    found = settings.current()
    if found.root is None:
        raise UsageError(_NO_TABLE.format(here=Path.cwd()))
    return Project(found, environment)


def _pytest_arguments(options: argparse.Namespace, found: Settings) -> list[str]:
    paths = [_checked(path, found) for path in options.paths] or _suites_folders(found)
    arguments = [*paths, "-p", "agentassert", "--agentassert-only", *_at_root(found.root or Path.cwd())]
    if options.filter is not None:
        arguments.append(f"--agentassert-filter={options.filter}")
    if options.env is not None:
        arguments.append(f"--agentassert-env={options.env}")
    if options.processes is not None:
        if importlib.util.find_spec("xdist") is None:
            raise UsageError("-n spreads tests over processes by pytest-xdist, which is not installed: pip install pytest-xdist")
        arguments += ["-n", options.processes]
    if options.junit_xml is not None:
        arguments.append(f"--junit-xml={options.junit_xml}")
    if options.html is not None:
        arguments.append(f"--agentassert-html={options.html}")
    return [*arguments, *options.pytest_arguments]


def _suites_folders(found: Settings) -> list[str]:
    """Those that the settings name, of which none may be missing: nobody would miss the suites that are not run."""
    for path, directory in zip(found.suites, found.suite_directories, strict=True):
        if not directory.is_dir():
            raise UsageError(
                f"there are no suites in {path}, which `suites` in [tool.agentassert] names: there is no such folder"
            )
    return [str(directory) for directory in found.suite_directories]


def _at_root(root: Path) -> list[str]:
    """What has pytest take the project's own configuration, rather than that of a folder above, and not mind who called it."""
    own = [] if any((root / name).exists() for name in _PYTESTS_OWN) else ["-c", str(root / "pyproject.toml")]
    return [f"--rootdir={root}", *own, "-W", "ignore::pytest.PytestAssertRewriteWarning"]


def _checked(path: str, found: Settings) -> str:
    """A path that is there and can hold suites, without its `..`; of the links in it only those above the project are followed."""
    file, *test = path.split("::", 1)
    written = Path(os.path.abspath(file))  # noqa: PTH100 -- `resolve()` would follow a link that is itself a suite
    if not written.exists():
        raise UsageError(f"{path}: there is no such file or folder")
    for place in (written, written.parent.resolve() / written.name):
        if any(place.is_relative_to(directory) or directory.is_relative_to(place) for directory in found.suite_directories):
            return "::".join((str(place), *test))
    shown = ", ".join(str(one) for one in found.suites)
    raise UsageError(
        f"{path}: this is not below the folders that hold suites ({shown}); add it to `suites` in [tool.agentassert]"
    )


def _told(options: argparse.Namespace, project: Project, collector: _Collector, code: int, pytests_own: str) -> int:
    for words in (*collector.wrong, *collector.skipped, *filter(None, (collector.report,))):
        print(words, file=sys.stderr)  # noqa: T201
    if collector.wrong and not collector.cases:
        return FAILED
    if not collector.cases:
        return _nothing_ran(options, collector, code, pytests_own)
    status = _status(collector, code)
    if options.json:
        print_json(status, collector.cases, project.chosen, sys.stdout)
    else:
        print_table(collector.cases, sys.stdout)
    if os.environ.get("GITHUB_ACTIONS") == "true":
        print_annotations(collector.cases, sys.stderr if options.json else sys.stdout)
    if status == _CANCELLED:
        return _refused(f"cancelled after {counted(len(collector.cases), 'test')}")
    return {CaseStatus.PASSED: PASSED, CaseStatus.ERROR: BROKEN}.get(CaseStatus(status), FAILED)


def _status(collector: _Collector, code: int) -> str:
    status = overall(collector.cases)
    unwritten = code == FAILED and status is CaseStatus.PASSED  # the report, of which pytest's exit code tells
    if status is CaseStatus.FAILED or collector.wrong or unwritten:
        return CaseStatus.FAILED
    if code == _INTERRUPTED:
        return _CANCELLED
    return CaseStatus.ERROR if code > 1 else status


def _nothing_ran(options: argparse.Namespace, collector: _Collector, code: int, pytests_own: str) -> int:
    if code in (3, 4):  # pytest's words for an internal error, and for arguments that it does not take
        print(pytests_own.strip(), file=sys.stderr)  # noqa: T201
        return BROKEN if code == 3 else FAILED  # noqa: PLR2004
    if code == _INTERRUPTED:
        return _refused("cancelled before a test ended")
    if collector.selected:
        return _refused(f"none of {collector.selected} tests was run")
    if options.filter is not None:
        return _refused(f"no test has a name that contains {options.filter!r}")
    if collector.deselected:
        return _refused(f"none of {collector.deselected} tests was selected")
    return _refused("there are no tests in the suites")


def _refused(words: str) -> int:
    print(f"agentassert: {words}", file=sys.stderr)  # noqa: T201
    return FAILED
