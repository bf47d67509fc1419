"""Test a loop that is written by hand over the `anthropic` SDK: offline, with a model that follows a script.

pip install -e ".[anthropic]" && python examples/anthropic_loop.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anthropic

from agentassert import AgentAssertionError, assert_that, capture
from agentassert.scripted import call_tool, reply, scripted_model

# The loop as you would write it. Nothing here knows that it will be tested.


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def cancel_booking(number: str, reason: str) -> dict[str, Any]:
    """Cancel a booking."""
    if not reason:
        raise ValueError("a reason is needed")
    return {"number": number, "reason": reason, "refund": 40}


TOOLS: dict[str, Callable[..., Any]] = {"get_booking": get_booking, "cancel_booking": cancel_booking}
SCHEMAS: Any = [{"name": name, "description": tool.__doc__, "input_schema": {"type": "object"}} for name, tool in TOOLS.items()]


def execute(use: anthropic.types.ToolUseBlock) -> Any:
    """Run a tool that the model asked for, and tell it what came of that."""
    try:
        result = TOOLS[use.name](**use.input)
    except ValueError as error:
        return {"type": "tool_result", "tool_use_id": use.id, "content": str(error), "is_error": True}
    return {"type": "tool_result", "tool_use_id": use.id, "content": json.dumps(result)}


def answer(client: anthropic.Anthropic, question: str) -> str:
    """Ask the model, and run the tools that it asks for, until it has an answer."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        said = client.messages.create(model="claude-sonnet-5", max_tokens=500, messages=messages, tools=SCHEMAS)
        if said.stop_reason != "tool_use":
            return "".join(block.text for block in said.content if block.type == "text")
        messages.append({"role": "assistant", "content": said.content})
        messages.append({"role": "user", "content": [execute(block) for block in said.content if block.type == "tool_use"]})


# The script: what the model answers, request by request.

SCRIPT = [
    call_tool("get_booking", {"number": "MS-777"}),
    call_tool("cancel_booking", {"number": "MS-777", "reason": ""}),
    call_tool("cancel_booking", {"number": "MS-777", "reason": "illness"}),
    reply("Done. You get 40 back, Ann.", tokens=(50, 10)),
]


def main() -> None:
    """Capture the loop, and assert on it."""
    with (
        capture("cancellation") as cap,
        scripted_model(SCRIPT) as model,
        anthropic.Anthropic(api_key="none", base_url=model.anthropic_base_url) as client,
    ):
        answer(client, "Please cancel MS-777, I am ill.")

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tools_executed_in_order("get_booking", "cancel_booking")
        .has_tool_execution_failed("cancel_booking")
        .has_tool_executed_with("cancel_booking", {"reason": "illness"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(4)
        .has_total_tokens_at_most(105)
    )
    print(chain)
    assert_that(cap).output_text().contains("You get 40 back")

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_no_failed_tool_executions()
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    main()
