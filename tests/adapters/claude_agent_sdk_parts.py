"""Claude Code with scripts, and the ways to ask it, that the tests of its adapter share."""

from __future__ import annotations

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, create_sdk_mcp_server, query

from agentassert import Capture, Invocation, Outcome
from tests.adapters.kits.claude_agent_sdk import tool_of
from tests.scripted.claude_agent_sdk import SERVER, ScriptedCode, asks_for, own


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def refund(amount: int) -> str:
    """Pay money back."""
    return f"paid {amount}"


def options(*tools, **fields):
    """Options with tools of this process, which are functions, or tools of the SDK."""
    made = [tool_of(one) if callable(one) else one for one in tools]
    return ClaudeAgentOptions(mcp_servers={SERVER: create_sdk_mcp_server(SERVER, tools=made)}, **fields)


def looks_up(number="MS-777", key="c1"):
    """The model asks for a booking."""
    return asks_for((own("get_booking"), {"number": number}, key))


async def aask(code, *tools, prompt="Hi", **fields):
    """Ask once, and give all messages."""
    return [one async for one in query(prompt=prompt, options=options(*tools, **fields), transport=code.transport())]


def ask(*steps, tools=(), script=None, **fields):
    """The same from code that is not async."""
    code = script or ScriptedCode(*steps)
    return asyncio.run(aask(code, *tools, **fields))


def client(*steps, tools=(), script=None, **fields):
    """A client that is not connected."""
    code = script or ScriptedCode(*steps)
    return ClaudeSDKClient(options(*tools, **fields), transport=code.transport())


async def say(connected, text):
    """Ask over a client, and read the answer."""
    await connected.query(text)
    return [one async for one in connected.receive_response()]


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
