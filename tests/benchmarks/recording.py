"""What a tool execution costs the agent that is recorded, and what its record costs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agentassert import Capture, capture, record
from tests.benchmarks.measuring import Measurement, fastest, ratio, rounds_of, seconds_of


def search_ferries(port: str, day: str, passengers: int) -> dict[str, Any]:
    return {"status": "ok", "ferries": 3, "port": port}


recorded_search = record.tool(search_ferries)


def measure(*, quick: bool) -> Iterator[Measurement]:
    yield from _beside_a_span(executions=1_000 if quick else 5_000, rounds=7 if quick else 15)
    yield _passed_through(calls=20_000 if quick else 200_000, rounds=5 if quick else 9)
    yield _linear(executions=2_000 if quick else 10_000, rounds=3)


def record_executions(count: int) -> tuple[Capture, float]:
    """So many executions in one invocation, and the seconds that the agent took for them."""
    with capture() as cap, record.invocation("clerk"):
        seconds = run_tool(recorded_search, count)
    return cap, seconds


def run_tool(tool: Any, count: int) -> float:
    day = "2026-01-02"
    numbers = iter(range(count))
    return seconds_of(lambda: tool("Oslo", day, passengers=next(numbers)), count)


def _beside_a_span(executions: int, rounds: int) -> Iterator[Measurement]:
    """What is compared is what either adds to the bare call."""
    built: list[float] = []

    def captured() -> float:
        cap, seconds = record_executions(executions)
        built.append(seconds + seconds_of(lambda: cap.invocation))
        return seconds

    measured = rounds_of(
        captured, lambda: spanned_executions(executions), lambda: run_tool(search_ferries, executions), rounds=rounds
    )
    while_running = [(events - bare, spans - bare) for events, spans, bare in measured]
    with_records = [(total - bare, spans - bare) for total, (_, spans, bare) in zip(built, measured, strict=True)]
    note = f"{fastest(while_running) / executions * 1e9:.0f} ns against {fastest(while_running, 1) / executions * 1e9:.0f} ns"
    what = "a captured execution against an OpenTelemetry span, while the agent runs"
    yield Measurement(what=what, value=ratio(while_running), goal=1 / 8, note=note)
    yield Measurement(what="the same with the frozen records built", value=ratio(with_records), goal=1 / 5)


def spanned_executions(count: int) -> float:
    """The same executions as spans with the same content, kept in memory as the capture keeps its events."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    tracer = provider.get_tracer("benchmark")

    def traced_search(port: str, day: str, passengers: int) -> dict[str, Any]:
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search_ferries",
            "gen_ai.tool.call.id": "call_1",
            "gen_ai.tool.call.arguments": json.dumps({"port": port, "day": day, "passengers": passengers}),
        }
        with tracer.start_as_current_span("execute_tool search_ferries", attributes=attributes) as span:
            result = search_ferries(port, day, passengers)
            span.set_attribute("gen_ai.tool.call.result", json.dumps(result))
        return result

    with tracer.start_as_current_span("invoke_agent clerk"):
        seconds = run_tool(traced_search, count)
    provider.shutdown()
    return seconds


def _passed_through(calls: int, rounds: int) -> Measurement:
    measured = rounds_of(lambda: run_tool(recorded_search, calls), lambda: run_tool(search_ferries, calls), rounds=rounds)
    difference = fastest(measured) - fastest(measured, 1)
    return Measurement(
        what="a decorated call without a capture, beyond the undecorated one",
        value=difference / calls * 1e9,
        unit="ns",
        goal=1000,
    )


def _linear(executions: int, rounds: int) -> Measurement:
    def captured_and_built(count: int) -> float:
        cap, seconds = record_executions(count)
        return seconds + seconds_of(lambda: cap.invocation)

    measured = rounds_of(lambda: captured_and_built(10 * executions), lambda: captured_and_built(executions), rounds=rounds)
    what = f"{10 * executions:,} executions captured and built against {executions:,}"
    return Measurement(what=what, value=ratio(measured), goal=12)
