"""Tools and agents of the OpenAI Agents SDK that the tests of its adapter share."""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool
from agents.mcp import MCPServer
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as ToolType

from agentassert import Capture, Outcome
from tests.scripted.openai_agents import ScriptedModel


@function_tool
def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


@function_tool
async def cancel_booking(number: str, reason: str = "user") -> str:
    """Cancel a booking."""
    return f"cancelled {number}"


@function_tool
def broken(x: int) -> str:
    """Fail."""
    raise ValueError("kaput")


def agent(*steps, tools=(), name="support", **options):
    """An agent whose model follows the script."""
    return Agent(name, model=ScriptedModel(*steps), tools=list(tools), **options)


def run_sync(support, given="hi", **options):
    """`Runner.run_sync`, which leaves the event loop that it makes open; left to be collected, that would warn in some later test."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return Runner.run_sync(support, given, **options)
    finally:
        loop.close()
        asyncio.set_event_loop(None)


def executed(cap: Capture, invocation: str | None = None) -> list[tuple[str, Outcome]]:
    """Names and outcomes of an invocation's tool executions."""
    chosen = cap.invocation if invocation is None else cap.invocation_named(invocation)
    return [(execution.name, execution.outcome) for execution in chosen.tool_executions]


class Dice(MCPServer):
    """A server of the Model Context Protocol, in the program."""

    name = "dice"

    async def connect(self):
        pass

    async def cleanup(self):
        pass

    async def list_tools(self, run_context=None, agent=None):
        schema = {"type": "object", "properties": {"sides": {"type": "integer"}}}
        key = "inputSchema" if "inputSchema" in ToolType.model_fields else "input_schema"
        return [ToolType(**{"name": "roll", "description": "Roll.", key: schema})]

    async def call_tool(self, tool_name, arguments, meta=None):
        if arguments["sides"] == 0:
            raise ValueError("no sides")
        text = "4" if arguments["sides"] > 0 else "too few sides"
        key = "isError" if "isError" in CallToolResult.model_fields else "is_error"
        return CallToolResult(**{"content": [TextContent(type="text", text=text)], key: arguments["sides"] < 0})

    async def list_prompts(self):
        raise NotImplementedError

    async def get_prompt(self, name, arguments=None):
        raise NotImplementedError
