"""Whether what is left behind grows with how often a piece of work is done.

A piece of work is done in rounds. What the process holds is counted after each of them, when all that can be collected is gone. What has
grown in every round is growth; what grew in the first one alone has been loaded or is a cache that is full now.
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

import attrs

Work: TypeAlias = Callable[[int], object]
"""Something to be done; it is told how often it was done before."""

ROUNDS = 3
LEAST_PER_PIECE = 0.05
"""Of what a piece of work may leave one in twenty times: threads and loops that end a little later, tables that are made larger."""
LEAST_PER_ROUND = 3
BLOCKS_PER_PIECE = 0.5
BLOCKS_PER_ROUND = 100
"""What comes and goes by chance, however often something is done."""


@attrs.frozen
class Held:
    """What a process holds.

    Args:
        objects: those that the garbage collector knows, by type.
        blocks: the blocks of memory that Python's allocator has given out, those of texts and numbers too, before all this was counted.
        blocks_counted: the same after that.
        memory: the bytes of the process that lie in the machine's memory; 0 where the system does not tell.
        files: open files and sockets; likewise.
        threads: those that run.
    """

    objects: Counter[str]
    blocks: int
    blocks_counted: int
    memory: int
    files: int
    threads: int


@attrs.frozen
class Growth:
    """What one piece of work left behind, on average, in the round in which that was least.

    Args:
        pieces: how often it was done in each round.
        types: of objects, by type.
        blocks: of memory.
        memory: bytes of the process, between the end of the first round and the end of the last one.
        files: open files and sockets.
        threads: threads.
    """

    pieces: int
    types: dict[str, float]
    blocks: float
    memory: int
    files: float
    threads: float

    def without(self, other: Growth) -> Growth:
        """What there is beyond another growth, of as many pieces."""
        return attrs.evolve(
            self,
            types={name: count - other.types.get(name, 0) for name, count in self.types.items()},
            blocks=self.blocks - other.blocks,
            files=self.files - other.files,
            threads=self.threads - other.threads,
        )

    @property
    def complaints(self) -> list[str]:
        """What has grown, a line each; nothing where all is flat."""
        least = max(LEAST_PER_PIECE, LEAST_PER_ROUND / self.pieces)
        told = [f"{count:.2f} of {name}" for name, count in sorted(self.types.items(), key=lambda one: -one[1]) if count > least]
        if self.blocks > max(BLOCKS_PER_PIECE, BLOCKS_PER_ROUND / self.pieces):
            told.append(f"{self.blocks:.2f} blocks of memory")
        told += [f"{self.files:.2f} open files"] if self.files > least else []
        told += [f"{self.threads:.2f} threads"] if self.threads > least else []
        return told


def remember_less(entries: int = 20) -> None:
    """Let the tables that tell what is late from what is unknown hold a few entries, so that they are full soon.

    They hold 1,000 or 10,000 runs and spans that are over, which would look like growth until as many are.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("agentassert.") and hasattr(module, "_REMEMBERED"):
            module._REMEMBERED = min(entries, module._REMEMBERED)
    for one in gc.get_objects():
        if str(type(one).__module__).startswith("agentassert.") and isinstance(getattr(one, "_remembered", None), int):
            one._remembered = min(entries, one._remembered)


def held() -> Held:
    """What this process holds, after all is collected that can be."""
    _settle()
    blocks, memory = sys.getallocatedblocks(), _memory()
    objects = Counter(f"{type(one).__module__}.{type(one).__qualname__}" for one in gc.get_objects())
    return Held(objects, blocks, sys.getallocatedblocks(), memory, _files(), threading.active_count())


def growth_of(work: Work, pieces: int, *, rounds: int = ROUNDS) -> Growth:
    """Do a piece of work so many times in each round, and in one before them, and tell what grew in all of them.

    Raises:
        ValueError: for less than two rounds or one piece.
    """
    if pieces < 1 or rounds < 2:
        raise ValueError(f"growth shows after 1 piece and 2 rounds at least, but there were to be {pieces} and {rounds}")
    done = 0
    counts: list[Held] = []
    for _ in range(rounds + 1):
        for _ in range(pieces):
            work(done)
            done += 1
        counts.append(held())
    return _between(counts, pieces)


def _between(counts: list[Held], pieces: int) -> Growth:
    pairs = list(itertools.pairwise(counts))

    def least(count: Callable[[Held], int], before: Callable[[Held], int] | None = None) -> float:
        return min(count(later) - (before or count)(earlier) for earlier, later in pairs) / pieces

    names = {name for one in counts for name in one.objects}
    return Growth(
        pieces=pieces,
        types={name: least(lambda one, name=name: one.objects[name]) for name in names},
        blocks=least(lambda one: one.blocks, lambda one: one.blocks_counted),
        memory=counts[-1].memory - counts[0].memory,
        files=least(lambda one: one.files),
        threads=least(lambda one: one.threads),
    )


def allocated_by(work: Work, pieces: int, most: int = 10) -> Iterator[str]:
    """The lines of code whose memory grew most while a piece of work was done so many times, after as many to warm up."""
    for number in range(pieces):
        work(number)
    with _tracing():
        for number in range(pieces):
            work(number)
        _settle()
        before = tracemalloc.take_snapshot()
        for number in range(pieces):
            work(number)
        _settle()
        after = tracemalloc.take_snapshot()
    for one in after.compare_to(before, "traceback")[:most]:
        if one.size_diff > 0:
            frames = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(one.traceback))
            yield f"{one.size_diff / pieces:+.1f} bytes and {one.count_diff / pieces:+.2f} blocks by {frames}"


@contextmanager
def _tracing() -> Iterator[None]:
    tracemalloc.start(6)
    try:
        yield
    finally:
        tracemalloc.stop()


def _settle() -> None:
    """Collect until nothing more goes, what caches hold that hold so much and no more included."""
    for name, module in list(sys.modules.items()):
        for one in vars(module).values() if name.startswith("agentassert.") else ():
            if callable(getattr(one, "cache_parameters", None)) and one.cache_parameters()["maxsize"] is not None:
                one.cache_clear()
    for _ in range(10):
        if gc.collect() == 0:
            return


def _memory() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _files() -> int:
    try:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:
        return 0
