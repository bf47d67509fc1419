"""The example of each framework runs offline as it stands, and shows a chain that passes and an assertion that fails."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.adapters.kits import is_installed

EXAMPLES = {
    "agent_framework_agent": ("agent_framework", "$.day: expected 'Saturday', was 'Friday'"),
    "agno_agent": ("agno", "$.day: expected 'Saturday', was 'Friday'"),
    "anthropic_loop": ("anthropic", "cancel_booking: a reason is needed"),
    "autogen_agent": ("autogen_agentchat", "$.day: expected 'Saturday', was 'Friday'"),
    "claude_agent_sdk_agent": ("claude_agent_sdk", "$.day: expected 'Saturday', was 'Friday'"),
    "crewai_agent": ("crewai", "$.day: expected 'Saturday', was 'Friday'"),
    "dspy_agent": ("dspy", "$.day: expected 'Sunday', was 'Friday'"),
    "google_adk_agent": ("google.adk", "$.day: expected 'Saturday', was 'Friday'"),
    "haystack_agent": ("haystack", "$.day: expected 'Saturday', was 'Friday'"),
    "litellm_loop": ("litellm", "$.number: expected 'MS-778', was 'MS-777'", "outcome was not reported"),
    "llama_index_agent": ("llama_index.core", "$.day: expected 'Saturday', was 'Friday'"),
    "mcp_agent": ("fastmcp", "$.number: expected 'MS-778', was 'MS-777'"),
    "openai_agents": ("agents", "$.amount: expected 400, was 40"),
    "openai_loop": ("openai", "$.number: expected 'MS-778', was 'MS-777'", "outcome was not reported"),
    "opentelemetry_spans": ("opentelemetry.sdk", "$.number: expected 'MS-778', was 'MS-777'"),
    "pydantic_ai_agent": ("pydantic_ai", "$.customer_id: expected 321, was 123"),
    "smolagents_agent": ("smolagents", "$.day: expected 'Sunday', was 'Saturday'"),
    "strands_agent": ("strands", "$.amount: expected 4, was 40"),
}
"""By the name of the file: the package that it needs, and what it shows after a chain that passes."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_what_it_says(name, project, tmp_path):
    package, *failing = EXAMPLES[name]
    if not is_installed(package):
        pytest.skip(f"needs {package}, which is not installed")
    command = [sys.executable, "-W", "error::agentassert.CaptureWarning", f"examples/{name}.py"]
    environment = {**os.environ, "PYTHONPATH": str(project), "HOME": str(tmp_path)}
    shown = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    assert shown.returncode == 0, shown.stderr
    places = [shown.stdout.find(words) for words in ("unchecked tool executions: none", *failing)]
    assert -1 < places[0]
    assert places == sorted(places)


def test_every_example_of_a_framework_is_in_the_table(project):
    others = {"conversation", "handwritten", "judging", "quickstart", "scripted_model", "unittest_example"}
    there = {path.stem for path in (project / "examples").glob("*.py")}

    assert there - others == EXAMPLES.keys(), "give it a row in EXAMPLES: the package that it needs, and what its failure says"
