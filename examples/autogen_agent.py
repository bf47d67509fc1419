"""Test what an AutoGen agent does: offline, with a model that follows a script.

pip install -e ".[autogen]" "autogen-ext>=0.7.1" && python examples/autogen_agent.py
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, ModelInfo, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from agentassert import AgentAssertionError, assert_that, capture, record

# AutoGen tells what it does in spans, which need a provider. In pytest this belongs into `conftest.py`.

trace.set_tracer_provider(TracerProvider())


# An agent as you would write it, but for one decorator: the spans tell no arguments, and `record.tool` does.


@record.tool
def find_table(guests: int, day: str) -> str:
    """Find a free table."""
    return f"table 4, {day}, for {guests}"


@record.tool
def book_table(table: str, day: str) -> str:
    """Book a table."""
    return f"{table} is booked for {day}"


def asks_for(name: str, **arguments: Any) -> CreateResult:
    """What a model says when it wants a tool to run."""
    call = FunctionCall(id=f"call_{name}", name=name, arguments=json.dumps(arguments))
    return CreateResult(finish_reason="function_calls", content=[call], usage=RequestUsage(11, 3), cached=False)


SCRIPT: list[str | CreateResult] = [
    asks_for("find_table", guests=4, day="Friday"),
    asks_for("book_table", table="table 4", day="Friday"),
    "Table 4 is yours on Friday.",
]
ABILITIES = ModelInfo(vision=False, function_calling=True, json_output=False, family="replay", structured_output=False)
model = ReplayChatCompletionClient(SCRIPT, ABILITIES)
host = AssistantAgent("host", model, tools=[find_table, book_table], max_tool_iterations=3)


async def main() -> None:
    """Capture one invocation, and assert on it."""
    async with capture() as cap:
        await host.run(task="A table for four on Friday, please.")

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
