"""The examples run as they stand, and show what their readers are told."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def shown(project):
    command = [sys.executable, "-W", "error::agentassert.CaptureWarning", "examples/quickstart.py"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout


def test_the_quickstart_shows_what_the_tutorial_says(shown, project):
    assert shown == (project / "docs" / "quickstart.txt").read_text("utf-8")


def test_the_quickstart_shows_the_invocation_a_passing_chain_and_a_failing_assertion(shown):
    recorded, passing, failing = shown.split("\n2. ")[0], shown.split("\n2. ")[1], shown.split("\n3. ")[1]
    assert "support_agent: completed" in recorded
    assert "model: asks for cancel_booking" in recorded
    assert "tool: cancel_booking {'booking_number': 'MS-777', 'reason': 'illness'}" in recorded
    assert "has_no_more_tool_executions" in passing
    assert "$.booking_number: expected 'MS-778', was 'MS-777'" in failing


SHOWN = {
    "handwritten": ["A-1: refunded as it should be", "$.amount: was 150, but result_of('find_order', '$.price') is 300"],
    "conversation": ["Three turns, as they should be.", "Expected turn 1 'Moss' to have set the slot 'crossing' to 'Bergen'"],
    "judging": [
        "is polite: not satisfied: It blames the customer.",
        "Neither a pass nor a failure: the judge's answer is not one JSON",
    ],
}


@pytest.mark.parametrize("name", SHOWN)
def test_an_example_shows_what_passes_and_what_fails(name, project):
    command = [sys.executable, "-W", "error", f"examples/{name}.py"]
    shown = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True).stdout
    assert [line for line in SHOWN[name] if line not in shown] == []


def test_the_project_of_pytest_passes_where_it_stands(project):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "agentassert", "-p", "no:cacheprovider"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(project)}
    folder = project / "examples" / "pytest_project"
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
    assert "4 passed" in ran.stdout
