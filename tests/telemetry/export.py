"""Writes the files in `data`: runs of real frameworks with scripted models, each exported by several exporters.

    python -m tests.telemetry.export langchain|pydantic_ai|agent_framework|autogen|fastmcp|twice

Each run needs a process of its own, since instrumentation is installed for good. Of the files, `.otlp.jsonl` is what the SDK's OTLP
file exporter writes, which has the form of the collector's; `.otlp.json` is protobuf's own JSON, as some backends hand it out;
`.console.txt` is what `ConsoleSpanExporter` prints; `.phoenix.json` has the form in which Phoenix's REST interface hands out spans,
made from the same spans. Tracebacks are left out: they name places on a machine.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry import trace
from opentelemetry.exporter.otlp.json.file.trace_exporter import FileSpanExporter
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status

DATA = Path(__file__).parent / "data"
BOOKING = {"order": {"to": {"city": "Oslo"}}, "passengers": 2}


def get_booking(order: dict[str, Any], passengers: int) -> dict[str, Any]:
    """Look a booking up."""
    return {"city": order["to"]["city"], "passengers": passengers}


def cancel_booking(number: str) -> str:
    """Cancel a booking."""
    raise ValueError(f"no booking {number}")


def langchain(provider: TracerProvider) -> None:
    from openinference.instrumentation.langchain import LangChainInstrumentor

    LangChainInstrumentor().instrument(tracer_provider=provider)
    _run_langchain()


def twice(provider: TracerProvider) -> None:
    """LangChain with two instrumentations at once, which know nothing of each other."""
    from openinference.instrumentation.langchain import LangChainInstrumentor as OpenInference
    from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor as GenAI

    OpenInference().instrument(tracer_provider=provider)
    GenAI().instrument(tracer_provider=provider)
    _run_langchain()


def _run_langchain() -> None:
    from langchain.agents import create_agent
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import ToolException, tool

    from tests.scripted.langchain import ScriptedChatModel, asks_for, says

    class Atlas(BaseRetriever):
        def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
            return [Document("Oslo lies in Norway", metadata={"source": "atlas.md"})]

    @tool
    def look_up(place: str) -> str:
        """Look a place up."""
        return Atlas().invoke(place)[0].page_content

    guide = create_agent(
        ScriptedChatModel(asks_for(("look_up", {"place": "Oslo"}, "call_1")), says("In Norway.")), [look_up], name="guide"
    )

    @tool
    def ask_guide(question: str) -> str:
        """Ask a guide."""
        return guide.invoke({"messages": [("user", question)]})["messages"][-1].content

    def refuse(number: str) -> str:
        """Cancel a booking."""
        raise ToolException(f"no booking {number}")

    cancel = tool("cancel_booking")(refuse)
    cancel.handle_tool_error = True
    requests = (("get_booking", BOOKING, "call_1"), ("ask_guide", {"question": "Where is Oslo?"}, "call_2"))
    steps = (asks_for(*requests), asks_for(("cancel_booking", {"number": "MS-777"}, "call_3")), says("Nothing to cancel."))
    clerk = create_agent(ScriptedChatModel(*steps), [tool(get_booking), ask_guide, cancel], name="clerk")
    clerk.invoke({"messages": [("user", "Cancel my trip.")]})


def pydantic_ai(provider: TracerProvider) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.instrumented import InstrumentationSettings

    from tests.scripted.pydantic_ai import ScriptedModel, asks_for, own_loop, says

    Agent.instrument_all(InstrumentationSettings(tracer_provider=provider))
    requests = (("get_booking", BOOKING, "call_1"), ("cancel_booking", {"number": "MS-777"}, "call_2"))
    model = ScriptedModel(asks_for(*requests), says("never said"))
    clerk = Agent(model, name="clerk", instructions="Be kind.", tools=[get_booking, cancel_booking])
    with own_loop():
        try:
            clerk.run_sync("Cancel my trip.")
        except ValueError:
            return
    raise AssertionError("the run was to fail")


def agent_framework(provider: TracerProvider) -> None:
    from agent_framework import Agent, tool
    from agent_framework.observability import enable_sensitive_telemetry

    from tests.scripted.agent_framework import ScriptedClient, asks_for, says

    trace.set_tracer_provider(provider)
    enable_sensitive_telemetry()
    tools = [tool(one, approval_mode="never_require") for one in (get_booking, cancel_booking)]
    guide = Agent(ScriptedClient(says("In Norway.")), "Guide.", name="guide", description="Knows places.")
    requests = (("get_booking", BOOKING, "call_1"), ("cancel_booking", {"number": "MS-777"}, "call_2"))
    steps = (asks_for(*requests, ("ask_guide", {"task": "Where is Oslo?"}, "call_3")), says("Nothing to cancel."))
    clerk = Agent(ScriptedClient(*steps), "Be kind.", name="clerk", tools=[*tools, guide.as_tool(name="ask_guide")])
    asyncio.run(clerk.run("Cancel my trip."))


def autogen(provider: TracerProvider) -> None:
    from autogen_agentchat.agents import AssistantAgent

    from tests.scripted.autogen import ScriptedClient, asks_for, says

    trace.set_tracer_provider(provider)
    requests = (("get_booking", BOOKING, "call_1"), ("cancel_booking", {"number": "MS-777"}, "call_2"))
    client = ScriptedClient(asks_for(*requests), says("Nothing to cancel."))
    clerk = AssistantAgent("clerk", client, tools=[get_booking, cancel_booking], reflect_on_tool_use=True)
    asyncio.run(clerk.run(task="Cancel my trip."))


def fastmcp(provider: TracerProvider) -> None:
    from fastmcp import Client, FastMCP
    from fastmcp.exceptions import ToolError

    trace.set_tracer_provider(provider)
    server = FastMCP("desk")
    server.tool(get_booking)
    server.tool(cancel_booking)

    async def run() -> None:
        async with Client(server) as client:
            await client.call_tool("get_booking", BOOKING)
            try:
                await client.call_tool("cancel_booking", {"number": "MS-777"})
            except ToolError:
                return
        raise AssertionError("the tool was to fail")

    asyncio.run(run())


RUNS: dict[str, Callable[[TracerProvider], None]] = {
    run.__name__: run for run in (langchain, twice, pydantic_ai, agent_framework, autogen, fastmcp)
}


class _Cleaned(SpanExporter):
    """Passes spans on without tracebacks."""

    def __init__(self, exporters: Sequence[SpanExporter]) -> None:
        self._exporters = exporters

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        for exporter in self._exporters:
            exporter.export([_cleaned(span) for span in spans])
        return SpanExportResult.SUCCESS

    def shutdown(self) -> None:
        for exporter in self._exporters:
            exporter.shutdown()


def _cleaned(span: ReadableSpan) -> ReadableSpan:
    described = span.status.description
    events = [Event(event.name, _without_traceback(event.attributes), event.timestamp) for event in span.events]
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=span.attributes,
        events=events,
        links=span.links,
        kind=span.kind,
        status=span.status if described is None else Status(span.status.status_code, described.partition("Traceback")[0]),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _without_traceback(attributes: Any) -> dict[str, Any]:
    return {name: value for name, value in (attributes or {}).items() if name != "exception.stacktrace"}


def phoenix(span: ReadableSpan) -> dict[str, Any]:
    """A span as `GET /v1/projects/{project}/spans` of Phoenix hands it out."""
    shown = json.loads(span.to_json())
    kind = (span.attributes or {}).get("openinference.span.kind", "UNKNOWN")
    ids = {name: shown["context"][name].removeprefix("0x") for name in ("trace_id", "span_id")}
    return {
        "id": "",
        "name": span.name,
        "context": ids,
        "span_kind": kind,
        "parent_id": None if shown["parent_id"] is None else shown["parent_id"].removeprefix("0x"),
        "start_time": shown["start_time"].replace("Z", "+00:00"),
        "end_time": shown["end_time"].replace("Z", "+00:00"),
        "status_code": span.status.status_code.name,
        "status_message": span.status.description or "",
        "attributes": {name: value for name, value in shown["attributes"].items() if name != "openinference.span.kind"},
        "events": shown["events"],
    }


def main(name: str) -> None:
    """Run it and write its files."""
    os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"
    os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
    memory, printed, lines = InMemorySpanExporter(), io.StringIO(), io.StringIO()
    provider = TracerProvider(resource=Resource({"service.name": "desk"}), shutdown_on_exit=False)
    exporters = [memory, ConsoleSpanExporter(out=printed), FileSpanExporter(stream=lines)]
    provider.add_span_processor(SimpleSpanProcessor(_Cleaned(exporters)))
    RUNS[name](provider)
    spans = memory.get_finished_spans()
    (DATA / f"{name}.console.txt").write_text(printed.getvalue(), "utf-8")
    (DATA / f"{name}.otlp.jsonl").write_text(lines.getvalue(), "utf-8")
    (DATA / f"{name}.otlp.json").write_text(json.dumps(MessageToDict(encode_spans(spans))), "utf-8")
    (DATA / f"{name}.phoenix.json").write_text(
        json.dumps({"data": [phoenix(one) for one in spans], "next_cursor": None}), "utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1])
