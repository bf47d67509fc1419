"""Test what a LangGraph agent does: offline, with a model that follows a script.

pip install -e ".[langchain]" && python examples/quickstart.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool

from agentassert import AgentAssertionError, ChatModelCall, Invocation, ToolExecution, assert_that, capture


class ScriptedModel(GenericFakeChatModel):
    """A chat model that answers with the next message of its script, so that this example needs no key and no network."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[Any, AIMessage]:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools])


# An agent as you would write it: two tools and a model. Nothing here knows that it will be tested.


def get_booking(booking_number: str) -> dict[str, str]:
    """Look up a booking."""
    return {"booking_number": booking_number, "customer": "Ann"}


def cancel_booking(booking_number: str, reason: str) -> str:
    """Cancel a booking."""
    return f"{booking_number} is cancelled ({reason})"


def asks_for(tool: str, arguments: dict[str, str], call_id: str) -> AIMessage:
    """What a model says when it wants a tool to run."""
    return AIMessage("", tool_calls=[{"name": tool, "args": arguments, "id": call_id}])


script = [
    asks_for("get_booking", {"booking_number": "MS-777"}, "call_1"),
    asks_for("cancel_booking", {"booking_number": "MS-777", "reason": "illness"}, "call_2"),
    AIMessage("Your booking MS-777 is cancelled, Ann."),
]
agent = create_agent(ScriptedModel(messages=iter(script)), [get_booking, cancel_booking], name="support_agent")


def show(invocation: Invocation, indent: str = "") -> None:
    """Print an invocation and, in the order they started, what happened in it."""
    print(f"{indent}{invocation.name}: {invocation.status}")
    parts: list[ChatModelCall | ToolExecution | Invocation] = [*invocation.own_chat_model_calls]
    parts += [*invocation.tool_executions, *invocation.nested_invocations]
    for part in sorted(parts, key=lambda part: part.started_order):
        if isinstance(part, Invocation):
            show(part, f"{indent}|   ")
        elif isinstance(part, ToolExecution):
            print(f"{indent}|-- tool: {part.name} {part.arguments} -> {part.result!r}")
        else:
            requested = " and ".join(request.name for request in part.tool_execution_requests)
            print(f"{indent}|-- model: {f'asks for {requested}' if requested else repr(part.response_text)}")


def main() -> None:
    """Capture one invocation, look at it, assert on it."""
    print("1. What the capture recorded\n")
    with capture() as cap:
        agent.invoke({"messages": [HumanMessage("I am ill. Please cancel my booking MS-777.")]})
    show(cap.invocation)

    print("\n2. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tools_executed_in_order("get_booking", "cancel_booking")
        .has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
        .has_no_more_tool_executions()
    )
    print(chain)

    print("\n3. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("cancel_booking", {"booking_number": "MS-778"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
