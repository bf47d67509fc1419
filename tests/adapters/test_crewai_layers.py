"""CrewAI over what it stands on (the OpenAI SDK, LiteLLM, MCP): one model call, one execution."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

pytest.importorskip("tests.scripted.crewai")  # which has CrewAI imported as tests want it
pytest.importorskip("openai")

from crewai import LLM
from crewai.mcp import MCPServerStdio
from crewai.utilities.string_utils import sanitize_tool_name

from agentassert import Outcome, capture
from tests.adapters.crewai_parts import agent, crew, executed, get_booking
from tests.adapters.crewai_warnings import quietly
from tests.adapters.kits.crewai import HAS_POLICIES
from tests.adapters.scenarios.parts import recording
from tests.scripted import openai_sdk
from tests.scripted.crewai import asks_for
from tests.scripted.loopback import serving

pytestmark = [
    *quietly,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

BOOKING = ("get_booking", {"number": "MS-777"})
INPUTS = {"customer": "Ann"}


@pytest.fixture(autouse=True)
def collected():
    """CrewAI leaves connections of its own to the garbage collector, which is to warn here or nowhere."""
    yield
    gc.collect()


def over(provider, **options):
    """An agent over a provider that is asked through the OpenAI SDK."""
    model = LLM(model="openai/gpt-4o", api_key="k", base_url=f"{provider.url}/v1", **options)
    return agent(tools=[get_booking], llm=model)


def chat():
    """Two replies: what asks for the tool, and the answer."""
    return openai_sdk.chat(None, BOOKING, usage=(20, 6)), openai_sdk.chat("Confirmed.", usage=(30, 3))


def responses():
    """The same in the Responses API."""
    asked = openai_sdk.response(openai_sdk.function_call(*BOOKING), usage=(20, 6))
    return asked, openai_sdk.response(openai_sdk.message("Confirmed."), usage=(30, 3))


def by_itself(support):
    return support.kickoff("MS-777?")


def in_async_code(support):
    return asyncio.run(support.kickoff_async("MS-777?"))


def in_a_crew(support):
    return crew(support).kickoff(inputs=INPUTS)


def in_a_crew_in_async_code(support):
    return asyncio.run(crew(support).akickoff(inputs=INPUTS))


def in_a_crew_that_streams(support):
    return list(crew(support, stream=True).kickoff(inputs=INPUTS))


def is_counted_once(cap, provider):
    """Whether each call, execution and token was."""
    support = cap.invocation if cap.invocation.name == "support" else cap.invocation.nested_invocations[0]
    calls = support.own_chat_model_calls
    assert len(provider.requests) == len(calls) == sum(len(one.model_calls) for one in cap.invocation.with_nested()) == 2
    assert executed(cap.invocation) == [("get_booking", Outcome.SUCCEEDED)]
    (execution,) = support.tool_executions
    assert (execution.arguments, execution.inferred) == ({"number": "MS-777"}, False)
    assert execution.call_id == calls[0].tool_execution_requests[0].call_id
    assert calls[0].tools_offered == ("get_booking",)
    assert sum(call.token_usage.total_tokens for call in calls) == provider.tokens == 59
    assert (calls[-1].response_text, calls[-1].finish_reason) == ("Confirmed.", "stop")
    assert cap.health.doubts == ()


WAYS = [by_itself, in_async_code, in_a_crew, in_a_crew_in_async_code, in_a_crew_that_streams]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_crewai_over_the_openai_sdk_counts_everything_once(way):
    with serving(*chat()) as provider:
        support = over(provider)
        with capture() as cap:
            way(support)

    is_counted_once(cap, provider)


def test_a_model_that_streams_is_counted_once():
    with serving(*chat()) as provider:
        support = over(provider, stream=True)
        with capture() as cap:
            support.kickoff("MS-777?")

    is_counted_once(cap, provider)


@pytest.mark.skipif(not HAS_POLICIES, reason="CrewAI 1.10 takes what asks for tools there for the answer")
def test_crewai_over_the_responses_of_openai_counts_everything_once():
    with serving(*responses()) as provider:
        support = over(provider, api="responses")
        with capture() as cap:
            support.kickoff("MS-777?")

    is_counted_once(cap, provider)


def test_what_the_sdk_sends_again_is_an_attempt_at_crewais_call():
    with serving(openai_sdk.failure(), openai_sdk.chat("Confirmed.", usage=(30, 3))) as provider:
        support = over(provider)
        with capture() as cap:
            support.kickoff("MS-777?")

    (call,) = cap.invocation.model_calls
    assert len(provider.requests) == call.attempts == 2
    assert (call.error, call.response_text, call.token_usage.total_tokens) == (None, "Confirmed.", 33)


@pytest.mark.parametrize("way", [by_itself, in_a_crew_in_async_code], ids=lambda way: way.__name__)
def test_crewai_over_litellm_counts_everything_once(way):
    pytest.importorskip("litellm")
    with serving(*chat()) as provider:
        support = over(provider, is_litellm=True)
        assert support.llm.is_litellm
        with capture() as cap:
            way(support)

    is_counted_once(cap, provider)


def test_tools_of_a_server_of_mcp_are_executed_once(project):
    server = MCPServerStdio(command=sys.executable, args=["-m", "tests.scripted.mcp_server"], env={"PYTHONPATH": str(project)})
    tools = agent().get_mcp_tools([server])
    looking, failing = (sanitize_tool_name(one.name) for one in tools)
    asked = asks_for((looking, {"number": "1"}, "c1")), asks_for((failing, {"x": 1}, "c2"))

    with recording() as cap:
        agent(*asked, "done", tools=tools).kickoff("hi")

    first, second = cap.invocation.tool_executions
    # CrewAI 1.10 passes the error of a server on as a result.
    outcomes = (Outcome.SUCCEEDED, Outcome.FAILED) if HAS_POLICIES else (Outcome.UNKNOWN, Outcome.UNKNOWN)
    assert [(one.name, one.outcome, one.call_id) for one in (first, second)] == [
        (looking, outcomes[0], "c1"),
        (failing, outcomes[1], "c2"),
    ]
    assert (first.arguments, first.result["customer"]) == ({"number": "1"}, "Ann")
    assert "kaput" in str(second.error or second.result)
    assert cap.invocation.recorded_by == ("crewai",)


def test_spans_of_openinference_tell_nothing_twice():
    instrumentation = pytest.importorskip("openinference.instrumentation.crewai")
    from opentelemetry.sdk.trace import TracerProvider

    instrumentor = instrumentation.CrewAIInstrumentor()
    with serving(*chat()) as provider, capture() as cap:
        instrumentor.instrument(tracer_provider=TracerProvider())
        try:
            in_a_crew(over(provider))
        finally:
            instrumentor.uninstrument()

    is_counted_once(cap, provider)
    assert [one.name for top in cap.invocations for one in top.with_nested()] == ["crew", "support"]
