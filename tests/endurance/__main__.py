"""An hour's worth of captures, and crowds of threads and tasks, in one process: nothing grows, and nothing is lost, doubled or misplaced.

A script of its own, because it is to run for as long as one likes: `python -m tests.endurance --seconds 60`; with the captures of an hour
of testing, about 100,000, `python -m tests.endurance --pieces 50000`: each piece of work has two or more. What it draws depends on `--seed` alone.
"""

from __future__ import annotations

import argparse
import functools
import gc
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import attrs

from tests.adapters.kits import Kit, installed_kits, tolerate
from tests.endurance import frameworks, work
from tests.endurance.crowd import Sizes, run_crowd, switching_often
from tests.endurance.growth import ROUNDS, Growth, Work, allocated_by, growth_of, held, remember_less
from tests.endurance.hammer import hammer

LEAST_PIECES = 20
SAMPLE_S = 0.5


@attrs.define
class Told:
    """What went wrong so far, and how much was done."""

    wrong: int = 0
    pieces: int = 0

    def say(self, text: str, complaints: list[str]) -> None:
        """Print a line, and those that say what is wrong."""
        sys.stdout.write("".join(f"{line}\n" for line in (text, *(f"    {one}" for one in complaints[:20]))))
        sys.stdout.flush()
        self.wrong += len(complaints)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for how long, about; half of it is for growth")
    parser.add_argument("--pieces", type=int, help="how many pieces of work to do for growth, whatever time that takes")
    parser.add_argument("--threads", type=int, default=64, help="how many of a crowd")
    parser.add_argument("--tasks", type=int, help="how many of a crowd: as many as the time allows, or 1,000 with --pieces")
    parser.add_argument("--seed", type=int, default=0, help="of the first crowd; the others follow")
    parser.add_argument("--only", choices=("growth", "crowds", "recorder"), help="one of the parts")
    parser.add_argument("--kind", default="", help="of the work that is to grow nothing, that whose name contains this alone")
    options = parser.parse_args()
    logging.disable()
    warnings.simplefilter("ignore")  # what agents under test leave behind is warned of, again and again
    kits = [kit for kit in installed_kits() if kit.random_run is not None]
    tolerate(*kits)
    told, started = Told(), time.monotonic()
    if options.only in (None, "growth"):
        _growth(told, kits, options.seconds / 2, options.pieces, options.kind)
    if options.only in (None, "recorder"):
        _recorder(told, options.seed, options.threads, options.seconds / 10)
    if options.only in (None, "crowds"):
        tasks = options.tasks or (1_000 if options.pieces else 40)
        _crowds(told, options.seed, kits, Sizes(options.threads, tasks), started + options.seconds)
    sys.stdout.write(f"{told.pieces:,} pieces of work, {time.monotonic() - started:.0f} s, {told.wrong} wrong\n")
    return 1 if told.wrong else 0


def _growth(told: Told, kits: list[Kit], seconds: float, pieces: int | None, kind: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        works = [one for one in _works(kits, Path(folder)) if kind in one[0]]
        begun = held()
        for name, one, control in works:
            often = max(pieces // len(works) // (ROUNDS + 1), 1) if pieces else _often(one, seconds / len(works))
            grown = growth_of(one, often)
            told.pieces += often * (ROUNDS + 1)
            complaints = _beyond(grown, control, often)
            if complaints:
                complaints += allocated_by(one, LEAST_PIECES)
            told.say(f"{name}: {often * (ROUNDS + 1):,} times, {grown.memory / 1024:+,.0f} KiB of memory in all", complaints)
        ended = held()
        told.say(
            f"memory of the process: {begun.memory / 2**20:.0f} MiB after warming up, {ended.memory / 2**20:.0f} MiB in the end",
            [],
        )


def _works(kits: list[Kit], folder: Path) -> Iterator[tuple[str, Work, Work | None]]:
    """All kinds of work that are possible here, each with the same without this library where that keeps something by itself."""
    for name, one in work.pieces(folder).items():
        one(0)
        yield name, one, None
    for kit in kits:
        frameworks.anew(kit, 0)
        remember_less()
        for name, one in frameworks.pieces(kit).items():
            control = frameworks.CONTROLS.get(name)
            yield f"{kit.title}, {name}", functools.partial(one, kit), control and functools.partial(control, kit)


def _often(one: Work, seconds: float) -> int:
    """How often a piece of work can be done in each round, so that all of them take so many seconds."""
    started, done = time.monotonic(), 0
    while time.monotonic() - started < min(SAMPLE_S, seconds / 10):
        one(done)
        done += 1
    each = (time.monotonic() - started) / done
    return max(LEAST_PIECES, int(seconds / each / (ROUNDS + 1)))


def _beyond(grown: Growth, control: Work | None, often: int) -> list[str]:
    """What has grown; where the framework itself keeps something, what has grown beyond that."""
    if not grown.complaints or control is None:
        return grown.complaints
    return grown.without(growth_of(control, often)).complaints


def _recorder(told: Told, seed: int, threads: int, seconds: float) -> None:
    end, number = time.monotonic() + seconds, seed
    while number == seed or time.monotonic() < end:
        with switching_often():
            hammered = hammer(number, threads, 3)
        told.say(f"hand-written agents in {threads} threads, {hammered}", hammered.wrong)
        number += 1


def _crowds(told: Told, seed: int, kits: list[Kit], sizes: Sizes, end: float) -> None:
    for group in ("frameworks", "loops", "clients"):
        number = seed
        members = [kit for kit in kits if kit.random_run == group]
        share = end if group == "clients" else (time.monotonic() + end) / 2
        # Those that open a connection for each agent are fewer at once, or they would run into limits of their own.
        fewer = sizes if group == "frameworks" else Sizes(sizes.threads // 8, sizes.tasks // 8, sizes.agents_per_thread)
        while members and (number == seed or time.monotonic() < share):
            crowd = run_crowd(number, members, fewer)
            told.say(f"{group} in {fewer.threads} threads and {fewer.tasks} tasks, {crowd}", crowd.wrong)
            number += 1
            gc.collect()


if __name__ == "__main__":
    sys.exit(main())
