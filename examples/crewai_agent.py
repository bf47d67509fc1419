"""Test what a crew of CrewAI does: offline, with models that follow a script.

pip install -e ".[crewai]" && python examples/crewai_agent.py
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")  # before CrewAI is imported
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

from agentassert import AgentAssertionError, assert_that, capture

# A crew as you would write it. Nothing here knows that it will be tested.


@tool
def reserve_table(guests: int, day: str) -> str:
    """Reserve a table in our restaurant."""
    return f"by the window, for {guests}, {day}"


def restaurant(model: str | BaseLLM = "openai/gpt-4o") -> Crew:
    """The crew; a test gives it another model."""
    host = Agent(role="host", goal="reserve tables", backstory="You work in a restaurant.", llm=model, tools=[reserve_table])
    wish = Task(description="{guest} would like: {wish}", expected_output="What was reserved.", agent=host)
    return Crew(agents=[host], tasks=[wish])


# The script: what the model answers, request by request, so that this example needs no key and no network.

RESERVE = {"name": "reserve_table", "arguments": '{"guests": 2, "day": "Friday"}'}
SCRIPT: list[Any] = [
    [{"id": "call_1", "type": "function", "function": RESERVE}],
    "A table by the window, for two.",
]


class ScriptedModel(BaseLLM):
    """Answers the first request with the first step of the script, and so on."""

    def call(self, messages: Any, *args: Any, **options: Any) -> Any:
        """Answer by the number of answers that the conversation holds."""
        return SCRIPT[sum(message["role"] == "assistant" for message in messages)]

    def supports_function_calling(self) -> bool:
        """Say that tools may be asked for as such, not only in words."""
        return True


def main() -> None:
    """Capture one run of the crew, and assert on it."""
    with capture() as cap:
        restaurant(ScriptedModel(model="scripted")).kickoff(inputs={"guest": "Ann", "wish": "a table for two on Friday"})

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .nested_invocation("host")
        .has_tool_executed_with("reserve_table", {"guests": 2, "day": "Friday"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(2)
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).including_nested().has_tool_executed_with("reserve_table", {"day": "Saturday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
