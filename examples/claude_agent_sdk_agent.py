"""Test what an agent of the Claude Agent SDK does: offline, with Claude Code played by a script.

pip install -e ".[claude-agent-sdk]" && python examples/claude_agent_sdk_agent.py
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, Transport, create_sdk_mcp_server, query, tool

from agentassert import AgentAssertionError, assert_that, capture

# An agent as you would write it, with a tool that runs in your process. Nothing here knows that it will be tested.


@tool("reserve_table", "Reserve a table in our restaurant", {"guests": int, "day": str})
async def reserve_table(given: dict[str, Any]) -> dict[str, Any]:
    """Reserve a table."""
    return {"content": [{"type": "text", "text": json.dumps({"day": given["day"], "table": "by the window"})}]}


OPTIONS = ClaudeAgentOptions(
    system_prompt="You reserve tables.",
    mcp_servers={"restaurant": create_sdk_mcp_server("restaurant", tools=[reserve_table])},
    allowed_tools=["mcp__restaurant__reserve_table"],
)


async def ask(question: str, transport: Transport | None = None) -> None:
    """Ask as a program does; a test gives a transport that needs no Claude Code."""
    async for _ in query(prompt=question, options=OPTIONS, transport=transport):
        pass


# The script: what Claude Code sends, so that this example needs no key and no network. In your tests, have Claude Code itself talk to a
# scripted model instead, as docs/how-to/claude-agent-sdk.md shows.

RESERVE = {"type": "tool_use", "id": "toolu_1", "name": "mcp__restaurant__reserve_table", "input": {"guests": 2, "day": "Friday"}}
ANSWER = "A table by the window, for two."


class PlayedByScript(Transport):
    """The other end of the connection."""

    def __init__(self) -> None:
        self._messages: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._ids = itertools.count(1)

    async def connect(self) -> None:
        """Nothing is to be started."""

    async def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        """What Claude Code sends."""
        while (message := await self._messages.get()) is not None:
            yield message

    async def write(self, data: str) -> None:
        """React to what Claude Code is sent."""
        message = json.loads(data)
        match message["type"]:
            case "control_request":
                answered = {"subtype": "success", "request_id": message["request_id"], "response": {}}
                self._send({"type": "control_response", "response": answered})
            case "user":
                self._call(
                    "initialize",
                    {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
                )
            case _:
                self._go_on(message["response"]["response"]["mcp_response"]["result"])

    def _go_on(self, result: dict[str, Any]) -> None:
        if "protocolVersion" in result:
            self._say("assistant", RESERVE, id="msg_1", model="scripted")
            meta = {"claudecode/toolUseId": RESERVE["id"]}
            self._call("tools/call", {"name": "reserve_table", "arguments": RESERVE["input"], "_meta": meta})
            return
        self._say("user", {"type": "tool_result", "tool_use_id": RESERVE["id"], "content": result["content"]})
        self._say("assistant", {"type": "text", "text": ANSWER}, id="msg_2", model="scripted")
        ended = {
            "subtype": "success",
            "is_error": False,
            "duration_ms": 1,
            "duration_api_ms": 1,
            "num_turns": 2,
            "result": ANSWER,
        }
        self._send({"type": "result", "session_id": "s", "stop_reason": "end_turn", **ended})

    def _say(self, role: str, block: dict[str, Any], **fields: Any) -> None:
        self._send({"type": role, "message": {"role": role, "content": [block], **fields}, "parent_tool_use_id": None})

    def _call(self, method: str, params: dict[str, Any]) -> None:
        key = next(self._ids)
        message = {"jsonrpc": "2.0", "id": key, "method": method, "params": params}
        request = {"subtype": "mcp_message", "server_name": "restaurant", "message": message}
        self._send({"type": "control_request", "request_id": str(key), "request": request})

    def _send(self, message: dict[str, Any] | None) -> None:
        self._messages.put_nowait(message)

    def is_ready(self) -> bool:
        """Whether it is connected."""
        return True

    async def end_input(self) -> None:
        """Nothing more will be asked."""
        self._send(None)

    async def close(self) -> None:
        """The connection is over."""
        self._send(None)


def main() -> None:
    """Capture one invocation, and assert on it."""
    with capture() as cap:
        asyncio.run(ask("A table for two on Friday, please", PlayedByScript()))

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tool_executed_with("reserve_table", {"guests": 2, "day": "Friday"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(2)
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("reserve_table", {"day": "Saturday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
