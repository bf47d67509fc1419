"""What the figures come to: ratios within rounds, and the goals."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from tests.benchmarks.measuring import Measurement
from tests.benchmarks.peers.contests import BY_HAND, CHECKS, OURS, SIZES

Figures = Mapping[str, Any]
RIVALS: Final = "agentevals", "deepeval", "pydantic-evals"


def ratio(one: Sequence[float], other: Sequence[float]) -> float:
    """The median over the rounds that both took part in of what one took in proportion to the other."""
    return statistics.median(mine / theirs for mine, theirs in zip(one, other, strict=False))


def added(seconds: Mapping[str, Sequence[float]], name: str, bare: str) -> list[float]:
    """What a contestant adds to the bare work, round by round."""
    return [one - without for one, without in zip(seconds[name], seconds[bare], strict=False)]


def goals(figures: Figures) -> Iterator[Measurement]:
    """What was measured beside what is to be reached, as far as those who take part were there."""
    for part in (_first, _plugins, _suites, _events, _checks):
        yield from part(figures)


def _first(figures: Figures) -> Iterator[Measurement]:
    seconds = figures["first"]
    best = _fastest(seconds)
    if best and OURS in seconds:
        what = f"import and a first assertion beside {best}, the fastest of {', '.join(RIVALS)}"
        yield Measurement(what=what, value=ratio(seconds[OURS], seconds[best]), goal=0.1)


def _plugins(figures: Figures) -> Iterator[Measurement]:
    seconds = figures["plugins"]
    if {OURS, "pytest alone"} <= seconds.keys():
        value = (min(seconds[OURS]) - min(seconds["pytest alone"])) * 1e3
        yield Measurement(what="what the installed plugin adds to a run of pytest", value=value, unit="ms", goal=20)


def _suites(figures: Figures) -> Iterator[Measurement]:
    seconds = figures["suites"]["seconds"]
    if {OURS, "pytest"} <= seconds.keys():
        yield Measurement(what="a suite beside parametrised pytest", value=ratio(seconds[OURS], seconds["pytest"]), goal=3)


def _events(figures: Figures) -> Iterator[Measurement]:
    for what, beside, goal in (
        ("tool", "opentelemetry", 0.1),
        ("agent", "langchain", None),
        ("agent", "openinference", None),
    ):
        if seconds := figures["events"].get(what):
            value = ratio(added(seconds, OURS, "bare"), added(seconds, beside, "bare"))
            yield Measurement(what=f"what a capture adds to {_NAMES[what]} beside {_NAMES[beside]}", value=value, goal=goal)


_NAMES: Final = {
    "tool": "a tool execution",
    "agent": "an agent of LangChain",
    "opentelemetry": "a span of OpenTelemetry",
    "langchain": "LangChain's own tracer",
    "openinference": "OpenInference",
}


def _checks(figures: Figures) -> Iterator[Measurement]:
    for name, check in CHECKS.items():
        cells = figures["checks"].get(name, {})
        ours = cells.get(OURS, {})
        for size, seconds in ours.items():
            rivals = [name for name in check.contestants if name not in {OURS, BY_HAND}]
            peers = {name: cells[name][size] for name in rivals if cells.get(name, {}).get(size)}
            if best := _fastest(peers, peers):
                what = f"{check.title}, {int(size):,}: beside {best}"
                yield Measurement(what=what, value=ratio(seconds, peers[best]), goal=1)
        many, fewer = str(SIZES[-1]), str(SIZES[-2])
        if many in ours:
            yield Measurement(
                what=f"{check.title}, {SIZES[-1]:,}: beside a loop by hand", value=ratio(ours[many], cells[BY_HAND][many]), goal=3
            )
            what = f"{check.title}: {SIZES[-1]:,} beside {SIZES[-2]:,}"
            yield Measurement(what=what, value=ratio(ours[many], ours[fewer]), goal=12)


def _fastest(seconds: Mapping[str, Sequence[float]], among: Any = RIVALS) -> str | None:
    there = [name for name in among if name in seconds]
    return min(there, key=lambda name: statistics.median(seconds[name])) if there else None
