"""The pytest plugin: suites among the collected files, the fixture `captured`, the mark `agentassert`, captures in reports.

It imports nothing of ours until there is a YAML file, a mark, or a capture.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from agentassert.assertions.misuse import Guarded
    from agentassert.captures import Capture
    from agentassert.plugin.marks import Wanted
    from agentassert.plugin.watch import Watch
    from agentassert.suites.collecting import SuiteFile
    from agentassert.suites.projects import Project

_SUFFIXES = (".yaml", ".yml")
_MARK: Final = (
    "agentassert(all_checked=False, runs=1, success_threshold=100, success_confidence=None): fail a test that leaves tool executions "
    "unchecked; run a test several times, of which so many percent must pass, for sure or with that confidence"
)
_projects = pytest.StashKey["dict[Path | str | None, Project | None]"]()
_watch = pytest.StashKey["Watch"]()
_running = pytest.StashKey[pytest.Item]()
_written = pytest.StashKey[dict[str, str]]()
_collected = pytest.StashKey[frozenset[str]]()
_sessions: Final[list[pytest.Config]] = []
"""Those of this process, of which one can run inside a test of another one; what is captured belongs to the innermost."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that `agentassert test` passes on, so that they hold in the processes of pytest-xdist too."""
    group = parser.getgroup("agentassert", "suites of agent tests")
    group.addoption("--agentassert-filter", metavar="TEXT", help="of the suites, run the tests whose name contains TEXT")
    group.addoption(
        "--agentassert-env", metavar="NAME", help="the environment of [tool.agentassert.environments] to run suites in"
    )
    group.addoption("--agentassert-only", action="store_true", help="run suites, and no other tests")
    group.addoption("--agentassert-html", metavar="FILE", help="write a report of the tests and their captures to FILE")
    group.addoption("--agentassert-update", action="store_true", help="write snapshots anew instead of comparing with them")


