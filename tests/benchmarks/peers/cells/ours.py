"""agentassert, and the loops that somebody would write by hand over the same records."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable
from typing import Any

from trajectories import Call, executed, shuffled
from worker import Runs, timed

from agentassert import Capture, Outcome, ToolExecution, assert_that, execution_of
from tests.benchmarks.asserting import executions_of


@functools.lru_cache(maxsize=1)  # for ourselves and the loop
def _fresh(size: int) -> Callable[[], Capture]:
    calls = executed(size)
    return executions_of([name for name, _ in calls], [arguments for _, arguments in calls])


def _asserted(check: Callable[[Any, list[Call]], Any]) -> Callable[[int], Runs]:
    """The first assertion on a capture, every time: it counts what the ones after it find done."""

    def prepare(size: int) -> Runs:
        in_order = executed(size)
        return timed(_fresh(size), lambda cap: check(assert_that(cap), in_order) is not None)

    return prepare


def _again(size: int) -> Runs:
    cap = _fresh(size)()
    assert_that(cap).has_tool_executed("last")
    return timed(lambda: cap, lambda cap: assert_that(cap).has_tool_executed("last") is not None)


def _names_in_any_order(size: int) -> Runs:
    listed = [name for name, _ in shuffled(size)]
    return timed(_fresh(size), lambda cap: assert_that(cap).has_tools_executed_exactly_in_any_order(*listed) is not None)


def _in_any_order(size: int) -> Runs:
    listed = shuffled(size)

    def check(cap: Capture) -> bool:
        patterns = [execution_of(name, arguments) for name, arguments in listed]
        return assert_that(cap).has_tools_executed_exactly_in_any_order(*patterns) is not None

    return timed(_fresh(size), check)


def _looped(check: Callable[[tuple[ToolExecution, ...], list[Call]], bool]) -> Callable[[int], Runs]:
    def prepare(size: int) -> Runs:
        records, listed = _fresh(size)().invocation.tool_executions, shuffled(size)
        in_order = executed(size)
        wanted = listed if check in {_as_many_names, _same_calls} else in_order
        return timed(lambda: records, lambda records: check(records, wanted))

    return prepare


def _has_last(records: tuple[ToolExecution, ...], _: list[Call]) -> bool:
    return any(one.name == "last" and one.outcome is Outcome.SUCCEEDED for one in records)


def _names(records: tuple[ToolExecution, ...]) -> list[str]:
    return [one.name for one in records if one.outcome is Outcome.SUCCEEDED]


def _same_names(records: tuple[ToolExecution, ...], calls: list[Call]) -> bool:
    return _names(records) == [name for name, _ in calls]


def _names_in_order(records: tuple[ToolExecution, ...], calls: list[Call]) -> bool:
    names = iter(_names(records))
    return all(name in names for name, _ in calls)


def _as_many_names(records: tuple[ToolExecution, ...], calls: list[Call]) -> bool:
    return Counter(_names(records)) == Counter(name for name, _ in calls)


def _same_calls(records: tuple[ToolExecution, ...], calls: list[Call]) -> bool:
    ran = Counter((one.name, json.dumps(one.arguments, sort_keys=True)) for one in records if one.outcome is Outcome.SUCCEEDED)
    return ran == Counter((name, json.dumps(arguments, sort_keys=True)) for name, arguments in calls)


CELLS = {
    "executed": _asserted(lambda chain, _: chain.has_tool_executed("last")),
    "executed, again": _again,
    "exactly in order": _asserted(lambda chain, calls: chain.has_tools_executed_exactly_in_order(*[name for name, _ in calls])),
    "in order": _asserted(lambda chain, calls: chain.has_tools_executed_in_order(*[name for name, _ in calls])),
    "in any order": _names_in_any_order,
    "in any order, with arguments": _in_any_order,
    "executed, by hand": _looped(_has_last),
    "exactly in order, by hand": _looped(_same_names),
    "in order, by hand": _looped(_names_in_order),
    "in any order, by hand": _looped(_as_many_names),
    "in any order, with arguments, by hand": _looped(_same_calls),
}
