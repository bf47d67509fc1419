"""Test an agent by its OpenTelemetry spans: while it runs, and again out of the file that an exporter wrote.

pip install -e ".[opentelemetry]" && python examples/opentelemetry_spans.py
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.trace import Tracer

from agentassert import AgentAssertionError, Capture, assert_that, capture

# An agent of a framework without an adapter: its instrumentation writes spans by the GenAI conventions. Nothing here knows that it will be tested.


def use(tracer: Tracer, tool: str, arguments: dict[str, str]) -> None:
    """What such an instrumentation writes of a tool."""
    with tracer.start_as_current_span(f"execute_tool {tool}") as span:
        span.set_attributes({"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool})
        span.set_attribute("gen_ai.tool.call.arguments", json.dumps(arguments))


def support_agent(tracer: Tracer, number: str) -> None:
    """Look a booking up, and cancel it."""
    with tracer.start_as_current_span("invoke_agent support_agent") as span:
        span.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "support_agent"})
        use(tracer, "get_booking", {"number": number})
        use(tracer, "cancel_booking", {"number": number})


def check(cap: Capture, number: str) -> None:
    """The same of a capture, wherever it comes from."""
    chain = (
        assert_that(cap)
        .has_tools_executed_in_order("get_booking", "cancel_booking")
        .has_tool_executed_with("cancel_booking", {"number": number})
        .has_no_more_tool_executions()
    )
    print(chain)


def main() -> None:
    """Assert on the spans as they are written, and on those in a file."""
    with tempfile.TemporaryDirectory() as folder:
        exported = Path(folder) / "spans.jsonl"
        with exported.open("w", encoding="utf-8") as file:
            provider = TracerProvider()
            provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=file)))
            with capture() as live:
                support_agent(provider.get_tracer("shop"), "MS-777")
        stored = Capture.from_otlp(exported)

    print("1. While it ran\n")
    check(live, "MS-777")

    print("\n2. Out of the file\n")
    check(stored, "MS-777")

    print("\n3. An assertion that fails, and what it says\n")
    try:
        assert_that(stored).has_tool_executed_with("cancel_booking", {"number": "MS-778"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
