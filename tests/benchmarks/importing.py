"""What the imports cost, and what the plugin costs a run of pytest that has no use for it, in fresh interpreters."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks.measuring import Measurement, rounds_of

STATEMENTS = ("import agentassert", "from agentassert import assert_that, capture, record")
BESIDE = "import attrs"
_TRIVIAL = "def test_nothing():\n    pass\n"
_PYTEST = "import pytest; said = pytest.main(['-q', '-p', 'no:cacheprovider', {options}{test!r}]); assert said == 0"


def measure(*, quick: bool) -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as cache:
        # Byte code of its own: whoever forbids to write it next to the sources would measure the compiler.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONPATH": sys.path[0]}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        contestants = [lambda statement=statement: _seconds(statement, environment) for statement in (BESIDE, *STATEMENTS)]
        for contestant in contestants:
            contestant()
        measured = rounds_of(*contestants, rounds=5 if quick else 21)
        taxed = _with_and_without_the_plugin(Path(cache), environment, rounds=5 if quick else 21)
    for index, statement in enumerate(STATEMENTS, 1):
        beyond = statistics.median(seconds[index] - seconds[0] for seconds in measured)
        yield Measurement(what=f"`{statement}` beyond `{BESIDE}`", value=beyond * 1e3, unit="ms", goal=30)
    tax = statistics.median(with_it - without for with_it, without in taxed)
    note = f"{statistics.median(without for _, without in taxed) * 1e3:.0f} ms without it"
    yield Measurement(what="the plugin in a run of one empty test", value=tax * 1e3, unit="ms", goal=20, note=note)


def _with_and_without_the_plugin(folder: Path, environment: Mapping[str, str], rounds: int) -> list[tuple[float, ...]]:
    """What each run computes, in turn. The plugin is named rather than found, which costs the same in an environment with or without it."""
    test = folder / "test_nothing.py"
    test.write_text(_TRIVIAL, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", "utf-8")
    alone = {**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    runs = [_PYTEST.format(options=options, test=str(test)) for options in ("'-p', 'agentassert.pytest_plugin', ", "")]
    contestants = [lambda run=run: _seconds(run, alone) for run in runs]
    for contestant in contestants:
        contestant()
    return rounds_of(*contestants, rounds=rounds)


def _seconds(statement: str, environment: Mapping[str, str]) -> float:
    code = f"import time; began = time.process_time(); {statement}; print(time.process_time() - began)"
    printed = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    return float(printed.split()[-1])
