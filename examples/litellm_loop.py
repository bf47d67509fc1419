"""Test a loop that is written by hand over LiteLLM: offline, with a model that follows a script.

pip install -e ".[litellm]" && python examples/litellm_loop.py
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or LiteLLM looks prices up when it is imported

from litellm import completion

from agentassert import AgentAssertionError, NotRecordedError, assert_that, capture, record
from agentassert.scripted import call_tool, reply, scripted_model

# The loop as you would write it. Nothing here knows that it will be tested.


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def cancel_booking(number: str, reason: str) -> dict[str, Any]:
    """Cancel a booking."""
    return {"number": number, "reason": reason, "refund": 40}


TOOLS: dict[str, Callable[..., Any]] = {"get_booking": get_booking, "cancel_booking": cancel_booking}
SCHEMAS = [{"type": "function", "function": {"name": name, "description": tool.__doc__}} for name, tool in TOOLS.items()]


def answer(question: str, **provider: Any) -> str:
    """Ask the model, and run the tools that it asks for, until it has an answer."""
    messages: list[Any] = [{"role": "system", "content": "You cancel bookings."}, {"role": "user", "content": question}]
    while True:
        said: Any = completion("openai/gpt-5.2", messages, tools=SCHEMAS, **provider)
        message = said.choices[0].message
        if not message.tool_calls:
            return message.content or ""
        messages.append(message)
        for call in message.tool_calls:
            result = TOOLS[call.function.name](**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})


# The script: what the model answers, request by request.

SCRIPT = [
    call_tool("get_booking", {"number": "MS-777"}),
    call_tool("cancel_booking", {"number": "MS-777", "reason": "illness"}),
    reply("Done. You get 40 back, Ann.", tokens=(50, 10)),
]


def run() -> None:
    """Let the loop cancel a booking."""
    with scripted_model(SCRIPT) as model:
        answer("Please cancel MS-777, I am ill.", api_base=model.base_url, api_key="none")


def main() -> None:
    """Capture the loop, and assert on it."""
    print("1. A chain that passes, on tools that are marked as such\n")
    for name, tool in list(TOOLS.items()):
        TOOLS[name] = record.tool(tool)
    with capture("cancellation") as cap:
        run()
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tools_executed_in_order("get_booking", "cancel_booking")
        .has_tool_executed_with("cancel_booking", {"number": "MS-777"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(3)
        .has_total_tokens_at_most(90)
    )
    print(chain)
    assert_that(cap).output_text().contains("You get 40 back")

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("cancel_booking", {"number": "MS-778"})
    except AgentAssertionError as error:
        print(error)

    print("\n3. Without the marks, nobody knows whether the tools succeeded\n")
    TOOLS.update(get_booking=get_booking, cancel_booking=cancel_booking)
    with capture("cancellation") as cap:
        run()
    assert_that(cap).has_tool_requested("cancel_booking")
    try:
        assert_that(cap).has_tool_executed("cancel_booking")
    except NotRecordedError as error:
        print(error)


if __name__ == "__main__":
    main()
