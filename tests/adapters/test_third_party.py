"""An adapter of somebody else, written from docs/how-to/own-adapter.md and found by its entry point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

THIRD_PARTY = Path(__file__).parent / "third_party"


@pytest.fixture
def run_program(tmp_path, project):
    """Install the framework and its adapter as pip would, and run a program that uses them."""

    def run(*arguments, version="1.2", entry="tinycrew_agentassert:TinyCrewAdapter"):
        install(tmp_path, "tinycrew", version)
        install(tmp_path, "tinycrew_agentassert", "0.1", f"[agentassert.adapters]\ntinycrew.crews = {entry}\n")
        return subprocess.run(
            [sys.executable, THIRD_PARTY / "program.py", *arguments],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (tmp_path, THIRD_PARTY, project)))},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def install(site, name, version, entry_points=""):
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", "utf-8")
    (info / "entry_points.txt").write_text(entry_points, "utf-8")


@pytest.mark.parametrize("imported", ["before", "inside"])
def test_it_is_found_when_its_framework_is_imported_before_the_block_or_inside(run_program, imported):
    ended = run_program(imported)

    assert (ended.stdout, ended.stderr) == ("recorded by tinycrew; it sees chat, requests, tool_failures\n", "")


def test_another_major_version_of_its_framework_is_said(run_program):
    ended = run_program("before", version="2.0")

    assert ended.stdout == "recorded by tinycrew; it sees chat, requests, tool_failures\n"
    assert "CaptureWarning: tinycrew 2.0 is installed; the tinycrew adapter was tested with 1.0 to 1.2" in ended.stderr


def test_an_adapter_that_is_not_there_fails_the_assertions_and_not_the_agent(run_program):
    ended = run_program("before", entry="tinycrew_agentassert:Missing")

    assert ended.returncode == 1
    assert "AdapterError" in ended.stderr
    assert "has no attribute 'Missing'" in ended.stderr
