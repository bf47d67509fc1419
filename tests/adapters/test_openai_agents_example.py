"""The example for the OpenAI Agents SDK runs offline as it stands, and shows a chain that passes and an assertion that fails."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("agents")


def test_the_example_shows_what_it_says(project):
    command = [sys.executable, "-W", "error::agentassert.CaptureWarning", "examples/openai_agents.py"]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    shown = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True)

    answer, passing, failing = shown.stdout.split("\n2. ")[0], *shown.stdout.split("\n2. ")[1].split("\n3. ")
    assert "You get 40 back, Ann." in answer
    assert "unchecked tool executions: none" in passing
    assert "$.amount: expected 400, was 40" in failing
    assert shown.stderr == ""
