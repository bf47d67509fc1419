"""Programs that write spans by hand, as the tests of the adapter need them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Tracer


def agent(name: str = "support") -> dict[str, Any]:
    """The attributes of an agent's span."""
    return {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}


def tool(name: str = "search", **arguments: Any) -> dict[str, Any]:
    """The attributes of a tool's span."""
    told = {"gen_ai.tool.call.arguments": json.dumps(arguments)}
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, **told}


def chat(model: str = "m-1", tokens: tuple[int, int] = (9, 4)) -> dict[str, Any]:
    """The attributes of a chat call's span."""
    usage = {"gen_ai.usage.input_tokens": tokens[0], "gen_ai.usage.output_tokens": tokens[1]}
    return {"gen_ai.operation.name": "chat", "gen_ai.request.model": model, **usage}


def run(tracer: Tracer, work: Callable[[], object] = list, *, name: str = "support") -> None:
    """An agent that calls a model and runs a tool, which does some work."""
    with tracer.start_as_current_span(f"invoke_agent {name}", attributes=agent(name)):
        with tracer.start_as_current_span("chat m-1", attributes=chat()):
            pass
        with tracer.start_as_current_span("execute_tool search", attributes=tool(q="kettle")) as span:
            work()
            span.set_attribute("gen_ai.tool.call.result", '["K-1"]')


def exporting(**options: Any) -> tuple[TracerProvider, InMemorySpanExporter]:
    """A provider of a user who looks at the spans."""
    provider, spans = TracerProvider(**options), InMemorySpanExporter()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return provider, spans


def shape(span: ReadableSpan) -> tuple[Any, ...]:
    """What is exported of a span, but for ids and times."""
    return span.name, dict(span.attributes or {}), span.status.status_code, len(span.events), len(span.links), span.parent is None
