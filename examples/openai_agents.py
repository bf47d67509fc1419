"""Test what an agent of the OpenAI Agents SDK does: offline, with a model that follows a script.

pip install -e ".[openai-agents]" && python examples/openai_agents.py
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agentassert import AgentAssertionError, assert_that, capture


class ScriptedModel(Model):
    """A model that answers with the next response of its script, so that this example needs no key and no network."""

    def __init__(self, *script: Any) -> None:
        self.script = list(script)

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        return ModelResponse(output=[self.script.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def says(text: str) -> ResponseOutputMessage:
    """What a model answers."""
    part = ResponseOutputText(text=text, type="output_text", annotations=[])
    return ResponseOutputMessage(id="1", type="message", role="assistant", status="completed", content=[part])


def asks_for(tool: str, call_id: str, **arguments: Any) -> ResponseFunctionToolCall:
    """What a model says when it wants a tool to run, or another agent to take over."""
    return ResponseFunctionToolCall(type="function_call", name=tool, arguments=json.dumps(arguments), call_id=call_id)


# Agents as you would write them. Nothing here knows that it will be tested.


@function_tool
def get_booking(booking_number: str) -> dict[str, str]:
    """Look up a booking."""
    return {"booking_number": booking_number, "customer": "Ann"}


@function_tool
def refund(booking_number: str, amount: int) -> str:
    """Pay money back."""
    return f"{amount} paid back for {booking_number}"


refunds = Agent(
    name="refunds",
    instructions="You pay money back.",
    tools=[refund],
    model=ScriptedModel(asks_for("refund", "call_3", booking_number="MS-777", amount=40), says("You get 40 back, Ann.")),
)
triage = Agent(
    name="triage",
    instructions="You find out who can help.",
    tools=[get_booking],
    handoffs=[refunds],
    model=ScriptedModel(
        asks_for("get_booking", "call_1", booking_number="MS-777"),
        asks_for("transfer_to_refunds", "call_2"),
    ),
)


def main() -> None:
    """Capture one invocation and assert on it."""
    set_tracing_disabled(True)  # the SDK would send its own traces to OpenAI; what is captured here does not depend on them
    with capture() as cap:
        Runner.run_sync(triage, "Please refund my booking MS-777.")
    print(f"1. What the agents answer\n\n{cap.output_text}")

    print("\n2. Chains that pass\n")
    print(assert_that(cap).top_level_only().has_tools_executed_exactly_in_order("get_booking"))
    print(assert_that(cap).nested_invocation("refunds").has_tool_executed_with("refund", {"amount": 40}))
    print(assert_that(cap).including_nested().has_no_more_tool_executions())

    print("\n3. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).nested_invocation("refunds").has_tool_executed_with("refund", {"amount": 400})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
