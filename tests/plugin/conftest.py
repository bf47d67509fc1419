from __future__ import annotations

from textwrap import dedent

import pytest

AGENT = """
    import pytest
    from agentassert import assert_that, capture, record

    @record.tool
    def look_up(number):
        return {"number": number}

    @record.tool
    def cancel(number):
        return "cancelled"

    @record.agent
    def support(number):
        look_up(number)
        return cancel(number)
"""


class Project:
    """A folder of tests, and pytest run in it with this library's plugin alone."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pytester = pytester
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        for variable in ("PYTEST_ADDOPTS", "CI", "BUILD_NUMBER"):  # with the last two pytest shortens no line of its summary
            monkeypatch.delenv(variable, raising=False)
        self.warnings_are("default")  # and not what they are in the process around

    def warnings_are(self, *filters: str) -> None:
        # Pytest 8.3 says so of a plugin that this process has imported already.
        lines = "".join(f"\n    {one}" for one in (*filters, "ignore:Module already imported so cannot be rewritten"))
        self.pytester.makeini(f"[pytest]\naddopts = -p no:cacheprovider\nfilterwarnings ={lines}\n")

    def tests(self, text: str, name: str = "test_it") -> None:
        """Write a module of tests, which begins with an agent and two tools."""
        self.file(f"{name}.py", dedent(AGENT) + dedent(text))

    def file(self, name: str, text: str) -> None:
        path = self.pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")

    def run(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_inprocess("-p", "agentassert", *arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        return self.pytester.runpytest_subprocess(*arguments)


@pytest.fixture
def project(pytester, monkeypatch):
    return Project(pytester, monkeypatch)
