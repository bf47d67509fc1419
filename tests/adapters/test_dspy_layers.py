"""DSPy over its own client and over LiteLLM, over MCP, and under the spans of others: each call and each execution once."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import subprocess
import sys

import pytest

pytest.importorskip("dspy")

import dspy

from agentassert import Outcome, adapters, assert_that, capture
from agentassert.adapters.otel.covered import is_covered
from tests.adapters.dspy_parts import executed, get_booking, quietly
from tests.adapters.kits.dspy import HAS_ASYNC_AGENTS
from tests.adapters.scenarios.parts import arecording, only
from tests.scripted import openai_sdk
from tests.scripted.dspy import ScriptedLM, calls
from tests.scripted.loopback import serving

pytestmark = [
    *quietly,
    # Of LiteLLM, as it is imported and as it answers.
    pytest.mark.filterwarnings("ignore:Items? .* using the `ReadOnly` qualifier"),
    pytest.mark.filterwarnings("ignore:Accessing the .model_.* attribute on the instance is deprecated"),
    pytest.mark.filterwarnings("ignore:Pydantic serializer warnings"),
    pytest.mark.filterwarnings("ignore:There is no current event loop"),
]
ASKED = ("get_booking", {"number": "MS-777"})
ENGINES = ["lm15", "litellm"] if HAS_ASYNC_AGENTS else [None]


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """LiteLLM loads prices from the net when it is imported."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")


@pytest.fixture(autouse=True, scope="module")
def collected():
    """What LiteLLM leaves behind is to warn here or nowhere."""
    yield
    gc.collect()


def model_of(engine, url, **options):
    """A model of DSPy's own, by one of its engines; before 3.4 there was but LiteLLM."""
    if engine != "lm15":
        pytest.importorskip("litellm")
    chosen = {} if engine is None else {"engine": engine}
    return dspy.LM("openai/gpt-test", api_base=f"{url}/v1", api_key="k", **{"cache": False, **chosen, **options})


def written(**fields):
    """An answer as DSPy asks for it."""
    return "\n\n".join(f"[[ ## {name} ## ]]\n{value}" for name, value in fields.items())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", ["sync", "async", "stream"])
def test_every_call_execution_and_token_counts_once(engine, way):
    replies = [
        openai_sdk.chat(None, ASKED, usage=(20, 6)),
        openai_sdk.chat(None, ("submit", {"answer": "Confirmed."}), usage=(30, 3)),
    ]
    agent = dspy.ReActV2("question -> answer", tools=[get_booking])

    async def stream():
        return [part async for part in dspy.streamify(agent, is_async_program=HAS_ASYNC_AGENTS)(question="MS-777?")]

    async def arun():
        return await (agent.acall if HAS_ASYNC_AGENTS else dspy.asyncify(agent))(question="MS-777?")

    with serving(*replies) as provider:
        agent.set_lm(model_of(engine, provider.url))
        with dspy.context(adapter=dspy.ChatAdapter(use_native_function_calling=True)), capture() as cap:
            {
                "sync": lambda: agent(question="MS-777?"),
                "async": lambda: asyncio.run(arun()),
                "stream": lambda: asyncio.run(stream()),
            }[way]()

    first, second = cap.invocation.model_calls
    assert (len(provider.requests), first.attempts, second.attempts) == (2, 1, 1)
    assert [one.token_usage.total_tokens for one in (first, second)] == [26, 33]
    assert [(one.name, one.call_id, one.answered) for one in cap.invocation.tool_execution_requests] == [
        ("get_booking", "call_0", True)
    ]
    assert (executed(cap), cap.output_text) == ([("get_booking", Outcome.SUCCEEDED)], "Confirmed.")
    assert (second.response_text, second.tool_execution_requests) == ("Confirmed.", ())
    assert cap.invocation.recorded_by == ("dspy",)
    assert_that(cap).has_total_tokens_at_most(59).has_tool_executed_with("get_booking", {"number": "MS-777"})


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_sent_again_is_one_call(engine):
    reply = openai_sdk.chat(written(answer="Confirmed."), usage=(30, 3))
    predictor = dspy.Predict("question -> answer")
    with serving(openai_sdk.failure(), reply) as provider:
        predictor.set_lm(model_of(engine, provider.url))
        with capture() as cap:
            predictor(question="MS-777?")

    call = only(cap.invocation.model_calls)
    assert len(provider.requests) == 2
    assert (call.error, call.response_text, call.token_usage.total_tokens) == (None, "Confirmed.", 33)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_comes_from_the_cache_costs_nothing(engine):
    dspy.configure_cache(enable_disk_cache=False, enable_memory_cache=True)
    predictor = dspy.Predict("question -> answer")
    with serving(openai_sdk.chat(written(answer="Confirmed."), usage=(30, 3))) as provider:
        predictor.set_lm(model_of(engine, provider.url, cache=True))
        predictor(question=f"MS-777 by {engine}?")
        with capture() as cap:
            predictor(question=f"MS-777 by {engine}?")

    call = only(cap.invocation.model_calls)
    assert len(provider.requests) == 1
    assert (call.cached, call.response_text, call.token_usage) == (True, "Confirmed.", None)


