"""Strands over the SDKs of providers, over MCP, and under its own spans: each call and each execution once."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

pytest.importorskip("strands")

from strands import Agent

from agentassert import ChatModelCall, Outcome, adapters, assert_that, capture
from agentassert.adapters.otel.covered import is_covered
from tests.adapters.scenarios.parts import recording
from tests.adapters.strands_parts import agent, executed, get_booking
from tests.scripted import anthropic_sdk, openai_sdk
from tests.scripted.loopback import serving
from tests.scripted.strands import asks_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """LiteLLM loads prices from the net when it is imported."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


ASKED = ("get_booking", {"number": "MS-777"})


def over_openai(url):
    pytest.importorskip("openai")
    from strands.models.openai import OpenAIModel

    return OpenAIModel(client_args={"api_key": "k", "base_url": f"{url}/v1", "max_retries": 1}, model_id="gpt-test")


def over_openai_responses(url):
    pytest.importorskip("openai")
    module = pytest.importorskip("strands.models.openai_responses", reason="this release has no such model")

    return module.OpenAIResponsesModel(client_args={"api_key": "k", "base_url": f"{url}/v1"}, model_id="gpt-test")


def over_anthropic(url):
    pytest.importorskip("anthropic")
    from strands.models.anthropic import AnthropicModel

    return AnthropicModel(client_args={"api_key": "k", "base_url": url}, model_id="claude-test", max_tokens=50)


def over_litellm(url):
    pytest.importorskip("litellm")
    from strands.models.litellm import LiteLLMModel

    return LiteLLMModel(client_args={"api_key": "k", "base_url": f"{url}/v1"}, model_id="openai/gpt-test")


def chat():
    return openai_sdk.chat(None, ASKED, usage=(20, 6)), openai_sdk.chat("Confirmed.", usage=(30, 3))


def responses():
    asked = openai_sdk.response(openai_sdk.function_call(*ASKED), usage=(20, 6))
    return asked, openai_sdk.response(openai_sdk.message("Confirmed."), usage=(30, 3))


def messages():
    asked = anthropic_sdk.message(anthropic_sdk.tool_use(*ASKED), usage=(20, 6))
    return asked, anthropic_sdk.message(anthropic_sdk.text("Confirmed."), usage=(30, 3))


async def stream(support):
    return [part async for part in support.stream_async("MS-777?")]


@pytest.mark.parametrize("way", [lambda support: support("MS-777?"), lambda support: asyncio.run(stream(support))])
@pytest.mark.parametrize(
    ("model", "replies"),
    [
        (over_openai, chat),
        (over_openai_responses, responses),
        pytest.param(over_anthropic, messages, marks=pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")),
        pytest.param(over_litellm, chat, marks=pytest.mark.filterwarnings("ignore")),  # it warns of a lot
    ],
)
def test_every_call_execution_and_token_counts_once(model, replies, way):
    with serving(*replies()) as provider:
        support = Agent(name="support", model=model(provider.url), tools=[get_booking], callback_handler=None)
        with capture() as cap:
            way(support)

    calls = cap.invocation.own_chat_model_calls
    assert len(provider.requests) == len(calls) == len(cap.invocation.model_calls) == 2
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert_that(cap).has_total_tokens_at_most(59).has_tool_executed_with("get_booking", {"number": "MS-777"})
    assert sum(call.token_usage.total_tokens for call in calls) == provider.tokens == 59
    assert [type(call) for call in calls] == [ChatModelCall] * 2
    assert calls[-1].response_text == "Confirmed."
    assert cap.health.doubts == ()


def test_what_the_sdk_sends_again_is_an_attempt():
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider:
        support = Agent(name="support", model=over_openai(provider.url), callback_handler=None)
        with capture() as cap:
            support("MS-777?")

    (call,) = cap.invocation.model_calls
    assert len(provider.requests) == call.attempts == 2
    assert (call.error, call.response_text, call.token_usage.total_tokens) == (None, "Confirmed.", 33)


def test_tools_of_a_server_are_executions_of_the_agent(project):
    pytest.importorskip("mcp")
    from mcp import StdioServerParameters, stdio_client
    from strands.tools.mcp import MCPClient

    command = StdioServerParameters(command=sys.executable, args=["-m", "tests.scripted.mcp_server"], cwd=str(project))
    requests = [("get_booking", {"number": "1"}, "c1"), ("fragile", {"x": 1}, "c2")]
    with MCPClient(lambda: stdio_client(command)) as server, recording() as cap:
        agent(*map(asks_for, requests), "done", tools=server.list_tools_sync())("hi")

    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1", "c2"]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert "mcp" not in cap.invocation.recorded_by
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "1"}).has_own_chat_model_call_count(3)


def test_its_own_spans_say_nothing_new(project):
    with capture():
        pass
    assert adapters.is_on("strands")
    assert is_covered("strands.telemetry.tracer")

    ended = subprocess.run(
        [sys.executable, "-W", "error::agentassert.CaptureWarning", "-c", TRACED],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stdout.split()) == (0, ["wrote", "2", "1"]), ended.stderr


TRACED = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(spans))
trace.set_tracer_provider(provider)

from agentassert import capture
from tests.adapters.strands_parts import agent, refund
from tests.scripted.strands import asks_for

with capture(on_doubt="fail") as cap:
    agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[refund])("hi")

written = {span.instrumentation_scope.name for span in spans.get_finished_spans()}
print("wrote" if written == {"strands.telemetry.tracer"} else written)
print(len(cap.invocation.model_calls), sum(len(one.tool_executions) for one in cap.invocation.with_nested()))
"""
