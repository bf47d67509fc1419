"""How the benchmarks measure, and what they say."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import attrs

TOLERANCE: Final = {"ratio": 1.25, "ns": 2.0, "ms": 4.0}
"""By what factor a goal may be missed before `--check` fails: shared machines are noisy, and times depend on the machine."""

Contestant = Callable[[], float]
"""Does its work once and returns the seconds that the part to be compared took."""


@attrs.frozen(kw_only=True)
class Measurement:
    """One number, and what it should be.

    Args:
        what: what was measured, and beside what.
        value: the number.
        unit: `ratio`, `ns` or `ms`.
        goal: the most that it should be; `None` where there is no promise.
        tolerance: by what factor the goal may be missed before `--check` fails, where that of its unit will not do.
        note: what else is worth knowing.
    """

    what: str
    value: float
    unit: str = attrs.field(default="ratio", validator=attrs.validators.in_(TOLERANCE))
    goal: float | None = None
    tolerance: float | None = None
    note: str = ""

    @property
    def acceptable(self) -> bool:
        """Whether the goal is met, or missed within its tolerance."""
        tolerance = TOLERANCE[self.unit] if self.tolerance is None else self.tolerance
        return self.goal is None or self.value <= self.goal * tolerance

    def line(self) -> str:
        """The measurement in words."""
        said = f"ratio {self.value:.3f}" if self.unit == "ratio" else f"{self.value:.1f} {self.unit}"
        if self.goal is not None:
            said += f" (goal at most {self.goal:g}) {'ok' if self.value <= self.goal else 'MISSED'}"
        return f"{self.what:<88} {said}{f'; {self.note}' if self.note else ''}"


def rounds_of(*contestants: Contestant, rounds: int) -> list[tuple[float, ...]]:
    """The seconds of each contestant, round by round; who comes first changes from round to round."""
    order = list(range(len(contestants)))
    measured = []
    with _undisturbed():
        for _ in range(rounds):
            seconds = {}
            for index in order:
                gc.collect()
                seconds[index] = contestants[index]()
            measured.append(tuple(seconds[index] for index in range(len(contestants))))
            order.append(order.pop(0))
    return measured


def ratio(rounds: Sequence[tuple[float, ...]], one: int = 0, other: int = 1) -> float:
    """The median of what one contestant took in proportion to the other."""
    return statistics.median(seconds[one] / seconds[other] for seconds in rounds)


def fastest(rounds: Sequence[tuple[float, ...]], one: int = 0) -> float:
    """The seconds of a contestant's fastest round."""
    return min(seconds[one] for seconds in rounds)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Keep what was there before, which belongs to none of the contestants, out of the collector's work."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def seconds_of(work: Callable[[], Any], repeat: int = 1) -> float:
    """How long this process computes to do `work` so many times; waiting for a processor that others use does not count."""
    began = time.process_time()
    for _ in range(repeat):
        work()
    return time.process_time() - began
