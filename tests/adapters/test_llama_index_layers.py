"""LlamaIndex over an SDK, and over servers of MCP: each request to a model and each execution of a tool once."""

from __future__ import annotations

import asyncio
import gc

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.base.llms.types import ChatMessage

from agentassert import ChatModelCall, Outcome, assert_that, capture
from tests.adapters.llama_index_parts import agent, executed, run
from tests.adapters.llama_index_warnings import quietly
from tests.adapters.scenarios.parts import arecording, only, recording
from tests.scripted import openai_sdk
from tests.scripted.llama_index import asks_for
from tests.scripted.loopback import serving

pytestmark = [
    *quietly,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

BOOKING = ("get_booking", {"number": "MS-777"})


@pytest.fixture(autouse=True)
def collected():
    """Connections are left to the garbage collector, which is to warn here or nowhere."""
    yield
    gc.collect()


def replies():
    return openai_sdk.chat(None, BOOKING, usage=(20, 6)), openai_sdk.chat("Confirmed.", usage=(30, 3))


def model_at(url):
    module = pytest.importorskip("llama_index.llms.openai")
    return module.OpenAI(
        model="gpt-4o", api_key="k", api_base=f"{url}/v1", additional_kwargs={"stream_options": {"include_usage": True}}
    )


def get_booking(number: str) -> str:
    """Look a booking up."""
    return f"{number}: confirmed"


@pytest.mark.parametrize("streaming", [False, True])
def test_over_openai_every_call_execution_and_token_counts_once(streaming):
    with serving(*replies()) as provider:
        support = agent(tools=[get_booking], streaming=streaming)
        support.llm = model_at(provider.url)
        if not streaming:
            support.llm.additional_kwargs = {}
        with recording() as cap:
            run(support, "MS-777?")

    calls = cap.invocation.own_chat_model_calls
    assert len(provider.requests) == len(calls) == len(cap.invocation.model_calls) == 2
    assert [type(one) for one in calls] == [ChatModelCall, ChatModelCall]
    assert [one.attempts for one in calls] == [1, 1]
    assert sum(one.token_usage.total_tokens for one in calls) == provider.tokens == 59
    assert [one.tools_offered for one in calls] == [("get_booking",)] * 2
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert [(one.name, one.answered) for one in cap.invocation.tool_execution_requests] == [("get_booking", True)]
    assert not only(cap.invocation.tool_executions).inferred
    assert calls[-1].response_text == "Confirmed."
    assert_that(cap).has_finish_reason("stop").has_total_tokens_at_most(59)


def test_what_openai_sends_again_is_an_attempt():
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider:
        model = model_at(provider.url)
        model.additional_kwargs = {}
        with recording() as cap:
            asyncio.run(model.achat([ChatMessage(role="user", content="hi")]))

    call = only(cap.invocation.model_calls)
    assert len(provider.requests) == 2
    assert (call.error, call.response_text, call.token_usage.total_tokens) == (None, "Confirmed.", 33)


REQUESTS = [("get_booking", {"number": "1"}, "c1"), ("fragile", {"x": 1}, "c2")]
ONCE = [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]


def is_complete(cap):
    assert executed(cap) == ONCE
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1", "c2"]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert "mcp" not in cap.invocation.recorded_by
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "1"}).has_own_chat_model_call_count(3)


def test_over_a_server_of_mcp_each_tool_is_one_execution():
    pytest.importorskip("mcp")
    module = pytest.importorskip("llama_index.tools.mcp")
    from tests.scripted import mcp, mcp_server

    async def go():
        async with mcp.connected(mcp_server.get_booking, mcp_server.fragile) as client:
            tools = await module.McpToolSpec(client).to_tool_list_async()
            async with arecording() as cap:
                await agent(*map(asks_for, REQUESTS), "done", tools=tools).run(user_msg="hi")
        return cap

    is_complete(asyncio.run(go()))


def test_a_function_that_calls_a_server_of_mcp_is_one_execution():
    pytest.importorskip("mcp")
    from tests.scripted import mcp, mcp_server

    async def go():
        async with mcp.connected(mcp_server.get_booking, mcp_server.fragile) as client:

            async def get_booking(number: str) -> str:
                """Look a booking up."""
                await client.call_tool("get_booking", {"number": number})
                return "found"

            async def fragile(x: int) -> str:
                """Fail."""
                await client.call_tool("fragile", {"x": x})
                raise ValueError("kaput")

            async with arecording() as cap:
                await agent(*map(asks_for, REQUESTS), "done", tools=[get_booking, fragile]).run(user_msg="hi")
        return cap

    is_complete(asyncio.run(go()))


def test_spans_of_openinference_say_nothing_new():
    module = pytest.importorskip("openinference.instrumentation.llama_index")
    from opentelemetry.sdk.trace import TracerProvider

    instrumentor = module.LlamaIndexInstrumentor()
    instrumentor.instrument(tracer_provider=TracerProvider())
    try:
        with capture() as cap:
            run(agent(asks_for(REQUESTS[0]), "done", tools=[get_booking]))
    finally:
        instrumentor.uninstrument()

    assert [one.framework for one in cap.invocations] == ["llama-index"]
    assert executed(cap) == ONCE[:1]
    assert_that(cap).has_own_chat_model_call_count(2)
