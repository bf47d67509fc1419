"""A framework over an SDK: both see each call of a model, and it is recorded once, with the tokens that the provider reports."""

from __future__ import annotations

import asyncio
import gc
from importlib.metadata import version

import pytest

pytest.importorskip("openai")
pytest.importorskip("anthropic")

from agentassert import ChatModelCall, EmbeddingModelCall, assert_that, capture
from tests.scripted import anthropic_sdk, openai_sdk
from tests.scripted.loopback import serving

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def collected():
    """Frameworks leave connections and event loops of theirs to the garbage collector, which is to warn here or nowhere."""
    yield
    gc.collect()


BOOKING = ("get_booking", {"number": "MS-777"})


def openai_chat():
    """Two replies: what asks for the tool, and the answer."""
    return openai_sdk.chat(None, BOOKING, usage=(20, 6)), openai_sdk.chat("Confirmed.", usage=(30, 3))


def openai_responses():
    """The same in the Responses API."""
    asked = openai_sdk.response(openai_sdk.function_call(*BOOKING), usage=(20, 6))
    return asked, openai_sdk.response(openai_sdk.message("Confirmed."), usage=(30, 3))


def anthropic_messages():
    """The same of Anthropic."""
    asked = anthropic_sdk.message(anthropic_sdk.tool_use(*BOOKING), usage=(20, 6))
    return asked, anthropic_sdk.message(anthropic_sdk.text("Confirmed."), usage=(30, 3))


def get_booking(number: str) -> str:
    """Look a booking up."""
    return f"{number}: confirmed"


async def exhaust(stream):
    return [one async for one in stream]


class LangChain:
    """An agent of LangChain over either SDK."""

    def __init__(self, model):
        from langchain.agents import create_agent

        self.agent = create_agent(model, [get_booking])
        self.input = {"messages": [{"role": "user", "content": "MS-777?"}]}

    def sync(self):
        self.agent.invoke(self.input)

    def asynchronous(self):
        asyncio.run(self.agent.ainvoke(self.input))

    def streaming(self):
        list(self.agent.stream(self.input, stream_mode="messages"))

    def async_streaming(self):
        asyncio.run(exhaust(self.agent.astream(self.input, stream_mode="messages")))


class PydanticAI:
    """An agent of Pydantic AI over either SDK."""

    def __init__(self, model):
        from pydantic_ai import Agent

        self.agent = Agent(model, tools=[get_booking], name="support")

    def sync(self):
        self.agent.run_sync("MS-777?")

    def asynchronous(self):
        asyncio.run(self.agent.run("MS-777?"))

    def streaming(self):
        if version("pydantic-ai-slim").startswith("1."):
            pytest.skip("its blocking streams never end their last request")
        with self.agent.run_stream_sync("MS-777?") as result:
            list(result.stream_text())

    def async_streaming(self):
        async def run():
            async with self.agent.run_stream("MS-777?") as result:
                await exhaust(result.stream_text())

        asyncio.run(run())


class OpenAIAgents:
    """An agent of the OpenAI Agents SDK."""

    def __init__(self, model):
        from agents import Agent, function_tool

        self.agent = Agent("support", model=model, tools=[function_tool(get_booking)])

    def sync(self):
        from agents import Runner

        Runner.run_sync(self.agent, "MS-777?")

    def asynchronous(self):
        from agents import Runner

        asyncio.run(Runner.run(self.agent, "MS-777?"))

    def async_streaming(self):
        from agents import Runner

        async def run():
            await exhaust(Runner.run_streamed(self.agent, "MS-777?").stream_events())

        asyncio.run(run())


def langchain_openai(url):
    module = pytest.importorskip("langchain_openai")
    return LangChain(module.ChatOpenAI(model="gpt-test", api_key="k", base_url=f"{url}/v1", stream_usage=True))


def langchain_openai_responses(url):
    module = pytest.importorskip("langchain_openai")
    return LangChain(module.ChatOpenAI(model="gpt-test", api_key="k", base_url=f"{url}/v1", use_responses_api=True))


