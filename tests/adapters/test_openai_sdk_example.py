"""The example for the `openai` SDK runs offline as it stands, and shows what can be told of a loop and what cannot."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("openai")


def test_the_example_shows_what_it_says(project):
    command = [sys.executable, "-W", "error", "examples/openai_loop.py"]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    shown = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    assert shown.stderr == ""
    passing, failing, unknown = shown.stdout.split("\n2. ")[0], *shown.stdout.split("\n2. ")[1].split("\n3. ")
    assert "unchecked tool executions: none" in passing
    assert "$.number: expected 'MS-778', was 'MS-777'" in failing
    assert "outcome was not reported" in unknown
