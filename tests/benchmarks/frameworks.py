"""What a capture adds to the run of a real agent; its model answers at once, so the share is the largest there can be."""

from __future__ import annotations

from collections.abc import Iterator

from langchain.agents import create_agent

from agentassert import capture
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of
from tests.scripted.langchain import ScriptedChatModel, asks_for, says

ROUND_TRIPS = 10


def measure(*, quick: bool) -> Iterator[Measurement]:
    with capture():
        _run()  # switches the adapter on, which happens once in a process
    measured = rounds_of(_captured, _run, rounds=5 if quick else 21)
    added = (fastest(measured) - fastest(measured, 1)) / (2 * ROUND_TRIPS + 1) * 1e6
    yield Measurement(
        what=f"a LangGraph agent with {ROUND_TRIPS} tool executions, captured against not captured",
        value=ratio(measured),
        goal=1.25,
        note=f"{added:.0f} µs for each model call and tool execution",
    )


def _captured() -> float:
    with capture() as cap:
        seconds = _run()
    if len(cap.invocation.tool_executions) != ROUND_TRIPS:
        raise RuntimeError(f"expected {ROUND_TRIPS} tool executions, but recorded {cap.invocation.tool_executions}")
    return seconds


def _run() -> float:
    def look_up(number: int) -> str:
        """Look up a booking."""
        return f"booking {number}"

    requests = [asks_for(("look_up", {"number": number}, f"call_{number}")) for number in range(ROUND_TRIPS)]
    agent = create_agent(ScriptedChatModel(*requests, says("done")), [look_up], name="clerk")
    return seconds_of(lambda: agent.invoke({"messages": [("user", "Look up my bookings.")]}, {"recursion_limit": 100}))
