"""Agno over what it stands on: each call of a model and each execution once, with the adapters of those below at work, too."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import sys
from importlib.metadata import version

import pytest

pytest.importorskip("agno")

from agno.agent import Agent

from agentassert import Outcome, assert_that, capture
from tests.adapters.agno_parts import agent
from tests.adapters.scenarios.parts import arecording, executed, recording
from tests.scripted.agno import asks_for
from tests.scripted.loopback import serving

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

BOOKING = ("get_booking", {"number": "MS-777"})


@pytest.fixture(autouse=True)
def collected():
    """Agno leaves connections to the garbage collector, which is to warn here or nowhere."""
    yield
    gc.collect()


def get_booking(number: str) -> str:
    """Look a booking up."""
    return f"{number}: confirmed"


def openai_chat(url):
    pytest.importorskip("openai")
    from agno.models.openai import OpenAIChat

    return OpenAIChat(id="gpt-test", api_key="k", base_url=f"{url}/v1")


def openai_responses(url):
    pytest.importorskip("openai")
    from agno.models.openai import OpenAIResponses

    return OpenAIResponses(id="gpt-test", api_key="k", base_url=f"{url}/v1")


def anthropic(url):
    pytest.importorskip("anthropic")
    from agno.models.anthropic import Claude

    return Claude(id="claude-test", api_key="k", client_params={"base_url": url})


def replies_of(model):
    """Two replies: what asks for the tool, and the answer."""
    if model is anthropic:
        from tests.scripted import anthropic_sdk as sdk

        asked = sdk.message(sdk.tool_use(*BOOKING), usage=(20, 6))
        return asked, sdk.message(sdk.text("Confirmed."), usage=(30, 3))
    from tests.scripted import openai_sdk as sdk

    if model is openai_chat:
        return sdk.chat(None, BOOKING, usage=(20, 6)), sdk.chat("Confirmed.", usage=(30, 3))
    asked = sdk.response(sdk.function_call(*BOOKING), usage=(20, 6))
    return asked, sdk.response(sdk.message("Confirmed."), usage=(30, 3))


async def exhaust(stream):
    return [one async for one in stream]


WAYS = {
    "sync": lambda support: support.run("MS-777?"),
    "streaming": lambda support: list(support.run("MS-777?", stream=True)),
    "asynchronous": lambda support: asyncio.run(support.arun("MS-777?")),
    "async streaming": lambda support: asyncio.run(exhaust(support.arun("MS-777?", stream=True))),
}


PAIRS = [
    *((openai_chat, way) for way in WAYS),
    *((openai_responses, way) for way in ("asynchronous", "streaming")),
    *((anthropic, way) for way in ("sync", "async streaming")),
]


@pytest.mark.parametrize(("model", "way"), PAIRS)
def test_every_call_execution_and_token_counts_once(model, way):
    with serving(*replies_of(model)) as provider:
        support = Agent(name="support", model=model(provider.url), tools=[get_booking], telemetry=False)
        with recording() as cap:
            WAYS[way](support)

    calls = cap.invocation.own_chat_model_calls
    assert len(provider.requests) == len(calls) == len(cap.invocation.model_calls) == 2
    assert executed(cap.invocation) == [("get_booking", Outcome.SUCCEEDED)]
    assert not cap.invocation.tool_executions[0].inferred
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True]
    assert_that(cap).has_total_tokens_at_most(59).has_tool_executed_with("get_booking", {"number": "MS-777"})
    assert sum(one.token_usage.total_tokens for one in calls) == provider.tokens == 59
    assert calls[-1].response_text == "Confirmed."
    # Agno's own responses hold none; the SDK knows.
    assert_that(cap).has_finish_reason("stop")


def test_what_the_sdk_sends_again_is_an_attempt_at_the_frameworks_call():
    pytest.importorskip("openai")
    from tests.scripted import openai_sdk

    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider:
        support = Agent(name="support", model=openai_chat(provider.url), telemetry=False)
        with recording() as cap:
            support.run("MS-777?")

    (call,) = cap.invocation.model_calls
    assert len(provider.requests) == call.attempts == 2
    assert (call.error, call.response_text) == (None, "Confirmed.")


def test_the_tools_of_a_server_of_mcp(project):
    pytest.importorskip("mcp" if version("agno").startswith("2.") else "fastmcp")  # the client that Agno has of it
    from agno.tools.mcp import MCPTools
    from mcp import StdioServerParameters

    async def run():
        server = StdioServerParameters(command=sys.executable, args=["-m", "tests.scripted.mcp_server"], cwd=str(project))
        async with MCPTools(server_params=server, timeout_seconds=60) as tools, arecording() as cap:
            asked = asks_for(("get_booking", {"number": "1"}, "c1")), asks_for(("fragile", {"x": 1}, "c2"))
            await agent(*asked, "done", tools=[tools]).arun("hi")
        return cap

    cap = asyncio.run(run())
    assert executed(cap.invocation) == [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1", "c2"]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert "mcp" not in cap.invocation.recorded_by
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "1"}).has_own_chat_model_call_count(3)


@pytest.fixture
def traced():
    """Spans of what Agno does, as the instrumentation writes them that Agno's own `setup_tracing` uses."""
    module = pytest.importorskip("openinference.instrumentation.agno")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    importlib.import_module("agno.team")
    with contextlib.suppress(ImportError):  # it may lack what workflows need
        importlib.import_module("agno.workflow.workflow")
    with capture():
        pass  # ours first: when the instrumentation goes, it puts back what it found, and would take along what came on top of it
    spans, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    instrumentor = module.AgnoInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    yield spans
    instrumentor.uninstrument()


@pytest.mark.parametrize("way", ["sync", "async streaming"])
def test_what_is_traced_too_counts_once(traced, way):
    support = agent(asks_for((*BOOKING, "c1")), "Confirmed.", tools=[get_booking])
    with recording() as cap:
        WAYS[way](support)

    assert len(traced.get_finished_spans()) >= 2  # of the run and the tool
    assert [one.name for one in cap.invocation.with_nested()] == ["support"]
    assert executed(cap.invocation) == [("get_booking", Outcome.SUCCEEDED)]
    assert_that(cap).has_own_chat_model_call_count(2).has_total_tokens_at_most(28).output_text().is_equal_to("Confirmed.")
    assert cap.invocation.recorded_by == ("agno",)
