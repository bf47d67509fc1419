"""Smolagents over the SDK that its models stand on, and over servers of MCP: one model call, one execution."""

from __future__ import annotations

import inspect
import os
import sys
from typing import ClassVar

import pytest

pytest.importorskip("smolagents")

import smolagents
from smolagents import CodeAgent, ToolCallingAgent

from agentassert import Outcome, assert_that, capture
from tests.adapters.scenarios.parts import recording
from tests.adapters.smolagents_parts import QUIET, agent, coder, done, executed, get_booking
from tests.scripted.loopback import serving
from tests.scripted.smolagents import asks_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    # Of LiteLLM, as it is imported and as it streams.
    pytest.mark.filterwarnings("ignore:Items? .* using the `ReadOnly` qualifier"),
    pytest.mark.filterwarnings("ignore:Accessing the .model_.* attribute on the instance is deprecated"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
]
BOOKING = ("get_booking", {"number": "MS-777"})
CODE = "Thought: so be it.\n<code>\n{}\n</code>"


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    """LiteLLM looks for prices in the network as it is imported, unless it is told not to."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


def model_of(client, url):
    """A model of smolagents over a client that is asked at this address."""
    pytest.importorskip(client)
    if client == "litellm":
        return smolagents.LiteLLMModel("openai/gpt-test", api_base=f"{url}/v1", api_key="k")
    kind = getattr(smolagents, "OpenAIModel", None) or smolagents.OpenAIServerModel  # its name in early releases
    return kind("gpt-test", api_base=f"{url}/v1", api_key="k")


@pytest.mark.parametrize(
    ("client", "writes_code", "streams"),
    [
        ("openai", False, False),
        ("openai", False, True),
        ("openai", True, False),
        ("openai", True, True),
        ("litellm", False, False),
        ("litellm", True, True),
    ],
)
def test_every_call_execution_and_token_is_counted_once(client, writes_code, streams):
    pytest.importorskip("openai")
    from tests.scripted import openai_sdk

    if writes_code:
        asked = openai_sdk.chat(CODE.format("print(get_booking('MS-777'))"), usage=(20, 6))
        answered = openai_sdk.chat(CODE.format("final_answer('Confirmed.')"), usage=(30, 3))
    else:
        asked = openai_sdk.chat(None, BOOKING, usage=(20, 6))
        answered = openai_sdk.chat(None, ("final_answer", {"answer": "Confirmed."}), usage=(30, 3))
    kind = CodeAgent if writes_code else ToolCallingAgent
    with serving(asked, answered) as provider:
        support = kind(tools=[get_booking], model=model_of(client, provider.url), stream_outputs=streams, **QUIET)
        with capture() as cap:
            support.run("MS-777?")

    first, second = cap.invocation.model_calls
    assert (len(provider.requests), first.attempts, second.attempts) == (2, 1, 1)
    assert [one.token_usage.total_tokens for one in (first, second)] == [26, 33]
    assert_that(cap).has_total_tokens_at_most(59).has_tool_executed_with("get_booking", {"number": "MS-777"})
    assert (cap.output_text, executed(cap)) == ("Confirmed.", [("get_booking", Outcome.SUCCEEDED)])
    assert [one.name for one in cap.invocation.tool_execution_requests] == ([] if writes_code else ["get_booking"])
    assert second.response_text == (CODE.format("final_answer('Confirmed.')") if writes_code else "Confirmed.")
    assert second.raw_finish_reason == ("stop" if writes_code else "tool_calls")
    assert cap.health.doubts == ()


def test_requests_in_the_text_of_an_answer_are_found_over_an_sdk_too():
    pytest.importorskip("openai")
    from tests.scripted import openai_sdk

    texts = '{"name": "get_booking", "arguments": {"number": "1"}}', '{"name": "final_answer", "arguments": {"answer": "done"}}'
    with serving(*map(openai_sdk.chat, texts)) as provider:
        support = ToolCallingAgent(tools=[get_booking], model=model_of("openai", provider.url), **QUIET)
        with recording() as cap:
            support.run("?")

    (request,) = cap.invocation.tool_execution_requests
    assert (request.name, request.answered, len(cap.invocation.model_calls)) == ("get_booking", True, 2)


def test_what_the_sdk_sends_again_is_an_attempt_at_the_models_call():
    pytest.importorskip("openai")
    from tests.scripted import openai_sdk

    answered = openai_sdk.chat(None, ("final_answer", {"answer": "done"}))
    with serving(openai_sdk.failure(), answered) as provider:
        support = ToolCallingAgent(tools=[], model=model_of("openai", provider.url), **QUIET)
        with recording() as cap:
            support.run("?")

    (call,) = cap.invocation.model_calls
    assert (call.attempts, call.error, call.response_text) == (2, None, "done")


@pytest.fixture
def mcp_tools(project):
    """The tools of a server in another process."""
    pytest.importorskip("mcp")
    try:
        import mcpadapt.core  # noqa: F401
    except ImportError as missing:
        pytest.skip(f"what smolagents needs for MCP is not installed here, or not for this release of it: {missing}")
    from mcp import StdioServerParameters

    command = [sys.executable, "-m", "tests.scripted.mcp_server"]
    server = StdioServerParameters(command=command[0], args=command[1:], cwd=str(project), env=dict(os.environ))
    known = inspect.signature(smolagents.MCPClient.__init__).parameters
    options = {"structured_output": False} if "structured_output" in known else {}
    with smolagents.MCPClient(server, **options) as tools:
        yield tools


@pytest.mark.parametrize("writes_code", [False, True])
def test_a_tool_of_an_mcp_server_is_one_execution_which_fails_where_the_server_says_so(mcp_tools, writes_code):
    if writes_code:
        support = coder("get_booking(number='1')", "fragile(x=1)", "final_answer('done')", tools=mcp_tools, name="support")
    else:
        asked = asks_for(("get_booking", {"number": "1"}, "c1")), asks_for(("fragile", {"x": 1}, "c2"))
        support = agent(*done(*asked), tools=mcp_tools)

    with recording() as cap:
        support.run("?")

    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]
    assert "kaput" in str(cap.invocation.tool_executions[1].error)
    assert "mcp" not in cap.invocation.recorded_by
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "1"}).has_tool_execution_failed("fragile")


def test_a_tool_that_makes_up_for_a_failure_of_its_server_has_not_failed(mcp_tools):
    class Forgiving(smolagents.Tool):
        name, description, output_type = "fragile", "Try.", "string"
        inputs: ClassVar = {"x": {"type": "integer", "description": "Nothing."}}

        def forward(self, x):
            assert "kaput" in next(one for one in mcp_tools if one.name == "fragile")(x=x)
            return "never mind"

    with recording() as cap:
        agent(*done(asks_for(("fragile", {"x": 1}, "c1"))), tools=[Forgiving()]).run("?")

    assert executed(cap) == [("fragile", Outcome.SUCCEEDED)]
    assert_that(cap).results_of("fragile").is_equal_to(["never mind"])


@pytest.mark.parametrize("writes_code", [False, True])
def test_spans_of_openinference_tell_nothing_new(writes_code):
    module = pytest.importorskip("openinference.instrumentation.smolagents")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    spans, provider, instrumentor = InMemorySpanExporter(), TracerProvider(), module.SmolagentsInstrumentor()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    if writes_code:
        support = coder("get_booking('1')", "final_answer('done')", tools=[get_booking], name="support")
    else:
        support = agent(*done(asks_for(("get_booking", {"number": "1"}, "c1"))), tools=[get_booking])
    instrumentor.instrument(tracer_provider=provider)
    try:
        with recording() as cap:
            support.run("?")
    finally:
        instrumentor.uninstrument()

    kinds = [span.attributes["openinference.span.kind"] for span in spans.get_finished_spans()]
    assert {"AGENT", "TOOL"} <= set(kinds)
    assert (len(cap.invocations), len(cap.invocation.model_calls), executed(cap)) == (1, 2, [("get_booking", Outcome.SUCCEEDED)])
    assert (cap.invocation.recorded_by, cap.invocation.nested_invocations) == (("smolagents",), ())
