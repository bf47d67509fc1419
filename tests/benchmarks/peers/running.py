"""Lets contestants take turns, each in its environment; one that computes for longer than the cap is ended and out of the contest."""

from __future__ import annotations

import contextlib
import json
import math
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import attrs

from tests.benchmarks.peers.environments import Environments
from tests.benchmarks.peers.worker import OVER_CAP

FOLDER: Final = Path(__file__).parent
LONG: Final = 5.0
"""Seconds from which once is enough: what takes so long is no matter of noise."""

Turn = Callable[[], float]
"""Does its work once and returns the seconds that it computed.

Raises:
    OverCapError: when it would compute for longer than the cap.
"""


class OverCapError(Exception):
    """The work was ended, for it took longer than the cap."""


def take_turns(turns: Mapping[str, Turn], rounds: int) -> dict[str, list[float] | None]:
    """The seconds of each, round by round, and who comes first changes; `None` for one that would take longer than the cap."""
    order = list(turns)
    seconds: dict[str, list[float] | None] = {name: [] for name in order}
    for _ in range(rounds):
        for name in order:
            measured = seconds[name]
            if measured is None or sum(measured) >= LONG:
                continue
            try:
                measured.append(turns[name]())
            except OverCapError:
                seconds[name] = None
        order = order[1:] + order[:1]
    return seconds


@attrs.define
class Worker:
    """A process in an environment that does the work of a module with cells."""

    environments: Environments
    environment: str
    module: Path
    _process: subprocess.Popen[str] | None = None

    def seconds(self, cell: str, size: int, cap: float) -> float:
        """How long a cell takes."""
        process = self._process = self._process or self._start()
        question = json.dumps({"cell": cell, "size": size, "cap": cap})
        try:
            process.stdin.write(f"{question}\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if answer:
            return json.loads(answer)["seconds"]
        if self.stop() == OVER_CAP:
            raise OverCapError
        raise RuntimeError(
            f"the cell {cell!r} of {size:,} in the environment {self.environment!r} ended with {process.returncode}"
        )

    def stop(self) -> int | None:
        """End the process; what it says as it ends, if there was one."""
        process, self._process = self._process, None
        if process is None:
            return None
        with contextlib.suppress(BrokenPipeError), process:  # which closes its pipes, and waits
            pass
        return process.returncode

    def _start(self) -> subprocess.Popen[str]:
        command = [self.environments.python(self.environment), "-P", FOLDER / "worker.py", self.module]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.environments.folder,
            env=self.environments.variables(self.environment),
        )


@attrs.define
class Workers:
    """The workers of a contest, which end with it."""

    environments: Environments
    cap: float
    _by_module: dict[tuple[str, str], Worker] = attrs.field(factory=dict)

    def turn(self, environment: str, module: str, cell: str, size: int) -> Turn:
        """A turn of a worker that is started when it is needed; what is ours is never ended, for it is what is shown."""
        file = FOLDER / "cells" / f"{module}.py"
        worker = self._by_module.setdefault((environment, module), Worker(self.environments, environment, file))
        cap = math.inf if module == "ours" else self.cap
        return lambda: worker.seconds(cell, size, cap)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        for worker in self._by_module.values():
            worker.stop()


def whole_process(
    environments: Environments, environment: str, arguments: Iterable[str | Path], files: Mapping[str, str]
) -> Turn:
    """The processor's time of a fresh process, from the start of the interpreter to its end, in a folder with these files."""

    def turn() -> float:
        before = _children_seconds()
        fresh_process(environments, environment, arguments, files)
        return _children_seconds() - before

    return turn


def fresh_process(
    environments: Environments, environment: str, arguments: Iterable[str | Path], files: Mapping[str, str] | None = None
) -> str:
    """What a fresh process prints, in a folder of its own with these files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (files or {}).items():
            Path(folder, name).write_text(text, "utf-8")
        command = [str(environments.python(environment)), "-P", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=folder, env=environments.variables(environment), capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def _children_seconds() -> float:
    """What processes that have ended computed; on systems that do not tell, what a clock on the wall says."""
    try:
        import resource
    except ImportError:
        return time.perf_counter()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
