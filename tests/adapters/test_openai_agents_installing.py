"""How the adapter for the OpenAI Agents SDK comes to be there, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

pytest.importorskip("agents")

RUN = """
import asyncio
from agents import Agent, Runner
from tests.scripted.openai_agents import ScriptedModel, says

def run():
    asyncio.run(Runner.run(Agent("support", model=ScriptedModel(says("hello"))), "hi"))
"""


def show(project, *lines, also=None):
    """What a program prints."""
    paths = [str(path) for path in (also, project) if path is not None]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENAI_AGENTS_DISABLE_TRACING": "1"}
    command = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True).stdout


def indented(code):
    return "\n".join(f"    {line}" for line in code.splitlines())


@pytest.mark.parametrize("first", ["import agents", "from agents.run import Runner", "from agents.result import RunResult"])
def test_an_sdk_that_is_imported_in_the_block_is_recorded(project, first):
    block = indented(f"{first}\n{RUN}\nrun()")

    shown = show(
        project, "from agentassert import capture", "with capture() as cap:", block, "print(cap.output_text, cap.health.doubts)"
    )
    assert shown == "hello ()\n"


def test_an_sdk_whose_hooks_have_moved_is_said_to_be_and_nothing_is_half_recorded(project):
    shown = show(
        project,
        RUN,
        "from agents.tool_context import ToolContext",
        "from agentassert import capture",
        "del ToolContext.from_agent_context",
        "with capture() as cap:",
        "    run()",
        "print(cap.invocations, cap.strays, cap.health.notes)",
    )
    assert shown.startswith("() None (")
    assert f"openai-agents {version('openai-agents')} is installed" in shown
    assert "the openai-agents adapter was tested with 0.10.5 to 0.24.0" in shown
    assert "ToolContext has no function 'from_agent_context'" in shown


def test_a_package_of_the_programs_own_that_has_the_same_name_is_left_alone(project, tmp_path):
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").touch()
    (tmp_path / "agents" / "run.py").write_text("def main(): ...\n", "utf-8")

    shown = show(
        project,
        "import agents.run",
        "from agentassert import capture",
        "with capture() as cap:",
        "    pass",
        "print(cap.health.doubts, cap.visibility)",
        also=tmp_path,
    )
    assert shown.startswith("()")
