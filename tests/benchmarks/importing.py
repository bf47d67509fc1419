"""What the imports cost, in fresh interpreters."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from tests.benchmarks.measuring import Measurement, rounds_of

STATEMENTS = ("import agentassert", "from agentassert import assert_that, capture, record")
BESIDE = "import attrs"


def measure(*, quick: bool) -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as cache:
        # Byte code of its own: whoever forbids to write it next to the sources would measure the compiler.
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache, "PYTHONPATH": sys.path[0]}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        contestants = [lambda statement=statement: _seconds(statement, environment) for statement in (BESIDE, *STATEMENTS)]
        for contestant in contestants:
            contestant()
        measured = rounds_of(*contestants, rounds=5 if quick else 21)
    for index, statement in enumerate(STATEMENTS, 1):
        beyond = statistics.median(seconds[index] - seconds[0] for seconds in measured)
        yield Measurement(what=f"`{statement}` beyond `{BESIDE}`", value=beyond * 1e3, unit="ms", goal=30)


def _seconds(statement: str, environment: Mapping[str, str]) -> float:
    code = f"import time; began = time.process_time(); {statement}; print(time.process_time() - began)"
    printed = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    return float(printed)
