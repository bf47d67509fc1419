"""What each adds to an agent that it watches: for a tool that it wraps itself, and for an agent of LangChain."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import StructuredTool
from langchain_core.tracers.context import collect_runs
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from worker import Runs

from agentassert import capture
from tests.benchmarks.measuring import seconds_of
from tests.benchmarks.recording import record_executions, run_tool, search_ferries, spanned_executions
from tests.scripted.langchain import ScriptedChatModel, asks_for, says


def _each(run: Callable[[int], float]) -> Callable[[int], Runs]:
    """Runs of `size` executions."""
    return lambda size: lambda count: sum(run(size) for _ in range(count))


def _look_up(number: int) -> str:
    """Look up a booking."""
    return f"booking {number}"


def _agent_run(size: int, watching: Callable[[], contextlib.AbstractContextManager[Any]], seen: Callable[[Any], int]) -> float:
    """An agent whose model asks for the tool so many times and answers at once; what is watched is counted, for nobody may look away."""
    asks = [asks_for(("look_up", {"number": number}, f"call_{number}")) for number in range(size)]
    agent = create_agent(
        ScriptedChatModel(*asks, says("done")), [StructuredTool.from_function(_look_up, name="look_up")], name="clerk"
    )
    with watching() as watcher:
        seconds = seconds_of(lambda: agent.invoke({"messages": [("user", "Look them up")]}, {"recursion_limit": 1_000}))
    if seen(watcher) != size:
        raise RuntimeError(f"expected to see {size} tool executions, but saw {seen(watcher)}")
    return seconds


def _bare(size: int) -> float:
    return _agent_run(size, contextlib.nullcontext, lambda _: size)


def _captured(size: int) -> float:
    return _agent_run(size, capture, lambda cap: len(cap.invocation.tool_executions))


def _collected(size: int) -> float:
    return _agent_run(size, collect_runs, lambda collected: sum(_tool_runs(run) for run in collected.traced_runs))


def _tool_runs(run: Any) -> int:
    return (run.run_type == "tool") + sum(map(_tool_runs, run.child_runs))


@contextlib.contextmanager
def _instrumented() -> Any:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    instrumentor = LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        yield exporter
    finally:
        instrumentor.uninstrument()


def _spans(size: int) -> float:
    kind = "openinference.span.kind"
    return _agent_run(
        size, _instrumented, lambda exporter: sum(span.attributes[kind] == "TOOL" for span in exporter.get_finished_spans())
    )


CELLS = {
    "tool, bare": _each(lambda size: run_tool(search_ferries, size)),
    "tool, agentassert": _each(lambda size: record_executions(size)[1]),
    "tool, opentelemetry": _each(spanned_executions),
    "agent, bare": _each(_bare),
    "agent, agentassert": _each(_captured),
    "agent, langchain": _each(_collected),
    "agent, openinference": _each(_spans),
}
