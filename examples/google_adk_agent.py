"""Test what an agent of Google's ADK does: offline, with a model that follows a script.

pip install -e ".[google-adk]" && python examples/google_adk_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from agentassert import AgentAssertionError, assert_that, capture
from agentassert.conversations import Conversation

# An agent as you would write it, with a tool that keeps something in the session's state. Nothing here knows that it will be tested.


def reserve_table(guests: int, day: str, tool_context: ToolContext) -> dict[str, Any]:
    """Reserve a table in our restaurant."""
    tool_context.state["guests"] = guests
    return {"day": day, "table": "by the window"}


def host(model: str | BaseLlm = "gemini-2.5-flash") -> LlmAgent:
    """The agent; a test gives it another model."""
    return LlmAgent(name="host", model=model, instruction="You reserve tables.", tools=[reserve_table])


# The script: what the model answers, request by request, so that this example needs no key and no network.

SCRIPT = [
    types.Part(function_call=types.FunctionCall(name="reserve_table", args={"guests": 2, "day": "Friday"})),
    types.Part(text="A table by the window, for two."),
]


class ScriptedModel(BaseLlm):
    """Answers the first request with the first step of the script, and so on."""

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        """Answer by the number of answers that the conversation holds."""
        answered = sum(content.role == "model" for content in llm_request.contents)
        yield LlmResponse(content=types.Content(role="model", parts=[SCRIPT[answered]]))


async def ask(question: str) -> None:
    """Run the agent as a program does."""
    runner = InMemoryRunner(agent=host(ScriptedModel(model="scripted")), app_name="restaurant")
    session = await runner.session_service.create_session(app_name="restaurant", user_id="ann")
    said = types.Content(role="user", parts=[types.Part(text=question)])
    async for _ in runner.run_async(user_id="ann", session_id=session.id, new_message=said):
        pass


def main() -> None:
    """Capture one invocation, and assert on it."""
    with capture() as cap:
        asyncio.run(ask("A table for two on Friday, please"))

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tool_executed_with("reserve_table", {"guests": 2, "day": "Friday"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(2)
    )
    print(chain)
    assert_that(Conversation.from_capture(cap).turn(0)).has_slot_set("guests", 2)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("reserve_table", {"day": "Saturday"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
