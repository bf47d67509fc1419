"""One call of a tool that takes several requests: for input that the server wants, or because a request was refused."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import Literal

import pytest

pytest.importorskip("mcp.client.client")

from mcp import MCPError
from mcp.client import ClientExtension
from mcp.client.extension import ResultClaim
from mcp.types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    ErrorData,
    InputRequiredResult,
    ListToolsResult,
    Result,
    TextContent,
)
from mcp.types.jsonrpc import HEADER_MISMATCH

from agentassert import Outcome, capture, record
from tests.adapters.scenarios.parts import arecording, executed, only_execution
from tests.scripted.mcp import connected

QUESTION = ElicitRequest(
    params=ElicitRequestFormParams(
        message="Sure?", requested_schema={"type": "object", "properties": {"sure": {"type": "boolean"}}}
    )
)
YES = ElicitResult(action="accept", content={"sure": True})


def asking(*rounds):
    """A tool that wants input once for each of these, and then is done."""
    left = list(rounds)

    def cancel(number: str) -> str | InputRequiredResult:
        """Cancel a booking."""
        return left.pop(0) if left else "cancelled"

    return cancel


def wants(state=None, *, question=False):
    return InputRequiredResult(request_state=state, input_requests={"sure": QUESTION} if question else None)


async def agrees(context, params):
    """What a user answers."""
    return YES


def test_rounds_that_the_client_drives_are_one_execution():
    async def run():
        tool = asking(wants(question=True), wants("one"), wants("two", question=True))
        async with connected(tool, elicitation_callback=agrees) as client, arecording() as cap:
            return cap, await client.call_tool("cancel", {"number": "1"})

    cap, result = asyncio.run(run())
    execution = only_execution(cap.invocation)
    assert (execution.arguments, execution.result, execution.raw_result) == ({"number": "1"}, "cancelled", result)


def test_input_that_the_client_cannot_give_is_a_failure_with_that_very_error():
    async def refuses(context, params):
        return ErrorData(code=-1, message="nobody is here")

    async def run():
        async with connected(asking(wants(question=True)), elicitation_callback=refuses) as client, arecording() as cap:
            with pytest.raises(MCPError, match="nobody is here") as caught:
                await client.call_tool("cancel", {"number": "1"})
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert (only_execution(cap.invocation).outcome, only_execution(cap.invocation).error) == (Outcome.FAILED, error)


@pytest.mark.parametrize("state", ["one", None])
def test_rounds_that_the_program_drives_on_the_session_are_one_execution(state):
    async def run():
        async with connected(asking(wants(state, question=True), wants("two"))) as client, arecording() as cap:
            call = client.session.call_tool
            first = await call("cancel", {"number": "1"}, allow_input_required=True)
            between = cap.invocation.tool_executions
            answers = {"input_responses": {"sure": YES}, "request_state": first.request_state}
            second = await call("cancel", {"number": "1"}, **answers, allow_input_required=True)
            last = await call("cancel", {"number": "1"}, request_state=second.request_state)
        return cap, between, last

    cap, between, last = asyncio.run(run())
    assert [one.outcome for one in between] == [Outcome.UNFINISHED]
    assert (executed(cap.invocation), only_execution(cap.invocation).raw_result) == ([("cancel", Outcome.SUCCEEDED)], last)


def test_rounds_that_begin_on_the_session_and_end_on_the_client_are_one_execution():
    async def run():
        async with connected(asking(wants("one"))) as client, arecording() as cap:
            first = await client.session.call_tool("cancel", {"number": "1"}, allow_input_required=True)
            await client.call_tool("cancel", {"number": "1"}, request_state=first.request_state)
        return cap

    assert executed(asyncio.run(run()).invocation) == [("cancel", Outcome.SUCCEEDED)]


def test_two_calls_that_wait_are_gone_on_with_by_their_own_state():
    async def run():
        async with connected(asking(wants("one"), wants("two"))) as client, arecording() as cap:
            call = client.session.call_tool
            first, second = [await call("cancel", {"number": number}, allow_input_required=True) for number in "12"]
            await call("cancel", {"number": "2"}, request_state=second.request_state)
        return cap, first

    cap, _ = asyncio.run(run())
    assert [(one.arguments, one.outcome) for one in cap.invocation.tool_executions] == [
        ({"number": "1"}, Outcome.UNFINISHED),
        ({"number": "2"}, Outcome.SUCCEEDED),
    ]


def test_a_call_that_nobody_goes_on_with_is_unfinished_and_not_waited_for():
    async def run():
        async with connected(asking(wants("one"))) as client:
            async with asyncio.timeout(5), capture(wait=60) as cap:
                await client.session.call_tool("cancel", {"number": "1"}, allow_input_required=True)
        return cap

    assert executed(asyncio.run(run()).invocation) == [("cancel", Outcome.UNFINISHED)]


def test_a_call_that_waits_from_a_capture_to_the_next_is_an_execution_in_each():
    async def run():
        async with connected(asking(wants("one"))) as client:
            async with arecording() as first:
                waiting = await client.session.call_tool("cancel", {"number": "1"}, allow_input_required=True)
            async with arecording() as second:
                await client.session.call_tool("cancel", {"number": "1"}, request_state=waiting.request_state)
        return first, second

    first, second = asyncio.run(run())
    assert executed(first.invocation) == [("cancel", Outcome.UNFINISHED)]
    assert executed(second.invocation) == [("cancel", Outcome.SUCCEEDED)]


def test_a_request_that_is_sent_again_is_one_execution():
    calls = []

    def get_booking(number: str) -> str:
        """Look a booking up."""
        calls.append(number)
        if len(calls) == 1:
            raise MCPError(HEADER_MISMATCH, "the header does not fit")
        return "Ann"

    async def run():
        async with connected(get_booking) as client, arecording() as cap:
            await client.call_tool("get_booking", {"number": "1"})
        return cap

    cap = asyncio.run(run())
    assert calls == ["1", "1"]
    assert executed(cap.invocation) == [("get_booking", Outcome.SUCCEEDED)]


class Ticket(Result):
    """What an extension has servers answer instead of a result."""

    result_type: Literal["ticket"] = "ticket"
    number: str = ""


class Ticketing(ClientExtension):
    """The client's part of it."""

    identifier = "com.example/tickets"

    def claims(self):
        async def resolve(ticket, context):
            return CallToolResult(content=[TextContent(type="text", text=f"redeemed {ticket.number}")])

        return [ResultClaim(result_type="ticket", model=Ticket, resolve=resolve)]


@asynccontextmanager
async def ticketing():
    """A client whose server answers with a ticket."""
    from mcp import Client
    from mcp.server.lowlevel import Server

    async def call_tool(context, params):
        return Ticket(number="7")

    async def list_tools(context, params):
        return ListToolsResult(tools=[])

    server = Server("tickets", on_call_tool=call_tool, on_list_tools=list_tools)
    async with Client(server, extensions=[Ticketing()]) as client:
        yield client


def test_a_result_that_an_extension_resolves_is_the_executions():
    async def run():
        async with ticketing() as client, arecording() as cap:
            await client.call_tool("get_booking", {})
        return cap

    assert only_execution(asyncio.run(run()).invocation).result == "redeemed 7"


def test_a_result_that_nobody_resolves_is_unknown():
    async def run():
        async with ticketing() as client, arecording() as cap:
            with record.invocation("support"):
                await client.session.call_tool("get_booking", {}, allow_claimed=True)
        return cap

    assert executed(asyncio.run(run()).invocation) == [("get_booking", Outcome.UNKNOWN)]
