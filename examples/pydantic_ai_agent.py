"""Test what a Pydantic AI agent does: offline, with a model that follows a script.

pip install -e ".[pydantic-ai]" && python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, Field
from pydantic_ai import Agent, ModelMessage, ModelResponse, RunContext, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agentassert import AgentAssertionError, assert_that, capture

# An agent as you would write it, with dependencies, a tool and a typed answer. Nothing here knows that it will be tested.


@dataclass
class Bank:
    """What the agent works with."""

    balances: dict[int, float]


class Advice(BaseModel):
    """What the agent answers with."""

    text: str = Field(description="Advice for the customer")
    block_card: bool = Field(description="Whether to block their card")
    risk: int = Field(description="Risk level of the query", ge=0, le=10)


support_agent = Agent(
    "openai:gpt-5.2",
    deps_type=Bank,
    output_type=Advice,
    instructions="You are a support agent in our bank. Help the customer, and judge the risk of their query.",
    name="support_agent",
    defer_model_check=True,
)


@support_agent.tool
async def customer_balance(ctx: RunContext[Bank], customer_id: int, include_pending: bool = False) -> float:
    """Return the customer's current account balance."""
    return ctx.deps.balances[customer_id] - (10 if include_pending else 0)


# The script: what the model answers, request by request, so that this example needs no key and no network.

SCRIPT = [
    ToolCallPart("customer_balance", {"customer_id": 123, "include_pending": True}, tool_call_id="call_1"),
    ToolCallPart("final_result", {"text": "You have $113.45.", "block_card": False, "risk": 1}, tool_call_id="call_2"),
]


def scripted(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Answer the first request with the first step of the script, and so on."""
    return ModelResponse([SCRIPT[sum(isinstance(message, ModelResponse) for message in messages)]])


def main() -> None:
    """Capture one invocation, and assert on it."""
    with support_agent.override(model=FunctionModel(scripted)), capture() as cap:
        support_agent.run_sync("What is my balance?", deps=Bank({123: 123.45}))

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tool_executed_with("customer_balance", {"customer_id": 123, "include_pending": True})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(2)
    )
    print(chain)
    assert_that(cap).output_at("$.risk").is_less_than(3)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("customer_balance", {"customer_id": 321})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