def langchain_anthropic(url):
    module = pytest.importorskip("langchain_anthropic")
    return LangChain(module.ChatAnthropic(model="claude-test", api_key="k", base_url=url, max_tokens=50))


def agents_chat(url):
    agents = pytest.importorskip("agents")
    import openai

    return OpenAIAgents(agents.OpenAIChatCompletionsModel("gpt-test", openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1")))


def agents_responses(url):
    agents = pytest.importorskip("agents")
    import openai

    return OpenAIAgents(agents.OpenAIResponsesModel("gpt-test", openai.AsyncOpenAI(api_key="k", base_url=f"{url}/v1")))


def pydantic_openai(url):
    pytest.importorskip("pydantic_ai")
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    return PydanticAI(OpenAIChatModel("gpt-test", provider=OpenAIProvider(base_url=f"{url}/v1", api_key="k")))


def pydantic_anthropic(url):
    pytest.importorskip("pydantic_ai")
    import anthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = anthropic.AsyncAnthropic(api_key="k", base_url=url)
    return PydanticAI(AnthropicModel("claude-test", provider=AnthropicProvider(anthropic_client=client)))


PAIRS = {
    langchain_openai: openai_chat,
    langchain_openai_responses: openai_responses,
    langchain_anthropic: anthropic_messages,
    agents_chat: openai_chat,
    agents_responses: openai_responses,
    pydantic_openai: openai_chat,
    pydantic_anthropic: anthropic_messages,
}


@pytest.mark.parametrize("way", ["sync", "asynchronous", "streaming", "async_streaming"])
@pytest.mark.parametrize(("framework", "replies"), PAIRS.items(), ids=[framework.__name__ for framework in PAIRS])
def test_a_framework_over_an_sdk_counts_every_call_execution_and_token_once(framework, replies, way):
    with serving(*replies()) as provider:
        support = framework(provider.url)
        run = getattr(support, way, None)
        if run is None:
            pytest.skip("this framework streams asynchronously only")

        with capture() as cap:
            run()

    posts = [path for path, _ in provider.requests]
    invocation = cap.invocation
    calls = invocation.own_chat_model_calls
    assert len(posts) == len(calls) == len(invocation.model_calls) == 2
    assert [execution.name for execution in invocation.tool_executions] == ["get_booking"]
    assert not invocation.tool_executions[0].inferred
    assert provider.tokens == 59
    assert_that(cap).has_total_tokens_at_most(59).has_tool_executed_with("get_booking", {"number": "MS-777"})
    assert sum(call.token_usage.total_tokens for call in calls) == provider.tokens
    assert [call.completed for call in calls] == [True, True]
    assert calls[-1].response_text == "Confirmed."
    assert all(type(call) is ChatModelCall for call in calls)
    assert cap.health.doubts == ()


@pytest.mark.parametrize("framework", [langchain_openai, pydantic_openai, agents_chat])
def test_what_the_sdk_sends_again_is_an_attempt_at_the_frameworks_call(framework):
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider:
        support = framework(provider.url)
        with capture() as cap:
            support.asynchronous()

    (call,) = cap.invocation.model_calls
    assert len(provider.requests) == call.attempts == 2
    assert (call.error, call.response_text, call.token_usage.total_tokens) == (None, "Confirmed.", 33)


def test_embeddings_of_langchain_are_seen_where_they_are_sent():
    module = pytest.importorskip("langchain_openai")
    with serving(openai_sdk.embedding(4)) as provider:
        model = module.OpenAIEmbeddings(model="e", api_key="k", base_url=f"{provider.url}/v1", check_embedding_ctx_length=False)
        with capture() as cap:
            model.embed_query("berth")

    (call,) = cap.invocation.model_calls
    assert (type(call), call.inputs, call.token_usage.total_tokens) == (EmbeddingModelCall, ("berth",), 4)
