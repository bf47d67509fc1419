"""The SDK over what it stands on, and other things that are recorded inside its tools: each call and each execution once."""

from __future__ import annotations

import asyncio
import importlib.util
import os
from pathlib import Path

import pytest

pytest.importorskip("claude_agent_sdk")

import claude_agent_sdk
from claude_agent_sdk import AgentDefinition, PermissionResultAllow, query

from agentassert import Decision, Outcome, assert_that, capture
from agentassert.scripted import call_tool, reply, scripted_model
from tests.adapters.claude_agent_sdk_parts import aask, ask, executed, options
from tests.scripted.claude_agent_sdk import ScriptedCode, asks_for, own
from tests.scripted.loopback import serving

CODE = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"


def get_booking(number: str) -> str:
    """Look a booking up."""
    return f"booked {number}"


def refund(amount: int) -> str:
    """Pay money back."""
    raise ValueError("no money")


@pytest.fixture
def own_settings(tmp_path, monkeypatch):
    """Claude Code without the settings of whoever runs the tests."""
    for name in [name for name in os.environ if name.startswith(("ANTHROPIC", "CLAUDE"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "settings"))
    monkeypatch.setenv("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "notes.txt").write_text("Ann called.")
    return tmp_path / "work"


@pytest.mark.filterwarnings("ignore:can_use_tool will not be invoked")
@pytest.mark.skipif(not CODE.is_file(), reason="this build of the SDK comes without Claude Code")
def test_claude_code_itself_over_a_scripted_model(own_settings, monkeypatch):
    asked = []

    async def permit(tool, given, context):
        asked.append(tool)
        return PermissionResultAllow(updated_input={"number": "8"})

    async def prompts():
        yield {"type": "user", "message": {"role": "user", "content": "Where is my booking?"}}

    helper = AgentDefinition(description="Reads", prompt="You read.", tools=["Read"])
    script = [
        reply(
            "Let me see.",
            call_tool(own("get_booking"), {"number": "7"}),
            call_tool("Read", {"file_path": f"{own_settings}/notes.txt"}),
        ),
        call_tool(own("refund"), {"amount": 5}),
        call_tool("nope", {}),
        call_tool("Agent", {"subagent_type": "helper", "description": "read", "prompt": "Read on", "run_in_background": False}),
        call_tool("Read", {"file_path": f"{own_settings}/notes.txt"}),
        reply("Ann called, they say."),
        reply("All done.", tokens=(40, 6)),
    ]

    async def run():
        given = options(
            get_booking,
            refund,
            can_use_tool=permit,
            cwd=str(own_settings),
            setting_sources=[],
            agents={"helper": helper},
            allowed_tools=[own("refund"), "Agent", "Read"],
            model="claude-sonnet-4-5",
        )
        async for _ in query(prompt=prompts(), options=given):
            pass

    with scripted_model(script) as model, capture(on_doubt="fail") as cap:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", model.base_url.removesuffix("/v1"))
        asyncio.run(asyncio.wait_for(run(), 60))

    invocation = cap.invocation
    (nested,) = invocation.nested_invocations
    booked, read, refunded, agent = invocation.tool_executions
    assert (invocation.input, cap.output_text, asked) == ("Where is my booking?", "All done.", [own("get_booking")])
    assert (booked.name, booked.arguments, booked.result) == ("get_booking", {"number": "8"}, "booked 8")
    assert [(one.tool, one.arguments, one.decision) for one in invocation.approvals] == [
        ("get_booking", {"number": "7"}, Decision.EDIT)
    ]
    assert (read.name, read.outcome, "Ann called." in read.result) == ("Read", Outcome.SUCCEEDED, True)
    assert (refunded.outcome, repr(refunded.error)) == (Outcome.FAILED, "ValueError('no money')")
    assert (agent.name, nested.name, nested.started_by, nested.awaited) == ("Agent", "helper", agent.id, True)
    assert (nested.input, nested.output_text, executed(nested)) == (
        "Read on",
        "Ann called, they say.",
        [("Read", Outcome.SUCCEEDED)],
    )
    assert [len(one.own_chat_model_calls) for one in (invocation, nested)] == [5, 2]
    assert [one.answered for one in invocation.tool_execution_requests] == [True, True, True, False, True]
    assert_that(cap).has_finish_reason("stop")


def test_a_tool_that_asks_a_model_by_an_sdk():
    anthropic = pytest.importorskip("anthropic")
    from tests.scripted.anthropic_sdk import message, text

    with serving(message(text("42"))) as provider:

        async def think(about: str) -> str:
            """Think."""
            async with anthropic.AsyncAnthropic(api_key="none", base_url=provider.url) as client:
                told = [{"role": "user", "content": about}]
                return (await client.messages.create(model="claude-x", max_tokens=5, messages=told)).content[0].text

        with capture(on_doubt="fail") as cap:
            ask(asks_for((own("think"), {"about": "all"}, "c1")), "done", tools=[think])

    assert executed(cap) == [("think", Outcome.SUCCEEDED)]
    assert len(provider.requests) == 1
    assert [(one.model, one.own) for one in cap.invocation.model_calls] == [
        ("claude-scripted", True),
        ("claude-x", False),
        ("claude-scripted", True),
    ]
    assert_that(cap).has_own_chat_model_call_count(2)


def test_a_tool_that_calls_a_tool_of_mcp():
    from tests.scripted.mcp import connected
    from tests.scripted.mcp_server import get_booking as remote

    async def look_up(number: str) -> str:
        """Look up."""
        async with connected(remote) as session:
            return str(await session.call_tool("get_booking", {"number": number}))

    async def run():
        async with capture(on_doubt="fail") as cap:
            await aask(ScriptedCode(asks_for((own("look_up"), {"number": "1"}, "c1")), "done"), look_up)
        return cap

    assert executed(asyncio.run(run())) == [("look_up", Outcome.SUCCEEDED)]


def test_another_framework_in_a_tool():
    if importlib.util.find_spec("pydantic_ai") is None:
        pytest.skip("pydantic-ai is not installed here")
    from pydantic_ai import Agent

    from tests.scripted.pydantic_ai import ScriptedModel, says

    async def research(topic: str) -> str:
        """Ask another agent."""
        return (await Agent(ScriptedModel(says("all")), name="researcher").run(topic)).output

    with capture(on_doubt="fail") as cap:
        ask(asks_for((own("research"), {"topic": "x"}, "c1")), "done", tools=[research])

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.framework, nested.started_by) == (
        "researcher",
        "pydantic_ai",
        cap.invocation.tool_executions[0].id,
    )


def test_spans_of_an_instrumentor_tell_nothing_new():
    instrumentation = pytest.importorskip("openinference.instrumentation.claude_agent_sdk")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    instrumentor = instrumentation.ClaudeAgentSDKInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    script = ScriptedCode(asks_for((own("get_booking"), {"number": "1"}, "c1")), "done")

    async def run():
        async with capture(on_doubt="fail") as cap:
            async for _ in claude_agent_sdk.query(prompt="Hi", options=options(get_booking), transport=script.transport()):
                pass
        return cap

    try:
        cap = asyncio.run(run())
    finally:
        instrumentor.uninstrument()

    assert exporter.get_finished_spans()
    assert (cap.invocation.framework, cap.invocation.nested_invocations) == ("claude-agent-sdk", ())
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]
    assert_that(cap).has_own_chat_model_call_count(2)
