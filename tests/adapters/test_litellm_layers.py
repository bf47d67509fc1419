"""LiteLLM over a client, and agents over LiteLLM: each call of a model is recorded once, each tool execution once."""

from __future__ import annotations

import asyncio
import gc

import pytest

pytest.importorskip("litellm")

import litellm

from agentassert import Outcome, adapters, assert_that, capture, recorder
from tests.adapters.litellm_parts import quietly
from tests.scripted import anthropic_sdk, openai_sdk
from tests.scripted.loopback import serving

pytestmark = quietly
QUESTION = [{"role": "user", "content": "MS-777?"}]
WAYS = ["plain", "stream", "async", "async stream"]
BOOKING = ("get_booking", {"number": "MS-777"})


@pytest.fixture(autouse=True, scope="module")
def collected():
    """What it leaves behind is to warn here or nowhere."""
    yield
    gc.collect()


async def exhaust(stream):
    return [part async for part in stream]


def ask(way, model, url):
    """Ask a model in one of the ways."""
    options = {"model": model, "messages": QUESTION, "api_base": url, "api_key": "none", "stream": "stream" in way}

    async def run():
        given = await litellm.acompletion(**options)
        return await exhaust(given) if options["stream"] else given

    if "async" in way:
        return asyncio.run(run())
    given = litellm.completion(**options)
    return list(given) if options["stream"] else given


@pytest.mark.parametrize("way", WAYS)
def test_over_the_sdk_of_openai(way):
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider, capture(on_doubt="fail") as cap:
        ask(way, "openai/g-1", provider.url)

    (call,) = cap.invocation.model_calls
    assert adapters.is_on("openai")
    assert "openai" not in cap.invocation.recorded_by
    assert len(provider.requests) == call.attempts == 2
    assert (call.model, call.error, call.response_text, call.token_usage.total_tokens) == ("openai/g-1", None, "Confirmed.", 33)


@pytest.mark.parametrize("way", WAYS)
def test_over_a_client_of_its_own(way):
    reply = anthropic_sdk.message(anthropic_sdk.text("Confirmed."), usage=(20, 6))
    with serving(reply) as provider, capture(on_doubt="fail") as cap:
        ask(way, "anthropic/claude-test", provider.url)

    (call,) = cap.invocation.model_calls
    assert (len(provider.requests), call.attempts, call.response_text) == (1, 1, "Confirmed.")
    if "stream" not in way:
        assert call.token_usage.total_tokens == 26


def test_a_layer_between_a_framework_and_a_client():
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider, capture(on_doubt="fail") as cap:
        framework = recorder.start_model_call(adapter="framework", model="alias")
        ask("async", "openai/g-1", provider.url)
        framework.respond(text="Confirmed.")
        ask("plain", "openai/g-2", provider.url)

    first, second = cap.invocation.model_calls
    assert (first.model, first.attempts, first.token_usage.total_tokens, first.raw_finish_reason) == ("alias", 2, 33, "stop")
    assert (second.model, second.attempts, second.token_usage.total_tokens) == ("openai/g-2", 1, 33)


def test_a_framework_that_asks_again_what_failed_over_both():
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider, capture(on_doubt="fail") as cap:
        options = {"model": "openai/g-1", "messages": QUESTION, "api_base": provider.url, "api_key": "none", "max_retries": 0}
        framework = recorder.start_model_call(adapter="framework", model="alias")
        with pytest.raises(litellm.InternalServerError):
            litellm.completion(**options)
        litellm.completion(**options)
        framework.respond(text="Confirmed.")

    (call,) = cap.invocation.model_calls
    assert (call.attempts, call.error, call.token_usage.total_tokens) == (2, None, 33)


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.filterwarnings(r"ignore:\[EXPERIMENTAL\]:UserWarning")
def test_adk_over_it(streaming):
    pytest.importorskip("google.adk")
    pytest.importorskip("google.adk.models.lite_llm")
    from google.adk.agents import LlmAgent
    from google.adk.agents.run_config import RunConfig, StreamingMode
    from google.adk.models.lite_llm import LiteLlm

    from tests.adapters.google_adk_parts import arun

    def get_booking(number: str) -> str:
        """Look a booking up."""
        return f"{number}: confirmed"

    replies = openai_sdk.chat(None, BOOKING, usage=(20, 6)), openai_sdk.chat("Confirmed.", usage=(30, 3))
    with serving(*replies) as provider, capture(on_doubt="fail") as cap:
        model = LiteLlm("openai/g-1", api_base=provider.url, api_key="none")
        mode = StreamingMode.SSE if streaming else StreamingMode.NONE
        support = LlmAgent(name="support", model=model, tools=[get_booking])
        asyncio.run(arun(support, "MS-777?", run_config=RunConfig(streaming_mode=mode)))

    calls = cap.invocation.own_chat_model_calls
    assert len(provider.requests) == len(calls) == len(cap.invocation.model_calls) == 2
    assert sum(call.token_usage.total_tokens for call in calls) == provider.tokens
    assert [(call.model, call.attempts) for call in calls] == [("openai/g-1", 1)] * 2
    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.outcome, execution.inferred) == ("get_booking", Outcome.SUCCEEDED, False)
    assert_that(cap).has_succeeded().has_tools_executed_exactly_in_order("get_booking")


@pytest.mark.filterwarnings("ignore:litellm.experimental_mcp_client is deprecated")
def test_tools_of_an_mcp_server():
    pytest.importorskip("mcp")
    from litellm.experimental_mcp_client import call_openai_tool, load_mcp_tools

    from tests.scripted.mcp import connected
    from tests.scripted.mcp_server import fragile, get_booking

    asked = [("get_booking", {"number": "1"}), ("fragile", {"x": 1})]
    replies = openai_sdk.chat(None, *asked, ids=["c1", "c2"]), openai_sdk.chat("Confirmed.")

    async def run(url):
        history = list(QUESTION)
        async with connected(get_booking, fragile) as client:
            session = getattr(client, "session", client)
            tools = await load_mcp_tools(session, format="openai")
            while True:
                options = {"model": "openai/g-1", "messages": history, "tools": tools, "api_base": url, "api_key": "none"}
                said = (await litellm.acompletion(**options)).choices[0].message
                if not said.tool_calls:
                    return
                history.append(said)
                for call in said.tool_calls:
                    result = await call_openai_tool(session, call.model_dump())
                    history.append({"role": "tool", "tool_call_id": call.id, "content": result.content[0].text})

    with serving(*replies) as provider, capture(on_doubt="fail") as cap:
        asyncio.run(run(provider.url))

    assert [(one.name, one.call_id, one.outcome, one.inferred) for one in cap.invocation.tool_executions] == [
        ("get_booking", "c1", Outcome.SUCCEEDED, False),
        ("fragile", "c2", Outcome.FAILED, False),
    ]
    assert_that(cap).has_own_chat_model_call_count(2)