def pytest_configure(config: pytest.Config) -> None:
    """Make the mark known, and have the HTML report written that is asked for."""
    config.addinivalue_line("markers", _MARK)
    _sessions.append(config)
    if config.getoption("agentassert_html") is not None:
        from agentassert.plugin import html_report

        html_report.register(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget the session."""
    if config in _sessions:  # which it is not where another plugin failed before
        _sessions.remove(config)


@pytest.fixture
def captured() -> Iterator[Capture]:
    """What agents do from here to the end of the test, as `with capture() as captured:` around it would record it."""
    from agentassert import capture

    with capture() as cap:
        yield cap


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> SuiteFile | None:
    """A suite, when the file lies below the suites paths of a project that has a `[tool.agentassert]` table."""
    if not _may_be_suite(file_path):
        return None
    project = _project_of(parent.config, file_path.parent)
    if project is None:
        return None
    from agentassert.suites.discovery import suites_directory_of

    directory = suites_directory_of(file_path, project.settings.suite_directories)
    if directory is None:
        return None
    from agentassert.suites.collecting import SuiteFile

    return SuiteFile.of(parent, file_path, project, directory)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out everything that is no suite, when suites alone are to run."""
    if config.getoption("agentassert_only") and collection_path.is_file() and not _may_be_suite(collection_path):
        return True
    return None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Any:
    """Keep what there is before anybody leaves some out; then refuse wrong marks, and deselect what the filter does not name."""
    config.stash[_collected] = frozenset(item.nodeid for item in items)
    result = yield
    if not hasattr(config, "workerinput"):  # where pytest-xdist would keep it to itself, the test tells it when it is run
        for item in items:
            _wanted_by(item)
    text = config.getoption("agentassert_filter")
    if text is None:
        return result
    left_out: list[pytest.Item] = []
    kept: list[pytest.Item] = []
    for item in items:
        of_a_suite = getattr(item, "case", None) is not None
        (left_out if of_a_suite and text not in item.name else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Run a test several times that asks for it."""
    try:
        wanted = _wanted_by(item)
    except pytest.UsageError:
        return None
    if wanted is None or wanted.repetition is None or not isinstance(item, pytest.Function):
        return None
    from agentassert.plugin.repeating import run_repeatedly

    run_repeatedly(item, nextitem, wanted.repetition)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """From here on captures belong to this test, whose mark must be right."""
    item.config.stash[_running] = item
    if _watch in item.config.stash:
        item.config.stash[_watch].begin(item)
    try:
        _wanted_by(item)
    except pytest.UsageError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Any:
    """Ask what a test left unchecked that passed."""
    __tracebackhide__ = True
    result = yield
    if _watch in item.config.stash:
        item.config.stash[_watch].called()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Any:
    """Ask for captures that nobody looked at."""
    __tracebackhide__ = True
    result = yield
    if _watch in item.config.stash:
        item.config.stash[_watch].torn_down()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Let a report carry what was captured, and that of a suite's test what came of it, also out of a process of pytest-xdist."""
    report = yield
    if _watch in item.config.stash:
        item.config.stash[_watch].reported(call, report)
    snapshots = sys.modules.get("agentassert.snapshots.usage")
    if snapshots is not None:
        snapshots.attach_to(report)
    if call.when == "teardown" and _running in item.config.stash:
        del item.config.stash[_running]
    result = getattr(item, "result", None)
    if result is not None and call.when == "call":
        import json

        # As text: pytest-xdist carries no character that is none, which an agent's words may hold.
        report.agentassert = json.dumps(result.to_json())
    return report


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Show of a repeated test how many runs passed."""
    runs = getattr(report, "agentassert_runs", None)
    if runs is None or report.when != "call" or report.skipped or hasattr(report, "wasxfail"):
        return None
    return report.outcome, "." if report.passed else "F", f"{report.outcome.upper()} ({runs})"


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """Tell of the snapshots that were written, and of those that no test uses."""
    if hasattr(config, "workerinput"):  # a process of pytest-xdist, which has seen a part of the tests
        return
    reports = [one for reports in terminalreporter.stats.values() for one in reports if getattr(one, "when", None) == "call"]
    files = {config.rootpath / one.nodeid.partition("::")[0] for one in reports}
    folders = {file.parent / "__snapshots__" for file in files}
    if any(hasattr(one, "agentassert_snapshots") for one in reports) or any(folder.is_dir() for folder in folders):
        from agentassert.snapshots import summary

        collected = config.stash.get(_collected, frozenset())
        summary.tell(terminalreporter, config, collected, succeeded=exitstatus == pytest.ExitCode.OK)


def running_test() -> pytest.Item | None:
    """The test that runs, of the innermost session: snapshots lie beside it. Asked for by `agentassert.snapshots`."""
    return _sessions[-1].stash.get(_running, None) if _sessions else None


def written_snapshots() -> dict[str, str]:
    """The files that tests of the innermost session have written, each with the test."""
    return _sessions[-1].stash.setdefault(_written, {})


def capture_opened(capture: Capture) -> None:
    """Called by `agentassert.watching`, as is the next one."""
    watch = _current_watch()
    if watch is not None:
        watch.capture_opened(capture)


def chain_begun(chain: Guarded, capture: Capture | None) -> None:
    """A chain was made, on a capture or on something else."""
    watch = _current_watch()
    if watch is not None:
        watch.chain_begun(chain, capture)


def _current_watch() -> Watch | None:
    """The watch of the innermost session, made when it is needed first."""
    if not _sessions:
        return None
    stash = _sessions[-1].stash
    if _watch not in stash:
        from agentassert.plugin.watch import Watch

        stash[_watch] = Watch(_sessions[-1])
        if _running in stash:
            stash[_watch].begin(stash[_running])
    return stash[_watch]


def _wanted_by(item: pytest.Item) -> Wanted | None:
    """What the marks of a test ask for; `None` without one."""
    if item.get_closest_marker("agentassert") is None:
        return None
    from agentassert.plugin.marks import wanted_by

    return wanted_by(item)


def _may_be_suite(file: Path) -> bool:
    return file.name.lower().endswith(_SUFFIXES)


def _project_of(config: pytest.Config, directory: Path) -> Project | None:
    """The project that a folder is in, when it has a table of ours; looked up once, and what is wrong with it told once."""
    from agentassert import settings

    projects = config.stash.setdefault(_projects, {})
    try:
        found = settings.above(directory)
        if found.root not in projects:
            projects[found.root] = None
            if found.root is not None:
                from agentassert.suites.projects import Project

                projects[found.root] = Project(found, config.getoption("agentassert_env"))
    except ValueError as error:
        if str(error) in projects:
            return None
        projects[str(error)] = None
        raise pytest.Collector.CollectError(str(error)) from None
    return projects[found.root]
