"""Each kind of test that suites are made of, run by the program: it passes, and catches the agent that is broken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.suites.blocks import approvals, children, results, tools

BLOCKS = [*results.BLOCKS, *tools.BLOCKS, *children.BLOCKS, *approvals.BLOCKS]
BREAKS = [(block, number) for block in BLOCKS for number in range(len(block.breaks))]


def _named(block, number=None):
    name = f"block{BLOCKS.index(block)}"
    return name if number is None else f"{name}_broken{number}"


def _write(folder, name, content):
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")


def _add(folder, name, block, agent):
    _write(folder, f"{name}.py", "from agentassert import record\n" + dedent(agent))
    builder = f"builders/{_named(block)}.py"
    _write(folder, f"tests/{name}.yaml", block.suite.replace("builder: made", f"builder: {Path(builder).stem}"))
    if block.builder:
        _write(folder, f"tests/{builder}", dedent(block.builder))


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """All blocks, each with an agent that is as it should be, and with each that is broken, in one test run; by the agent's name."""
    folder = tmp_path_factory.mktemp("ferries")
    for block in BLOCKS:
        _add(folder, _named(block), block, block.agent)
    for block, number in BREAKS:
        _add(folder, _named(block, number), block, block.broken(block.breaks[number]))
    agents = "".join(f'{file.stem} = "{file.stem}:agent"\n' for file in folder.glob("*.py"))
    _write(folder, "pyproject.toml", f"[tool.agentassert.agents]\n{agents}")
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "agentassert", "test", "--json"]
    ended = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, "")
    return {case["agent_name"]: case for case in json.loads(ended.stdout)["cases"]}


@pytest.mark.parametrize("block", BLOCKS, ids=[block.name for block in BLOCKS])
def test_a_block_passes_with_the_agent_that_it_was_written_for(cases, block):
    case = cases[_named(block)]
    assert (case["status"], case["failure_reason"], case["test_name"]) == ("passed", None, block.name)


@pytest.mark.parametrize(("block", "number"), BREAKS, ids=[f"{block.name}: {number}" for block, number in BREAKS])
def test_a_block_catches_the_agent_that_is_broken(cases, block, number):
    case = cases[_named(block, number)]
    assert case["status"] == "failed"
    assert block.breaks[number].told in case["failure_reason"]
