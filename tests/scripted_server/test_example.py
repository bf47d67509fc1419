"""The example runs as it stands, and shows what its readers are told."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("langchain_openai")


def test_the_example_plays_a_script_that_fits_and_one_that_does_not(project):
    command = [sys.executable, "-W", "error::agentassert.CaptureWarning", "examples/scripted_model.py"]
    shown = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    played, rest = shown.split("\n2. ")
    read, left = rest.split("\n3. ")

    assert "Done. You get 40 back." in played
    assert "unchecked tool executions: none" in played
    assert "3: attempt 2, 4 messages, tools get_booking, cancel_booking" in read
    assert "but 1 step of 2 was left:\n  step 2: reply('Goodbye.')" in left
