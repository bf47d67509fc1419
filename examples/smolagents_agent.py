"""Test what agents of smolagents do: offline, with a model that follows a script.

pip install -e ".[smolagents]" && python examples/smolagents_agent.py
"""

from __future__ import annotations

from typing import Any

from smolagents import ChatMessage, CodeAgent, MessageRole, Model, ToolCallingAgent, tool
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction
from smolagents.monitoring import LogLevel

from agentassert import AgentAssertionError, assert_that, capture

# Agents as you would write them: one calls tools, and the other writes code that does. Nothing here knows that it will be tested.


@tool
def reserve_table(guests: int, day: str) -> str:
    """Reserve a table in our restaurant.

    Args:
        guests: How many come.
        day: The day of the week.
    """
    return f"{day}: a table by the window, for {guests}"


def host(model: Model) -> ToolCallingAgent:
    """An agent that calls tools."""
    return ToolCallingAgent(tools=[reserve_table], model=model, name="host", verbosity_level=LogLevel.OFF)


def planner(model: Model) -> CodeAgent:
    """An agent that writes code."""
    return CodeAgent(tools=[reserve_table], model=model, name="planner", verbosity_level=LogLevel.OFF)


# The scripts: what the models answer, request by request, so that this example needs no key and no network.


def call(name: str, **arguments: Any) -> ChatMessage:
    """A response that asks for a tool; `final_answer` is the one by which an agent answers."""
    function = ChatMessageToolCallFunction(name=name, arguments=arguments)
    return ChatMessage(
        MessageRole.ASSISTANT, tool_calls=[ChatMessageToolCall(function=function, id=f"call-{name}", type="function")]
    )


CALLS = [call("reserve_table", guests=2, day="Friday"), call("final_answer", answer="A table by the window, for two.")]
CODE = [
    "Both days.\n<code>\nfor day in ('Friday', 'Saturday'):\n    print(reserve_table(2, day))\n</code>",
    "Done.\n<code>\nfinal_answer('Two tables.')\n</code>",
]


class ScriptedModel(Model):
    """Answers each request with the next step of its script."""

    def __init__(self, steps: list[Any]) -> None:
        super().__init__(model_id="scripted")
        self.steps = list(steps)

    def generate(self, *args: Any, **kwargs: Any) -> ChatMessage:
        """Answer."""
        step = self.steps.pop(0)
        return ChatMessage(MessageRole.ASSISTANT, content=step) if isinstance(step, str) else step


def main() -> None:
    """Capture an invocation of each, and assert on them."""
    with capture() as cap:
        host(ScriptedModel(CALLS)).run("A table for two on Friday, please")

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
    with capture() as cap:
        planner(ScriptedModel(CODE)).run("A table for two on Friday and on Saturday, please")
    try:
        assert_that(cap).has_tool_executed_with("reserve_table", {"day": "Sunday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
