"""Test what an agent of the Microsoft Agent Framework does: offline, with a model that follows a script.

pip install -e ".[agent-framework]" && python examples/agent_framework_agent.py
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    Content,
    FunctionInvocationLayer,
    Message,
    tool,
)
from agent_framework.observability import ChatTelemetryLayer, enable_instrumentation
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from agentassert import AgentAssertionError, assert_that, capture

# The framework tells what it does in spans: they need a provider, and what it calls sensitive data. In pytest this belongs into `conftest.py`.

trace.set_tracer_provider(TracerProvider())
enable_instrumentation(enable_sensitive_data=True)


class ScriptedClient(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], ChatTelemetryLayer[Any], BaseChatClient[Any]):
    """A client that answers with the next step of its script, so that this example needs no key and no network."""

    def __init__(self, *script: Content) -> None:
        super().__init__()
        self.model = "scripted"
        self.script = list(script)

    async def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **kwargs: Any
    ) -> ChatResponse:
        return ChatResponse(messages=[Message(role="assistant", contents=[self.script.pop(0)])], model=self.model)


def asks_for(name: str, call_id: str, **arguments: Any) -> Content:
    """What a model says when it wants a tool to run."""
    return Content.from_function_call(call_id, name, arguments=json.dumps(arguments))


# An agent as you would write it. Nothing here knows that it will be tested.


@tool(approval_mode="never_require")
def find_table(guests: int, day: str) -> str:
    """Find a free table."""
    return f"table 4, {day}, for {guests}"


@tool(approval_mode="never_require")
def book_table(table: str, day: str) -> str:
    """Book a table."""
    return f"{table} is booked for {day}"


SCRIPT = [
    asks_for("find_table", "call_1", guests=4, day="Friday"),
    asks_for("book_table", "call_2", table="table 4", day="Friday"),
    Content.from_text("Table 4 is yours on Friday."),
]
host = Agent(ScriptedClient(*SCRIPT), name="host", tools=[find_table, book_table])


async def main() -> None:
    """Capture one invocation, and assert on it."""
    async with capture() as cap:
        await host.run("A table for four on Friday, please.")

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tools_executed_in_order("find_table", "book_table")
        .has_tool_executed_with("book_table", {"day": "Friday"})
        .has_no_more_tool_executions()
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("book_table", {"day": "Saturday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    asyncio.run(main())
