"""What an import costs, and which way imports point."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest

from agentassert import adapters

HEAVY = {
    "asyncio",
    "assertpy",
    "deepdiff",
    "jsonpath_ng",
    "langchain",
    "langchain_core",
    "langgraph",
    "pydantic",
    "pytest",
    "yaml",
}


def modules_loaded_by(statement):
    code = f"{statement}\nimport sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    return set(loaded.split())


def test_importing_the_package_loads_none_of_its_modules():
    assert {name for name in modules_loaded_by("import agentassert") if name.startswith("agentassert.")} == set()


@pytest.mark.parametrize("statement", ["import agentassert", "from agentassert import assert_that, capture, record"])
def test_no_heavy_module_is_loaded_before_it_is_used(statement):
    assert HEAVY & modules_loaded_by(statement) == HEAVY & modules_loaded_by("pass")


def test_a_passing_chain_needs_no_comparison_library():
    run = """if True:
        from agentassert import assert_that, capture, record
        with capture() as cap, record.invocation("agent"):
            record.tool_execution("look", {"id": 7}, result="ok")
        assert_that(cap).has_tool_executed_with("look", {"id": 7}).has_no_more_tool_executions()
    """
    assert modules_loaded_by(run) & {"deepdiff", "jsonpath_ng", "assertpy", "importlib.metadata"} == set()


def test_imports_point_downwards_only(project):
    """The contracts stand in pyproject.toml, under `tool.importlinter`."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    linter = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert linter.returncode == 0, linter.stdout + linter.stderr


def test_the_contracts_know_every_framework(project):
    contracts = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (frameworks,) = [one for one in contracts if one["id"] == "frameworks"]
    hooked = {trigger.partition(".")[0] for trigger in adapters._BUILT_IN}
    unknown = hooked - set(frameworks["forbidden_modules"])

    assert not unknown, "name it in pyproject.toml, in the contract `frameworks`: as forbidden, and as ignored from its adapter"
