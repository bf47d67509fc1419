"""The pytest plugin: suites among the collected files. It imports nothing of ours until there is a YAML file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from agentassert.suites.collecting import SuiteFile
    from agentassert.suites.projects import Project

_SUFFIXES = (".yaml", ".yml")
_projects = pytest.StashKey["dict[Path | str | None, Project | None]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options that `agentassert test` passes on, so that they hold in the processes of pytest-xdist too."""
    group = parser.getgroup("agentassert", "suites of agent tests")
    group.addoption("--agentassert-filter", metavar="TEXT", help="of the suites, run the tests whose name contains TEXT")
    group.addoption(
        "--agentassert-env", metavar="NAME", help="the environment of [tool.agentassert.environments] to run suites in"
    )
    group.addoption("--agentassert-only", action="store_true", help="run suites, and no other tests")


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


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of suites whose name does not contain the filter."""
    text = config.getoption("agentassert_filter")
    if text is None:
        return
    left_out: list[pytest.Item] = []
    kept: list[pytest.Item] = []
    for item in items:
        of_a_suite = getattr(item, "case", None) is not None
        (left_out if of_a_suite and text not in item.name else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Let the report of a suite's test carry what came of it, also out of a process of pytest-xdist."""
    report = yield
    result = getattr(item, "result", None)
    if result is not None and call.when == "call":
        import json

        # As text: pytest-xdist carries no character that is none, which an agent's words may hold.
        report.agentassert = json.dumps(result.to_json())
    return report


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
