"""Runs in a contestant's environment: does the work that it is asked for on its standard input, one line each, and answers how long
it computed. It is the same process from cell to cell, so that nobody pays for imports twice.

    python -P worker.py FILE    where FILE is a module with cells
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent
OVER_CAP: Final = 42
"""How a process ends that was asked for more than the cap allows."""
ENOUGH: Final = 0.05
"""Seconds after which nothing is repeated for the sake of the clock."""
ONCE: Final = 1.0
"""Seconds from which the first run counts, warm or not."""

Runs = Callable[[int], float]
"""Does the work so many times and returns the seconds that it took."""


def timed(make: Callable[[], Any], work: Callable[[Any], Any]) -> Runs:
    """Do `work` on things that are made beforehand, one for each time; whoever says no has not done it."""

    def runs(count: int) -> float:
        subjects = [make() for _ in range(count)]
        began = time.process_time()
        for subject in subjects:
            verdict = work(subject)
        seconds = time.process_time() - began
        if not verdict:
            raise RuntimeError(f"expected to pass, but said {verdict!r}")
        return seconds

    return runs


@dataclass
class Cells:
    """The cells of a module; what one has prepared is kept until another size is asked for."""

    cells: Mapping[str, Callable[[int], Runs]]
    _size: int = 0
    _prepared: dict[str, Runs] = field(default_factory=dict)

    def answer(self, cell: str, size: int, cap: float) -> dict[str, float]:
        """How long a cell takes for one time."""
        if size != self._size:
            self._prepared, self._size = {}, size
        runs = self._prepared.get(cell)
        if runs is None:
            runs = self._prepared[cell] = self.cells[cell](size)
        gc.collect()
        gc.freeze()
        try:
            return {"seconds": _seconds(runs, cap)}
        finally:
            gc.unfreeze()


def _seconds(runs: Runs, cap: float) -> float:
    with _ended_after(cap):
        first = runs(1)
        if first >= ONCE:
            return first
        count = max(1, min(1_000, int(ENOUGH / max(first, 1e-7))))
        return runs(count) / count


@contextlib.contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End this process when it computes for longer, from beside: a timer of the system would make the clock as coarse as itself."""
    over = threading.Event()
    limit = time.process_time() + seconds

    def watch() -> None:
        while not over.wait(0.25):
            if time.process_time() > limit:
                os._exit(OVER_CAP)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()


def load(file: str) -> dict[str, Callable[[int], Runs]]:
    """The cells of a module, without a package around them: what is around them is not for this environment."""
    spec = importlib.util.spec_from_file_location(f"cells_{Path(file).stem}", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CELLS


def main(file: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a contestant prints is no answer
    sys.path.append(str(FOLDER))
    sys.modules["worker"] = sys.modules["__main__"]
    cells = Cells(load(file))
    for line in sys.stdin:
        print(json.dumps(cells.answer(**json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