def test_tools_of_a_server_are_executions_of_the_agent():
    pytest.importorskip("mcp")
    from tests.scripted.mcp import HAS_CLIENT, connected

    if HAS_CLIENT and not HAS_ASYNC_AGENTS:
        pytest.skip("DSPy 3.3 cannot read the tools of mcp 2")
    from tests.scripted.mcp_server import fragile
    from tests.scripted.mcp_server import get_booking as served

    asked = calls(("get_booking", {"number": "1"}, "c1"), ("fragile", {"x": 1}, "c2"))["tool_calls"]

    class Support(dspy.Module):
        def __init__(self, tools):
            super().__init__()
            self.choose = dspy.Predict("question, tools: list[dspy.Tool] -> outputs: dspy.ToolCalls")
            self.tools = {one.name: one for one in tools}

        async def aforward(self, question):
            chosen = await self.choose.acall(question=question, tools=list(self.tools.values()))
            for one in chosen.outputs.tool_calls:
                with contextlib.suppress(Exception):  # of the server's tool
                    await self.tools[one.name].acall(**one.args)
            return dspy.Prediction(answer="ok")

    async def run():
        async with connected(served, fragile) as client:
            session = getattr(client, "session", client)
            tools = [dspy.Tool.from_mcp_tool(session, one) for one in (await session.list_tools()).tools]
            support = Support(tools)
            support.set_lm(ScriptedLM({"outputs": asked}))
            async with arecording() as cap:
                await support.acall(question="hi")
        return cap

    cap = asyncio.run(run())
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1", "c2"]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert "mcp" not in cap.invocation.recorded_by


def test_spans_of_its_instrumentor_say_nothing_new():
    with capture():
        pass
    assert adapters.is_on("dspy")
    assert is_covered("openinference.instrumentation.dspy")


def test_its_instrumentor_is_left_alone(project):
    pytest.importorskip("openinference.instrumentation.dspy")
    ended = subprocess.run([sys.executable, "-c", TRACED], cwd=project, capture_output=True, text=True, check=False)

    assert (ended.stdout, ended.returncode) == ("all is well", 0), ended.stderr


TRACED = """
import sys

import dspy
from openinference.instrumentation.dspy import DSPyInstrumentor
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.adapters.dspy_parts import PLAIN, get_booking
from tests.adapters.scenarios.parts import recording
from tests.scripted.dspy import ScriptedLM, calls

exporter = InMemorySpanExporter()
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(exporter))
DSPyInstrumentor().instrument()
agent = dspy.ReActV2("question -> answer", tools=[get_booking])
agent.set_lm(ScriptedLM(calls(("get_booking", {"number": "1"}, "c1")), calls(("submit", {"answer": "ok"}, None))))
with recording() as cap, dspy.context(adapter=PLAIN):
    agent(question="?")
assert len(exporter.get_finished_spans()) > 3
assert [one.name for one in cap.invocation.tool_executions] == ["get_booking"]
assert len(cap.invocation.model_calls) == 2
assert cap.invocation.recorded_by == ("dspy",)
sys.stdout.write("all is well")
"""
