"""Thousands of patterns at once, in whichever order they are listed."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from agentassert import ToolExecution, assert_that, execution_of
from agentassert.patterns import ExecutionPattern
from tests.benchmarks.asserting import executions_of
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of

COUNT: Final = 10_000
MOST_RATIO: Final = {"has_tools_executed_in_order": 2, "has_tools_executed_exactly_in_any_order": 8}


def measure(*, quick: bool) -> Iterator[Measurement]:
    rounds = 3 if quick else 11
    names = [f"tool_{number % 10}" for number in range(COUNT)]
    different = [{"number": number, "port": "Oslo"} for number in range(COUNT)]
    patterns = [execution_of(name, arguments) for name, arguments in zip(names, different, strict=True)]
    fresh = executions_of(names)
    records = fresh().invocation.tool_executions
    method = "has_tools_executed_in_order"
    yield from _measured(method, "names", fresh, names, goal=10, rounds=rounds, records=records)
    yield from _measured(method, "patterns with arguments", fresh, patterns, goal=10, rounds=rounds, records=records)
    method = "has_tools_executed_exactly_in_any_order"
    shuffled = patterns.copy()
    random.Random(7).shuffle(shuffled)
    listings = {"the same order": patterns, "reversed": patterns[::-1], "shuffled": shuffled, "as names": names}
    for listed, expected in listings.items():
        yield from _measured(method, listed, fresh, expected, goal=100, rounds=rounds, records=records)
    identical = _capture_of([{"number": 1, "port": "Oslo"}] * COUNT)
    expected = [execution_of("search", {"number": 1})] * COUNT
    yield from _measured(
        method, "all identical", identical, expected, goal=100, rounds=rounds, records=identical().invocation.tool_executions
    )
    overlapping = _capture_of([{"number": number, "port": f"port {number % 100}"} for number in range(COUNT)])
    records = overlapping().invocation.tool_executions
    for listed, expected in _overlapping().items():
        yield from _measured(method, f"overlapping, {listed}", overlapping, expected, goal=100, rounds=rounds, records=records)


def _overlapping() -> dict[str, list[ExecutionPattern]]:
    """For every second execution the pattern that fits it alone, for the others one that fits any with its port."""
    strict = [execution_of("search", {"number": number}) for number in range(0, COUNT, 2)]
    loose = [execution_of("search", {"port": f"port {number % 100}"}) for number in range(1, COUNT, 2)]
    mixed = [pattern for pair in zip(loose, strict, strict=True) for pattern in pair]
    random.Random(7).shuffle(mixed)
    return {"strict patterns first": [*strict, *loose], "loose patterns first": [*loose, *strict], "shuffled": mixed}


def _capture_of(arguments: Sequence[dict[str, Any]]) -> Any:
    return executions_of(["search"] * len(arguments), arguments)


def _measured(
    method: str, listed: str, fresh: Any, expected: Sequence[Any], *, goal: float, rounds: int, records: Sequence[ToolExecution]
) -> Iterator[Measurement]:
    def asserted() -> float:
        cap = fresh()
        return seconds_of(lambda: getattr(assert_that(cap), method)(*expected))

    def compared() -> list[bool]:
        ran = sorted((one.name, sorted(one.arguments.items())) for one in records)
        return [one == other for one, other in zip(ran, sorted(ran), strict=True)]

    measured = rounds_of(asserted, lambda: seconds_of(compared), rounds=rounds)
    what = f"{method}, {COUNT:,} {listed}"
    # How long it takes depends on the machine, so that it is shown and the ratio is checked.
    yield Measurement(what=what, value=fastest(measured) * 1e3, unit="ms", goal=goal, tolerance=math.inf)
    yield Measurement(what="  the same against sorting and comparing the data", value=ratio(measured), goal=MOST_RATIO[method])
