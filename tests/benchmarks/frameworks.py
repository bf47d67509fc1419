"""What a capture adds to the run of a real agent; its model answers at once, so the share is the largest there can be."""

from __future__ import annotations

from collections.abc import Iterator

from agentassert import capture
from tests.adapters.kits import Ask, Kit, Request, Say, Tool, installed_kits
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of

ROUND_TRIPS = 8


def measure(*, quick: bool) -> Iterator[Measurement]:
    for kit in installed_kits():
        yield _of(kit, rounds=5 if quick else 21)


def look_up(number: int) -> str:
    """Look up a booking."""
    return f"booking {number}"


def _of(kit: Kit, rounds: int) -> Measurement:
    def run() -> float:
        asks = [Ask(Request("look_up", {"number": number}, f"call_{number}")) for number in range(ROUND_TRIPS)]
        agent = kit.agent(*asks, Say("done"), tools=[Tool(look_up)], name="clerk")
        return seconds_of(lambda: kit.run(agent))

    def captured() -> float:
        with capture() as cap:
            seconds = run()
        if len(cap.invocation.tool_executions) != ROUND_TRIPS:
            raise RuntimeError(f"expected {ROUND_TRIPS} tool executions, but recorded {cap.invocation.tool_executions}")
        return seconds

    captured()  # switches the adapter on, which happens once in a process
    measured = rounds_of(captured, run, rounds=rounds)
    added = (fastest(measured) - fastest(measured, 1)) / (2 * ROUND_TRIPS + 1) * 1e6
    return Measurement(
        what=f"an agent of {kit.title} with {ROUND_TRIPS} tool executions, captured against not captured",
        value=ratio(measured),
        goal=1.25,
        note=f"{added:.0f} µs for each model call and tool execution",
    )
