"""Test a LangGraph agent without a key and without a network: its model follows a script.

pip install -e ".[langchain]" langchain-openai && python examples/scripted_model.py
"""

from __future__ import annotations

import json

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from agentassert import assert_that, capture
from agentassert.scripted import Reply, ScriptedRequest, ScriptError, Step, call_tool, fail, reply, scripted_model

# The agent as you would write it, but for the address of its model.


def get_booking(number: str) -> str:
    """Look a booking up."""
    return json.dumps({"number": number, "customer": "Ann"})


def cancel_booking(number: str, reason: str) -> str:
    """Cancel a booking."""
    return json.dumps({"number": number, "reason": reason, "refund": 40})


def support(question: str, address: str) -> str:
    """Ask the agent."""
    model = ChatOpenAI(model="gpt-5.2", base_url=address, api_key=SecretStr("none"))
    agent = create_agent(model, [get_booking, cancel_booking], system_prompt="You cancel bookings.")
    answer: str = agent.invoke({"messages": [{"role": "user", "content": question}]})["messages"][-1].content
    return answer


def confirming(request: ScriptedRequest) -> Reply:
    """A step that is computed: it says what the tool gave."""
    (result,) = request.tool_results
    return reply(f"Done. You get {result.value['refund']} back.")


SCRIPT: list[Step] = [
    call_tool("get_booking", {"number": "MS-777"}),
    fail(429, "too many requests"),
    call_tool("cancel_booking", {"number": "MS-777", "reason": "illness"}),
    confirming,
]


def main() -> None:
    """Play a script that fits, and one that does not."""
    print("1. The agent looks the booking up, is told to slow down, cancels, and says what it did\n")
    with scripted_model(SCRIPT) as model, capture() as cap:
        print(support("Please cancel MS-777, I am ill.", model.base_url))
    chain = (
        assert_that(cap)
        .has_tools_executed_in_order("get_booking", "cancel_booking")
        .has_tool_executed_with("cancel_booking", {"number": "MS-777"})
        .has_no_more_tool_executions()
        .has_own_chat_model_call_count(3)
    )
    print(chain)

    print("\n2. What a request says, and which attempt it was\n")
    for request in model.requests:
        print(f"{request.number}: attempt {request.attempt}, {len(request.messages)} messages, tools {', '.join(request.tools)}")

    print("\n3. A script that the agent does not play to its end\n")
    try:
        with scripted_model([reply("It is cancelled."), reply("Goodbye.")]) as model:
            support("Please cancel MS-777.", model.base_url)
    except ScriptError as error:
        print(error)


if __name__ == "__main__":
    main()
