"""What suites cost: loading them, and running them over an agent that answers at once, beside as many empty tests of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.measuring import Measurement, ratio, rounds_of

CASES = 2_000

_EMPTY = """
import pytest


@pytest.mark.parametrize("number", range({cases}))
def test_nothing(number):
    pass
"""

_AGENT = """
from agentassert import record


@record.tool
def look_up(number):
    return {"number": number, "status": "shipped"}


@record.agent
def support(payload):
    return look_up(payload["number"])
"""

_CASE = """
  - name: looks order {number} up
    payload: '{{"number": {number}}}'
    expected_result: output.number == {number} and status == "completed"
    expected_tool_calls:
      - look_up: params.number == {number} and invocations == 1
    expected_no_tool_calls: [cancel]
"""

_SETTINGS = """
[tool.agentassert.agents]
support = "shop_agents:support"
"""

_IMPORTS = """
import pathlib, time, pytest
import agentassert.suites.loading
"""

_LOAD = """
suites = agentassert.suites.loading.load_suites([pathlib.Path("tests").absolute()]).suites
assert [len(suite.cases) for suite in suites] == [{cases}]
"""

_RUN = """
import contextlib, io, pytest
with contextlib.redirect_stdout(io.StringIO()) as said:
    assert pytest.main({arguments!r}) == 0, said.getvalue()
assert "{cases} passed" in said.getvalue(), said.getvalue()
"""


def measure(*, quick: bool) -> Iterator[Measurement]:
    cases = CASES // 5 if quick else CASES
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder), cases)
        load = _LOAD.format(cases=cases)
        run_suites = _run(["-p", "agentassert.pytest_plugin", "tests"], cases)
        run_empty = _run(["-p", "no:agentassert", "test_empty.py"], cases)
        contestants = [lambda code=code: _seconds(code, project) for code in (run_empty, load, run_suites)]
        measured = rounds_of(*contestants, rounds=3 if quick else 7)
    yield Measurement(what=f"loading a suite of {cases:,} cases beside as many empty tests", value=ratio(measured, 1), goal=0.5)
    yield Measurement(what=f"running a suite of {cases:,} cases beside as many empty tests", value=ratio(measured, 2), goal=3)


def _project(folder: Path, cases: int) -> Path:
    (folder / "tests").mkdir()
    (folder / "pyproject.toml").write_text(_SETTINGS, "utf-8")
    (folder / "shop_agents.py").write_text(_AGENT, "utf-8")
    (folder / "test_empty.py").write_text(_EMPTY.format(cases=cases), "utf-8")
    written = "".join(_CASE.format(number=number) for number in range(cases))
    (folder / "tests" / "support.yaml").write_text(f"tests:{written}", "utf-8")
    return folder


def _run(arguments: Sequence[str], cases: int) -> str:
    return _RUN.format(arguments=["-q", "-p", "no:cacheprovider", *arguments], cases=cases)


def _seconds(code: str, project: Path) -> float:
    """How long a fresh process computes for this, once everything is imported: each case pays for itself, and none for that."""
    timed = f"{_IMPORTS}\nbegan = time.process_time()\n{code}\nprint(time.process_time() - began)"
    environment = {**os.environ, "PYTHONPATH": sys.path[0], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", timed], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    if printed.returncode:
        raise RuntimeError(f"the benchmark failed:\n{printed.stdout}{printed.stderr}")
    return float(printed.stdout.split()[-1])
