"""What suites cost: loading them, and running them over an agent that answers at once, beside as many empty tests of pytest."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.benchmarks.measuring import Contestant, Measurement, ratio, rounds_of

CASES = 2_000

_EMPTY = """
import pytest


@pytest.mark.parametrize("number", range({cases}))
def test_nothing(number):
    pass
"""

_AGENT = """
import time

from agentassert import record


@record.tool
def look_up(number):
    return {"number": number, "status": "shipped"}


@record.agent
def support(payload):
    return look_up(payload["number"])


def patient(payload):
    time.sleep(0.01)
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
patient = "shop_agents:patient"
"""

_IMPORTS = """
import pathlib, time, pytest
import agentassert.suites.loading
"""

_LOAD = """
suite = agentassert.suites.loading.load_suite(pathlib.Path("tests/support.yaml").absolute(), pathlib.Path("tests").absolute())
assert len(suite.cases) == {cases}
"""

_RUN = """
import contextlib, io, pytest
with contextlib.redirect_stdout(io.StringIO()) as said:
    assert pytest.main({arguments!r}) == 0, said.getvalue()[-2000:]
assert "{cases} passed" in said.getvalue(), said.getvalue()[-2000:]
"""


def measure(*, quick: bool) -> Iterator[Measurement]:
    cases = CASES // 5 if quick else CASES
    with tempfile.TemporaryDirectory() as folder:
        project = _project(Path(folder), cases)
        load = _LOAD.format(cases=cases)
        run_suites = _run(["-p", "agentassert.pytest_plugin", "tests/support.yaml"], cases)
        run_empty = _run(["-p", "no:agentassert", "test_empty.py"], cases)
        contestants = [lambda code=code: _seconds(code, project) for code in (run_empty, load, run_suites)]
        measured = rounds_of(*contestants, rounds=3 if quick else 7)
        spread = rounds_of(*_one_process_and_two(project, cases), rounds=1 if quick else 3)
    yield Measurement(
        what=f"loading a suite of {cases:,} cases beside as many empty tests", value=ratio(measured, 1, 0), goal=0.5
    )
    yield Measurement(what=f"running a suite of {cases:,} cases beside as many empty tests", value=ratio(measured, 2, 0), goal=3)
    what = f"running {cases:,} cases of 10 ms each in two processes beside one, by the clock on the wall"
    yield Measurement(what=what, value=ratio(spread, 1, 0), goal=1)


def _one_process_and_two(project: Path, cases: int) -> list[Contestant]:
    given = ["-p", "agentassert.pytest_plugin", "tests/patient.yaml"]
    one, two = _run(given, cases), _run([*given, "-p", "xdist", "-n", "2"], cases)
    return [lambda code=code: _seconds(code, project, clock="perf_counter") for code in (one, two)]


def _project(folder: Path, cases: int) -> Path:
    (folder / "tests").mkdir()
    (folder / "pyproject.toml").write_text(_SETTINGS, "utf-8")
    (folder / "shop_agents.py").write_text(_AGENT, "utf-8")
    (folder / "test_empty.py").write_text(_EMPTY.format(cases=cases), "utf-8")
    written = "".join(_CASE.format(number=number) for number in range(cases))
    for agent in ("support", "patient"):
        (folder / "tests" / f"{agent}.yaml").write_text(f"tests:{written}", "utf-8")
    return folder


def _run(arguments: Sequence[str], cases: int) -> str:
    return _RUN.format(arguments=["-q", "-p", "no:cacheprovider", *arguments], cases=cases)


def _seconds(code: str, project: Path, clock: str = "process_time") -> float:
    """How long a fresh process computes for this, once everything is imported: each case pays for itself, and none for that."""
    timed = f"{_IMPORTS}\nbegan = time.{clock}()\n{code}\nprint(time.{clock}() - began)"
    environment = {**os.environ, "PYTHONPATH": sys.path[0], "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    printed = subprocess.run(
        [sys.executable, "-c", timed], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    if printed.returncode:
        raise RuntimeError(f"the benchmark failed:\n{printed.stdout}{printed.stderr}")
    return float(printed.stdout.split()[-1])
