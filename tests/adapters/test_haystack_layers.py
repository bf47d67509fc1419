"""Haystack over the OpenAI SDK, and over servers of MCP: each call and each execution once."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import sys

import pytest

pytest.importorskip("haystack")
pytest.importorskip("openai")

from haystack import Document, Pipeline
from haystack.components.agents import Agent
from haystack.components.embedders import OpenAIDocumentEmbedder, OpenAITextEmbedder
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.tools import create_tool_from_function
from haystack.utils import Secret

from agentassert import ChatModelCall, EmbeddingModelCall, Outcome, assert_that, capture
from tests.adapters.haystack_parts import agent, executed, said
from tests.scripted import openai_sdk
from tests.scripted.haystack import asks_for
from tests.scripted.loopback import serving

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
BOOKING = ("get_booking", {"number": "MS-777"})


@pytest.fixture(autouse=True)
def collected():
    """Haystack leaves the connections of its clients to the garbage collector."""
    yield
    gc.collect()


def get_booking(number: str) -> str:
    """Look a booking up."""
    return f"{number}: confirmed"


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def over(url, **options):
    """A generator that asks the provider at this address."""
    return {"api_key": Secret.from_token("k"), "api_base_url": f"{url}/v1", **options}


def sync(support):
    support.run(**said())


def asynchronous(support):
    asyncio.run(support.run_async(**said()))


def streaming(support):
    support.run(**said(), streaming_callback=lambda chunk: None)


def async_streaming(support):
    async def hear(chunk):
        pass

    asyncio.run(support.run_async(**said(), streaming_callback=hear))


@pytest.mark.parametrize("way", [sync, asynchronous, streaming, async_streaming])
def test_an_agent_over_the_openai_sdk_counts_every_call_execution_and_token_once(way):
    replies = openai_sdk.chat(None, BOOKING, usage=(20, 6)), openai_sdk.chat("Confirmed.", usage=(30, 3))
    with serving(*replies) as provider:
        model = (
            OpenAIChatGenerator(
                model="gpt-test", generation_kwargs={"stream_options": {"include_usage": True}}, **over(provider.url)
            )
            if "streaming" in way.__name__
            else OpenAIChatGenerator(model="gpt-test", **over(provider.url))
        )
        support = Agent(chat_generator=model, tools=[create_tool_from_function(get_booking)])
        with capture() as cap:
            way(support)

    invocation = cap.invocation
    calls = invocation.own_chat_model_calls
    assert len(provider.requests) == len(calls) == len(invocation.model_calls) == 2
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert not invocation.tool_executions[0].inferred
    assert [call.tools_offered for call in calls] == [("get_booking",), ("get_booking",)]
    assert_that(cap).has_total_tokens_at_most(59).has_tool_executed_with("get_booking", {"number": "MS-777"})
    assert sum(call.token_usage.total_tokens for call in calls) == provider.tokens == 59
    assert (calls[-1].response_text, calls[-1].model, type(calls[-1])) == ("Confirmed.", "gpt-test", ChatModelCall)
    assert cap.health.doubts == ()


def test_what_the_sdk_sends_again_is_an_attempt_at_the_generators_call():
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider:
        with capture() as cap:
            Agent(chat_generator=OpenAIChatGenerator(model="gpt-test", **over(provider.url))).run(**said())

    (call,) = cap.invocation.model_calls
    assert len(provider.requests) == call.attempts == 2
    assert (call.error, call.response_text, call.token_usage.total_tokens) == (None, "Confirmed.", 33)


def test_embeddings_are_seen_once():
    with serving(openai_sdk.embedding(4)) as provider:
        with capture() as cap:
            OpenAITextEmbedder(model="e", **over(provider.url)).run(text="berth")
            OpenAIDocumentEmbedder(model="e", progress_bar=False, **over(provider.url)).run(documents=[Document(content="cabin")])

    assert [(type(one), one.inputs) for one in cap.invocation.model_calls] == [
        (EmbeddingModelCall, ("berth",)),
        (EmbeddingModelCall, ("cabin",)),
    ]
    assert cap.invocation.model_calls[0].token_usage.total_tokens == 4


@pytest.mark.skipif(not has("haystack_integrations.tools.mcp"), reason="mcp-haystack is not installed here")
def test_tools_of_a_server_of_mcp_are_executed_once(project):
    from haystack_integrations.tools.mcp import MCPToolset, StdioServerInfo

    command = StdioServerInfo(command=sys.executable, args=["-m", "tests.scripted.mcp_server"], env={"PYTHONPATH": str(project)})
    toolset = MCPToolset(command, eager_connect=True, connection_timeout=60, invocation_timeout=60)
    asked = asks_for(("get_booking", {"number": "1"}, "c1"), ("fragile", {"x": 1}, "c2"))
    try:
        with capture(on_doubt="fail") as cap:
            sync(agent(asked, "done", tools=toolset))
            asynchronous(agent(asked, "done", tools=toolset))
    finally:
        toolset.close()

    assert len(cap.invocations) == 2
    for invocation in cap.invocations:
        assert executed(invocation) == [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]
        assert invocation.recorded_by == ("haystack",)
        assert_that(invocation).has_tool_executed_with_exactly("get_booking", {"number": "1"}).has_own_chat_model_call_count(2)


@pytest.mark.skipif(not has("openinference.instrumentation.haystack"), reason="its instrumentation is not installed here")
def test_the_spans_of_an_instrumentation_add_nothing():
    from openinference.instrumentation.haystack import HaystackInstrumentor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    written = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(written))
    HaystackInstrumentor().instrument(tracer_provider=provider)
    try:
        pipeline = Pipeline()
        pipeline.add_component("clerk", agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[get_booking]))
        with capture(on_doubt="fail") as cap:
            pipeline.run({"clerk": said()})
    finally:
        HaystackInstrumentor().uninstrument()

    assert {span.instrumentation_scope.name for span in written.get_finished_spans()} == {
        "openinference.instrumentation.haystack"
    }
    assert [(one.name, one.recorded_by) for one in cap.invocation.with_nested()] == [
        ("pipeline", ("haystack",)),
        ("clerk", ("haystack",)),
    ]
    assert_that(cap).including_nested().has_tools_executed_exactly_in_any_order("get_booking").has_model_call_count(
        ChatModelCall, 2
    )
