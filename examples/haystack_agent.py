"""Test what an agent of Haystack does: offline, with a model that follows a script.

pip install -e ".[haystack]" && python examples/haystack_agent.py
"""

from __future__ import annotations

from typing import Any

from haystack import Pipeline, component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.tools.from_function import create_tool_from_function

from agentassert import AgentAssertionError, assert_that, capture

# An agent as you would write it, in a pipeline that gives it a name. Nothing here knows that it will be tested.


def reserve_table(guests: int, day: str) -> dict[str, str]:
    """Reserve a table in our restaurant."""
    return {"day": day, "table": f"by the window, for {guests}"}


def restaurant(model: Any) -> Pipeline:
    """The pipeline; a test gives its agent another model."""
    host = Agent(chat_generator=model, system_prompt="You reserve tables.", tools=[create_tool_from_function(reserve_table)])
    pipeline = Pipeline()
    pipeline.add_component("host", host)
    return pipeline


# The script: what the model answers, request by request, so that this example needs no key and no network.

SCRIPT = [
    ChatMessage.from_assistant(
        tool_calls=[ToolCall(tool_name="reserve_table", arguments={"guests": 2, "day": "Friday"}, id="c1")]
    ),
    ChatMessage.from_assistant("A table by the window, for two."),
]


@component
class ScriptedModel:
    """Answers the first request with the first step of the script, and so on."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        """Answer by the number of answers that the conversation holds."""
        answered = sum(message.role.value == "assistant" for message in messages)
        return {"replies": [SCRIPT[answered]]}


def main() -> None:
    """Capture one invocation, and assert on it."""
    pipeline = restaurant(ScriptedModel())
    with capture() as cap:
        pipeline.run({"host": {"messages": [ChatMessage.from_user("A table for two on Friday, please")]}})

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .nested_invocation("host")
        .has_succeeded()
        .has_tool_executed_with("reserve_table", {"guests": 2, "day": "Friday"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(2)
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).nested_invocation("host").has_tool_executed_with("reserve_table", {"day": "Saturday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
