"""Frameworks over an SDK while tracing libraries write spans of both: what is recorded, as JSON.

    python -m tests.adapters.traced openinference,genai all|spans

Tracing libraries are installed for the life of a process. With `spans`, the adapters of the frameworks and SDKs are kept away, so that all
that is recorded comes out of the spans.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, Final

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agentassert import Capture, adapters, capture
from tests.adapters import test_layers as layers
from tests.scripted.loopback import serving

INSTRUMENTORS: Final = {
    "openinference": {
        "openinference.instrumentation.langchain": "LangChainInstrumentor",
        "openinference.instrumentation.openai_agents": "OpenAIAgentsInstrumentor",
        "openinference.instrumentation.openai": "OpenAIInstrumentor",
        "openinference.instrumentation.anthropic": "AnthropicInstrumentor",
    },
    "genai": {
        "opentelemetry.instrumentation.genai.langchain": "LangChainInstrumentor",
        "opentelemetry.instrumentation.genai.openai_agents": "OpenAIAgentsInstrumentor",
        "opentelemetry.instrumentation.genai.openai": "OpenAIInstrumentor",
    },
}
WITH_CONTENT: Final = {
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_ONLY",
}


def instrument(library: str, provider: TracerProvider) -> None:
    """Switch a tracing library on."""
    for module, name in INSTRUMENTORS[library].items():
        getattr(importlib.import_module(module), name)().instrument(tracer_provider=provider)


def keep_adapters_away() -> None:
    """Leave the adapter of spans alone."""
    for trigger in list(adapters._BUILT_IN):
        if trigger != "opentelemetry.sdk.trace":
            del adapters._BUILT_IN[trigger]


def recorded(cap: Capture) -> dict[str, Any]:
    """What a capture holds, in numbers and names."""
    every = [one for top in cap.invocations for one in top.with_nested()]
    calls = [call for one in every for call in one.model_calls]
    return {
        "calls": len(calls),
        "tokens": sum(call.token_usage.total_tokens or 0 for call in calls if call.token_usage),
        "executions": [(execution.name, execution.arguments) for one in every for execution in one.tool_executions],
        "doubts": cap.health.doubts,
    }


def run(framework: Any, way: str, spans: InMemorySpanExporter) -> dict[str, Any]:
    """Run a framework over an SDK once."""
    spans.clear()
    with serving(*layers.PAIRS[framework]()) as provider:
        agent = framework(provider.url)
        with capture() as cap:
            getattr(agent, way)()
    libraries = {span.instrumentation_scope.name.partition(".instrumentation.")[0] for span in spans.get_finished_spans()}
    return {**recorded(cap), "provider": [len(provider.requests), provider.tokens], "libraries": sorted(libraries)}


def main(libraries: str, which: str) -> None:
    """Write what is recorded of each framework."""
    os.environ |= WITH_CONTENT
    if which == "spans":
        keep_adapters_away()
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    for library in libraries.split(","):
        instrument(library, provider)
    found = {f"{one.__name__} {way}": run(one, way, spans) for one in layers.PAIRS for way in ("sync", "async_streaming")}
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
