"""Test what an agent of Agno does: offline, with a model that follows a script.

pip install -e ".[agno]" && python examples/agno_agent.py
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse

from agentassert import AgentAssertionError, assert_that, capture

# An agent as you would write it. Nothing in it knows that it will be tested.


def reserve_table(guests: int, day: str) -> dict[str, Any]:
    """Reserve a table in our restaurant."""
    return {"guests": guests, "day": day, "table": "by the window"}


def host(model: Model) -> Agent:
    """The agent; a program gives it a provider's model, a test another one."""
    return Agent(name="host", model=model, instructions="You reserve tables.", tools=[reserve_table], telemetry=False)


# The script: what the model answers, request by request, so that this example needs no key and no network.

ASKED = {"name": "reserve_table", "arguments": json.dumps({"guests": 2, "day": "Friday"})}
SCRIPT = [
    ModelResponse(role="assistant", tool_calls=[{"id": "call_1", "type": "function", "function": ASKED}]),
    ModelResponse(role="assistant", content="A table by the window, for two."),
]


class ScriptedModel(Model):
    """Answers the first request with the first step of the script, and so on."""

    def _answer(self, messages: list[Message]) -> ModelResponse:
        return SCRIPT[sum(message.role == "assistant" for message in messages)]

    def invoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Answer by the number of answers that the conversation holds."""
        return self._answer(kwargs["messages"])

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """The same."""
        return self._answer(kwargs["messages"])

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        """The same, in one piece."""
        yield self._answer(kwargs["messages"])

    async def ainvoke_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ModelResponse]:
        """The same."""
        yield self._answer(kwargs["messages"])

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        raise NotImplementedError


def main() -> None:
    """Capture one invocation, and assert on it."""
    with capture() as cap:
        host(ScriptedModel(id="scripted")).run("A table for two on Friday, please")

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
