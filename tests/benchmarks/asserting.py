"""What an assertion costs, beside a loop that somebody would write by hand over the same records."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
from deepdiff import DeepDiff

from agentassert import Capture, Outcome, ToolExecution, assert_that, capture, record
from agentassert.checks.arguments import compile_arguments
from agentassert.recording.building import Built
from agentassert.recording.recordings import Health
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of

TOOLS = tuple(f"tool_{number}" for number in range(10))


def measure(*, quick: bool) -> Iterator[Measurement]:
    yield from _beside_a_loop(executions=20_000 if quick else 100_000, rounds=3 if quick else 9)
    yield _indexed(few=1_000, many=20_000 if quick else 100_000, rounds=3 if quick else 9)
    yield _without_deepdiff(rounds=3 if quick else 9)


@attrs.frozen
class Read:
    """Records that are there already, for captures of which nothing was asserted yet."""

    kept: Built
    name: str | None = None
    error: BaseException | str | None = None
    is_open: bool = False

    def built(self) -> Built:
        return self.kept

    def health(self) -> Health:
        return Health()

    def visibility(self) -> Mapping[str, frozenset[str]]:
        return {"record": frozenset({"tool_failures", "requests"})}

    def decorated_tools(self) -> tuple[str, ...]:
        return ()


def executions_of(names: Sequence[str], arguments: Iterable[Mapping[str, Any]] | None = None) -> Callable[[], Capture]:
    """Record an execution for each name, without `arguments` no two alike; what is returned makes captures that hold them."""
    given = ({"number": number, "port": "Oslo"} for number in range(len(names))) if arguments is None else arguments
    with capture() as cap, record.invocation("clerk"):
        for name, one in zip(names, given, strict=True):
            record.tool_execution(name, one, result="ok")
    source = Read(Built(cap.invocations))
    return lambda: Capture(source)


def _beside_a_loop(executions: int, rounds: int) -> Iterator[Measurement]:
    names = [TOOLS[number % 10] for number in range(executions - 1)] + ["last"]
    fresh = executions_of(names)
    records = fresh().invocation.tool_executions
    last = {"number": executions - 1, "port": "Oslo"}
    wanted = (*TOOLS, "last")
    every = {one.id for one in records}

    def asserted(method: str, *arguments: Any, after: Sequence[str] = ()) -> Callable[[], float]:
        def contestant() -> float:
            cap = fresh()
            for name in after:
                assert_that(cap).has_tool_executed(name)
            return seconds_of(lambda: getattr(assert_that(cap), method)(*arguments))

        return contestant

    pairs: tuple[tuple[str, Callable[[], float], Callable[[], Any]], ...] = (
        (
            "has_tool_executed_times",
            asserted("has_tool_executed_times", "tool_0", executions // 10),
            lambda: len([one for one in records if one.name == "tool_0" and one.outcome is Outcome.SUCCEEDED]),
        ),
        (
            "has_tool_executed_with",
            asserted("has_tool_executed_with", "last", last),
            lambda: [one for one in records if _is(one, "last", last)],
        ),
        (
            "has_no_failed_tool_executions",
            asserted("has_no_failed_tool_executions"),
            lambda: [one for one in records if one.outcome is Outcome.FAILED],
        ),
        (
            "has_no_more_tool_executions",
            asserted("has_no_more_tool_executions", after=wanted),
            lambda: [one for one in records if one.id not in every],
        ),
        ("has_no_repeated_tool_executions", asserted("has_no_repeated_tool_executions"), lambda: _repeated(records)),
        ("has_tools_executed_in_order", asserted("has_tools_executed_in_order", *wanted), lambda: _ordered(records, wanted)),
    )
    for method, chain, loop in pairs:
        measured = rounds_of(chain, lambda loop=loop: seconds_of(loop), rounds=rounds)
        note = f"{fastest(measured) * 1e3:.1f} ms against {fastest(measured, 1) * 1e3:.1f} ms"
        yield Measurement(
            what=f"{method} over {executions:,}, the first assertion on them", value=ratio(measured), goal=3, note=note
        )


def _is(execution: ToolExecution, name: str, arguments: Mapping[str, Any]) -> bool:
    given = execution.arguments
    return (
        execution.name == name
        and execution.outcome is Outcome.SUCCEEDED
        and given is not None
        and all(key in given and given[key] == value for key, value in arguments.items())
    )


def _repeated(records: Sequence[ToolExecution]) -> list[ToolExecution]:
    seen: set[tuple[str, str]] = set()
    repeated = []
    for one in records:
        key = one.name, json.dumps(one.arguments, sort_keys=True)
        if key in seen:
            repeated.append(one)
        seen.add(key)
    return repeated


def _ordered(records: Sequence[ToolExecution], names: Sequence[str]) -> bool:
    executed = iter([one.name for one in records if one.outcome is Outcome.SUCCEEDED])
    return all(name in executed for name in names)


def _indexed(few: int, many: int, rounds: int, repeat: int = 200) -> Measurement:
    def asked(others: int) -> Callable[[], float]:
        cap = executions_of(["wanted", *[TOOLS[number % 10] for number in range(others)]])()
        assert_that(cap).has_tool_executed("wanted")
        return lambda: seconds_of(lambda: assert_that(cap).has_tool_executed("wanted"), repeat)

    measured = rounds_of(asked(many), asked(few), rounds=rounds)
    note = f"{fastest(measured) / repeat * 1e6:.0f} µs each"
    what = f"has_tool_executed beside {many:,} other executions against {few:,}"
    return Measurement(what=what, value=ratio(measured), goal=1.5, note=note)


def _without_deepdiff(rounds: int, repeat: int = 50) -> Measurement:
    expected = {
        "customer": {"id": 7, "tags": ["gold", "north"]},
        "items": [{"sku": f"A-{number}", "count": 2} for number in range(5)],
    }
    actual = json.loads(json.dumps(expected))

    def matched() -> bool:
        return compile_arguments(expected).matches(actual)

    measured = rounds_of(
        lambda: seconds_of(matched, repeat), lambda: seconds_of(lambda: DeepDiff(expected, actual), repeat), rounds=rounds
    )
    note = f"{fastest(measured) / repeat * 1e6:.0f} µs against {fastest(measured, 1) / repeat * 1e6:.0f} µs"
    return Measurement(what="a comparison that holds against one by deepdiff", value=ratio(measured), goal=0.1, note=note)
