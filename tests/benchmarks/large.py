"""Captures of a hundred thousand executions: every step of their way, each check beside a loop, and what a failure takes to say."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert import AgentAssertionError, Capture, Outcome, ToolExecution, assert_that, execution_of, result_of
from tests.benchmarks.asserting import TOOLS, executions_of
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of

LONGEST: Final = 20_000
"""Characters of a failure message, however much was recorded."""


@attrs.frozen
class Assertion:
    """One assertion on the executions that are numbered from 0, in turn of each tool.

    Args:
        method: of the chain.
        arguments: that it is given.
        loop: what somebody would write by hand; `None` where the assertion is to fail.
        most: how many times as long it may take.
    """

    method: str
    arguments: Sequence[Any]
    loop: Callable[[Sequence[ToolExecution]], Any] | None = None
    most: float = 3


def measure(*, quick: bool) -> Iterator[Measurement]:
    executions, rounds = (10_000, 3) if quick else (100_000, 5)
    yield from _every_step(executions, rounds=1 if quick else 3)
    fresh = executions_of([TOOLS[number % 10] for number in range(executions)])
    for name, assertion in _passing(executions).items():
        yield _beside_a_loop(name, assertion, fresh, rounds)
    for name, assertion in _failing(executions).items():
        yield _told(name, assertion, fresh, rounds)


def _every_step(executions: int, rounds: int) -> Iterator[Measurement]:
    steps: dict[str, tuple[list[float], list[float]]] = {}

    def walked(count: int, few: bool) -> float:
        with tempfile.TemporaryDirectory() as folder:
            seconds = dict(_walk(count, Path(folder) / "capture.json"))
        for step, one in seconds.items():
            steps.setdefault(step, ([], []))[few].append(one)
        return sum(seconds.values())

    measured = rounds_of(lambda: walked(executions, few=False), lambda: walked(executions // 10, few=True), rounds=rounds)
    note = f"{fastest(measured) * 1e3:,.0f} ms"
    what = f"{executions:,} executions captured, asserted, saved and loaded, against {executions // 10:,}"
    yield Measurement(what=what, value=ratio(measured), goal=12, note=note)
    for step, (many, few) in steps.items():
        # Steps that take next to no time for few say little by their ratio: it is shown, and the sum of all is what is checked.
        note = f"{min(many) * 1e3:,.1f} ms"
        yield Measurement(what=f"  {step}", value=min(many) / max(min(few), 1e-9), goal=15, tolerance=math.inf, note=note)


def _walk(executions: int, path: Path) -> Iterator[tuple[str, float]]:
    from tests.benchmarks.recording import record_executions

    cap, seconds = record_executions(executions)
    yield "captured", seconds
    yield "built", seconds_of(lambda: cap.invocation)
    chain = assert_that(cap)
    yield (
        "asserted",
        seconds_of(lambda: chain.has_tool_executed_times("search_ferries", executions).has_no_more_tool_executions()),
    )
    yield "saved", seconds_of(lambda: cap.save(path))
    loaded: list[Capture] = []
    yield "loaded", seconds_of(lambda: loaded.append(Capture.load(path)))
    yield "asserted again", seconds_of(lambda: assert_that(loaded[0]).has_tool_executed_times("search_ferries", executions))


def _passing(executions: int) -> Mapping[str, Assertion]:
    names = [TOOLS[number % 10] for number in range(executions)]
    patterns = [execution_of(name, {"number": number}) for number, name in enumerate(names)]
    tenth, last = executions // 10, executions - 1
    return {
        "has_tool_executed_times_at_least": Assertion(
            "has_tool_executed_times_at_least", ("tool_3", tenth), lambda ran: sum(_is(one, "tool_3") for one in ran)
        ),
        "has_tool_executed_with_exactly": Assertion(
            "has_tool_executed_with_exactly",
            ("tool_9", {"number": last, "port": "Oslo"}),
            lambda ran: [one for one in ran if _is(one, "tool_9") and one.arguments == {"number": last, "port": "Oslo"}],
        ),
        "has_tool_executed_with a predicate": Assertion(
            "has_tool_executed_with",
            ("tool_9", lambda given: given["number"] == last),
            lambda ran: [one for one in ran if _is(one, "tool_9") and dict(one.arguments or {})["number"] == last],
            most=15,  # each candidate has its own hard mode, books and copy of the arguments, lest a callback be believed too easily
        ),
        "has_no_tool_executions of a name": Assertion(
            "has_no_tool_executions", ("delete",), lambda ran: [one for one in ran if one.name == "delete"]
        ),
        "has_tools_executed_exactly_in_order, names": Assertion(
            "has_tools_executed_exactly_in_order", names, lambda ran: [one.name for one in ran if _ended_well(one)] == names
        ),
        "has_tools_executed_exactly_in_order, patterns": Assertion(
            "has_tools_executed_exactly_in_order",
            patterns,
            lambda ran: all(_matches(one, names[number], number) for number, one in enumerate(ran)),
        ),
        "has_tools_executed_in_order, patterns": Assertion(
            "has_tools_executed_in_order",
            patterns,
            lambda ran: all(_matches(one, names[number], number) for number, one in enumerate(ran)),
        ),
        "has_tool_finished_before": Assertion(
            "has_tool_finished_before",
            ("tool_0", "tool_1"),
            lambda ran: (
                min(_end(one) for one in ran if _is(one, "tool_0")) < min(one.started_order for one in ran if _is(one, "tool_1"))
            ),
        ),
    }


def _failing(executions: int) -> Mapping[str, Assertion]:
    names = [TOOLS[number % 10] for number in range(executions)]
    patterns = [execution_of(name, {"number": number}) for number, name in enumerate(names)]
    others = [execution_of(name, {"number": -1 - number}) for number, name in enumerate(names)]
    given = {
        "has_tool_executed of an unknown name": ("has_tool_executed", ("tool",)),
        "has_tool_executed_times": ("has_tool_executed_times", ("tool_3", 1)),
        "has_tool_executed_with": ("has_tool_executed_with", ("tool_3", {"number": -1})),
        "has_tool_executed_with a result": ("has_tool_executed_with", ("tool_3", {"number": result_of("tool_2")})),
        "has_no_tool_executions": ("has_no_tool_executions", ()),
        "has_no_more_tool_executions": ("has_no_more_tool_executions", ()),
        "has_tools_executed_in_order at the last of the names": ("has_tools_executed_in_order", (*names, "tool_0")),
        "has_tools_executed_in_order at the last of the patterns": ("has_tools_executed_in_order", (*patterns, "tool_0")),
        "has_tools_executed_exactly_in_order at the first": ("has_tools_executed_exactly_in_order", ("x", *patterns)),
        "has_tools_executed_exactly_in_any_order, one astray": ("has_tools_executed_exactly_in_any_order", (*patterns[1:], "x")),
        "has_tools_executed_exactly_in_any_order, none fits": ("has_tools_executed_exactly_in_any_order", others),
    }
    return {name: Assertion(method, arguments) for name, (method, arguments) in given.items()}


def _beside_a_loop(name: str, assertion: Assertion, fresh: Callable[[], Capture], rounds: int) -> Measurement:
    records, loop = fresh().invocation.tool_executions, assertion.loop
    if loop is None:
        raise ValueError(f"{name} has no loop to be measured beside")

    def asserted() -> float:
        cap = fresh()
        return seconds_of(lambda: getattr(assert_that(cap), assertion.method)(*assertion.arguments))

    measured = rounds_of(asserted, lambda: seconds_of(lambda: loop(records)), rounds=rounds)
    note = f"{fastest(measured) * 1e3:.1f} ms against {fastest(measured, 1) * 1e3:.1f} ms"
    return Measurement(what=f"{name} over {len(records):,}, beside a loop", value=ratio(measured), goal=assertion.most, note=note)


def _told(name: str, assertion: Assertion, fresh: Callable[[], Capture], rounds: int) -> Measurement:
    said: list[str] = []

    def asserted() -> None:
        try:
            getattr(assert_that(cap), assertion.method)(*assertion.arguments)
        except AgentAssertionError as error:
            said.append(str(error))

    seconds = []
    for _ in range(rounds):
        cap = fresh()
        seconds.append(seconds_of(asserted))
    if len(said) < rounds or len(said[-1]) > LONGEST:
        raise RuntimeError(
            f"{name}: {len(said)} of {rounds} failed, the last one with {len(said[-1]) if said else 0:,} characters"
        )
    note = f"{len(said[-1]):,} characters"
    return Measurement(what=f"a failing {name}", value=min(seconds) * 1e3, unit="ms", goal=1_000, note=note)


def _ended_well(execution: ToolExecution) -> bool:
    return execution.outcome is Outcome.SUCCEEDED


def _is(execution: ToolExecution, name: str) -> bool:
    return execution.name == name and execution.outcome is Outcome.SUCCEEDED


def _matches(execution: ToolExecution, name: str, number: int) -> bool:
    given = execution.arguments
    return _is(execution, name) and given is not None and given.get("number") == number


def _end(execution: ToolExecution) -> float:
    return math.inf if execution.ended_order is None else execution.ended_order
