"""Tracing libraries and this one do not get into each other's way."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

FRAMEWORKS = ("langchain", "agents", "pydantic_ai")
LIBRARIES = {
    "openinference": "openinference.instrumentation",
    "opentelemetry": "opentelemetry.instrumentation.genai",
}


def is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_contract_holds_under_tracing(library, when, project):
    needed = [*FRAMEWORKS, f"{LIBRARIES[library]}.langchain", f"{LIBRARIES[library]}.openai_agents"]
    missing = [module for module in needed if not is_there(module)]
    if missing:
        pytest.skip(f"not installed here: {', '.join(missing)}")

    command = [sys.executable, "-m", "tests.adapters.instrumented", library, when]
    ended = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stdout) == (0, "LangChain and LangGraph\nOpenAI Agents SDK\nPydantic AI\n"), ended.stderr
