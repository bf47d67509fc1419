"""The captures that the examples in docstrings are about."""

from __future__ import annotations

import asyncio
from typing import Any

from agentassert import capture, record


def captures() -> dict[str, Any]:
    """A new capture under each name; what an example checks is marked in no other one."""
    return {
        "cap": cap_of_support_agent(),
        "cap_of_cancelled": cap_of_cancelled(),
        "cap_of_failed": cap_of_failed(),
        "cap_of_greeter": cap_of_greeter(),
        "cap_of_team": cap_of_team(),
    }


def cap_of_support_agent():
    """Two model calls, three tools of which the last one fails, a source, an approval and a rejection."""
    messages = [{"role": "system", "content": "Be polite."}, {"role": "user", "content": "Cancel MS-777"}]
    wanted = [
        {"name": "get_booking", "arguments": {"booking_number": "MS-777"}, "call_id": "1"},
        {"name": "cancel_booking", "arguments": {"booking_number": "MS-777"}, "call_id": "2"},
    ]
    tools = ["get_booking", "cancel_booking", "refund", "delete_account"]
    with capture() as cap, record.invocation("support_agent", input="Cancel MS-777") as invocation:
        with record.model_call("small", messages=messages, tools_offered=tools) as call:
            call.respond(tool_execution_requests=wanted, finish_reason="tool_calls", input_tokens=20, output_tokens=10)
        record.sources(["Who cancels gets a refund."])
        record.approval("cancel_booking", {"booking_number": "MS-777"}, decision="approve")
        record.approval("refund", {"booking_number": "MS-777"}, decision="reject")
        record.tool_execution("get_booking", {"booking_number": "MS-777"}, result={"customer": "Ann"}, call_id="1")
        record.tool_execution("cancel_booking", {"booking_number": "MS-777"}, result="ok", call_id="2")
        record.tool_execution("notify", {"customer": "Ann"}, error=TimeoutError("no answer"))
        with record.model_call("small", messages=messages, tools_offered=tools) as call:
            call.respond("Cancelled.", finish_reason="stop", input_tokens=30, output_tokens=5)
        invocation.output = "Cancelled."
    return cap


def cap_of_greeter():
    """One tool, which succeeds."""
    with capture() as cap, record.invocation("greeter") as invocation:
        record.tool_execution("look_up", {"name": "Ann"}, result="friend")
        invocation.output = "Hello Ann"
    return cap


def cap_of_failed():
    """An invocation that fails."""
    with capture(expecting_failure=True) as cap, record.invocation("support_agent"):
        raise TimeoutError("no answer")
    return cap


def cap_of_cancelled():
    """An invocation that is cancelled while its tool waits."""

    @record.tool
    async def wait():
        await asyncio.Event().wait()

    @record.agent
    async def patient_agent():
        await wait()

    async def cancelled():
        async with capture() as cap:
            task = asyncio.create_task(patient_agent())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return cap

    return asyncio.run(cancelled())


def cap_of_team():
    """An invocation whose tool starts another one."""

    @record.tool
    def search(query):
        return "found"

    @record.tool
    def ask_researcher(question):
        with record.invocation("researcher", input=question) as invocation:
            invocation.output = search(question)
        return invocation.output

    with capture() as cap, record.invocation("writer") as invocation:
        ask_researcher("What is the answer?")
        invocation.output = {"answer": "42"}
    return cap
