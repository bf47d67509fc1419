"""The example for Agno runs offline as it stands, and shows a chain that passes and an assertion that fails."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("agno")


def test_the_example_shows_what_it_says(project):
    command = [sys.executable, "-W", "error::agentassert.CaptureWarning", "examples/agno_agent.py"]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    shown = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True)

    passing, failing = shown.stdout.split("\n2. ")
    assert "unchecked tool executions: none" in passing
    assert "$.day: expected 'Saturday', was 'Friday'" in failing
