"""The adapter contract while tracing libraries are at work, which hook into the same frameworks.

    python -m tests.adapters.instrumented openinference|opentelemetry before|after

Each is installed for the life of a process: before this library hooks in, or after it.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from typing import Final

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agentassert import CaptureWarning, capture
from tests.adapters.contract import SCENARIOS, check
from tests.adapters.kits import Kit, installed_kits
from tests.adapters.scenarios import company

INSTRUMENTORS: Final = {
    "openinference": {
        "openinference.instrumentation.langchain": "LangChainInstrumentor",
        "openinference.instrumentation.openai_agents": "OpenAIAgentsInstrumentor",
    },
    "opentelemetry": {
        "opentelemetry.instrumentation.genai.langchain": "LangChainInstrumentor",
        "opentelemetry.instrumentation.genai.openai_agents": "OpenAIAgentsInstrumentor",
    },
}
TITLES: Final = ("LangChain and LangGraph", "OpenAI Agents SDK", "Pydantic AI")
"""The frameworks that these libraries trace, or that trace themselves, by what their kits are called."""

IN_PROCESSES_OF_THEIR_OWN: Final = (company.instrumentation_before_ours, company.hook_that_is_not_there)


def instrument(library: str, provider: TracerProvider) -> None:
    """Switch on a tracing library; Pydantic AI traces itself."""
    from pydantic_ai import Agent
    from pydantic_ai.models.instrumented import InstrumentationSettings

    for module, name in INSTRUMENTORS[library].items():
        getattr(importlib.import_module(module), name)().instrument(tracer_provider=provider)
    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))


def check_all(kit: Kit, spans: InMemorySpanExporter) -> None:
    """Hold a framework to the contract, and see that it was traced meanwhile."""
    spans.clear()
    for scenario in SCENARIOS:
        if scenario not in IN_PROCESSES_OF_THEIR_OWN:
            check(kit, scenario)
    assert len(spans.get_finished_spans()) > len(SCENARIOS), f"{kit.title} was not traced"


def main(library: str, when: str) -> None:
    """Hold every framework that is installed here to the contract."""
    warnings.simplefilter("error", CaptureWarning)
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    kits = [kit for kit in installed_kits() if kit.title in TITLES]
    if when == "after":
        with capture():
            pass
    instrument(library, provider)
    for kit in kits:
        check_all(kit, spans)
        sys.stdout.write(f"{kit.title}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
