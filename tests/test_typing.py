"""Type checkers complete a chain, and refuse wrong arguments: each expected error in `tests/typing` must really be one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest


def test_mypy_knows_the_chains(project):
    command = [sys.executable, "-m", "mypy", "--strict", "--warn-unused-ignores", "--no-error-summary", "tests/typing"]
    checked = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)

    assert checked.stdout + checked.stderr == ""


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is installed for linting only")
def test_pyright_knows_the_chains(project):
    command = ["pyright", "--outputjson", "--pythonpath", sys.executable, "--project", "tests/typing"]
    checked = json.loads(subprocess.run(command, cwd=project, capture_output=True, text=True, check=False).stdout)

    assert [f"{one['range']['start']['line'] + 1}: {one['message']}" for one in checked["generalDiagnostics"]] == []
    assert checked["summary"]["filesAnalyzed"] == len(list((project / "tests" / "typing").glob("*.py")))
