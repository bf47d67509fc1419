"""Frameworks that call tools through MCP: each execution once, recorded by the framework's own adapter."""

from __future__ import annotations

import asyncio
import importlib.util
import sys

import pytest

pytest.importorskip("mcp")

from agentassert import Outcome, assert_that, record
from tests.adapters.scenarios.parts import arecording, executed
from tests.scripted.mcp import Server, connected, provide
from tests.scripted.mcp_server import fragile, get_booking

REQUESTS = [("get_booking", {"number": "1"}, "c1"), ("fragile", {"x": 1}, "c2")]
ONCE = [("get_booking", Outcome.SUCCEEDED), ("fragile", Outcome.FAILED)]


def is_complete(cap, framework):
    """Whether the run of an agent holds each execution once, joined to the request of it."""
    assert cap.invocation.framework == framework
    assert executed(cap.invocation) == ONCE
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1", "c2"]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert "mcp" not in cap.invocation.recorded_by
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "1"}).has_tool_execution_failed("fragile")
    assert_that(cap).has_own_chat_model_call_count(3)


def has(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_the_openai_agents_sdk_over_a_server_in_another_process(project):
    pytest.importorskip("agents")
    from agents import Agent, RunConfig, Runner
    from agents.mcp import MCPServerStdio

    from tests.scripted.openai_agents import ScriptedModel, asks_for, says

    async def run():
        command = {"command": sys.executable, "args": ["-m", "tests.scripted.mcp_server"], "cwd": str(project)}
        async with MCPServerStdio(params=command, client_session_timeout_seconds=60) as server, arecording() as cap:
            model = ScriptedModel(*map(asks_for, REQUESTS), says("done"))
            await Runner.run(
                Agent("support", model=model, mcp_servers=[server]), "hi", run_config=RunConfig(tracing_disabled=True)
            )
        return cap

    is_complete(asyncio.run(run()), "openai-agents")


@pytest.mark.skipif(not has("fastmcp"), reason="fastmcp is not installed here")
def test_pydantic_ai_over_a_server_in_this_process():
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent

    from tests.adapters.pydantic_ai_parts import toolset_of
    from tests.scripted.pydantic_ai import ScriptedModel, asks_for, says

    async def run():
        toolset = toolset_of(provide(fastmcp_server(), (get_booking, fragile), {}))
        async with arecording() as cap:
            agent = Agent(ScriptedModel(*map(asks_for, REQUESTS), says("done")), name="support", toolsets=[toolset])
            await agent.run("hi")
        return cap

    is_complete(asyncio.run(run()), "pydantic_ai")


def fastmcp_server():
    from fastmcp import FastMCP

    return FastMCP("bookings")


def langchain_agent(tools):
    """An agent of LangChain whose model is told of failures."""
    from langchain.agents import create_agent

    from tests.scripted.langchain import ScriptedChatModel, asks_for, says

    return create_agent(ScriptedChatModel(*map(asks_for, REQUESTS), says("done")), tools, name="support")


@pytest.mark.skipif(not has("langchain.mcp") or not has("fastmcp"), reason="this release of LangChain has no client of MCP")
def test_langchain_over_a_server_in_this_process():
    from langchain_core._api import suppress_langchain_beta_warning

    with suppress_langchain_beta_warning():
        from langchain.mcp import MCPAdapter

    async def run():
        async with MCPAdapter(provide(Server("bookings"), (get_booking, fragile), {})) as adapter:
            agent = langchain_agent(await adapter.list_tools())
            async with arecording() as cap:
                await agent.ainvoke({"messages": [("user", "hi")]})
        return cap

    is_complete(asyncio.run(run()), "langchain")


@pytest.mark.skipif(not has("langchain_mcp_adapters"), reason="langchain-mcp-adapters is not installed here")
def test_langchain_mcp_adapters_over_a_server_in_this_process():
    from langchain_mcp_adapters.tools import load_mcp_tools

    async def run():
        async with connected(get_booking, fragile) as session:
            tools = await load_mcp_tools(session)
            for tool in tools:
                tool.handle_tool_error = True
            async with arecording() as cap:
                await langchain_agent(tools).ainvoke({"messages": [("user", "hi")]})
        return cap

    is_complete(asyncio.run(run()), "langchain")


@pytest.mark.parametrize("decorated", [False, True])
def test_a_tool_of_a_framework_that_calls_a_server_is_one_execution(decorated):
    pytest.importorskip("langchain")
    from langchain_core.tools import StructuredTool

    async def run():
        async with connected(record.tool(get_booking) if decorated else get_booking, fragile) as client:

            async def look_up(number: str) -> str:
                """Look a booking up."""
                await client.call_tool("get_booking", {"number": number})
                return "found"

            async def fail(x: int) -> str:
                """Fail."""
                await client.call_tool("fragile", {"x": x})
                raise ValueError("kaput")

            tools = [
                StructuredTool.from_function(coroutine=look_up, name="get_booking"),
                StructuredTool.from_function(coroutine=fail, name="fragile"),
            ]
            async with arecording(expecting_failure=True) as cap:
                await langchain_agent(tools).ainvoke({"messages": [("user", "hi")]})
        return cap

    cap = asyncio.run(run())
    assert executed(cap.invocation) == ONCE


def test_a_loop_over_a_raw_sdk_has_executions_that_answer_its_requests():
    openai = pytest.importorskip("openai")
    from tests.scripted import openai_sdk
    from tests.scripted.loopback import serving

    async def run(provider):
        async with openai.AsyncOpenAI(base_url=provider.url, api_key="none") as model, connected(get_booking) as client:
            async with arecording() as cap:
                messages = [{"role": "user", "content": "hi"}]
                first = await model.chat.completions.create(model="m", messages=messages)
                result = await client.call_tool("get_booking", {"number": "1"})
                told = {"role": "tool", "tool_call_id": "call_0", "content": result.content[0].text}
                answer = first.choices[0].message.model_dump(exclude_none=True)
                await model.chat.completions.create(model="m", messages=[*messages, answer, told])
        return cap

    with serving(openai_sdk.chat(None, ("get_booking", {"number": "1"})), openai_sdk.chat("done")) as provider:
        cap = asyncio.run(run(provider))
    assert executed(cap.invocation) == [("get_booking", Outcome.SUCCEEDED)]
    (execution,) = cap.invocation.tool_executions
    assert (execution.call_id, execution.inferred, cap.output_text) == ("call_0", False, "done")
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True]
