"""Tools that are called through fastmcp's client."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("fastmcp")

from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError

from agentassert import Outcome, assert_that, record
from tests.adapters.scenarios.parts import arecording, executed, only_execution
from tests.scripted.mcp import provide


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def fragile(x: int) -> str:
    """Fail."""
    raise ToolError("kaput")


def served(*tools, resources=None):
    """A client of a server that has these."""
    return Client(provide(FastMCP("bookings"), tools, resources or {}))


def test_a_call_is_one_execution_with_the_servers_result():
    async def run():
        async with served(get_booking) as client, arecording() as cap:
            return cap, await client.call_tool("get_booking", {"number": "MS-777"})

    cap, result = asyncio.run(run())
    execution = only_execution(cap.invocation)
    assert (execution.arguments, execution.result) == ({"number": "MS-777"}, result.data)
    assert execution.raw_result.content == result.content
    assert_that(cap).has_tools_executed_exactly_in_order("get_booking")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [("fragile", {"x": 1}, "kaput"), ("nope", {}, "nope"), ("fragile", {"x": "many"}, "valid integer")],
    ids=["failing", "unknown", "with wrong arguments"],
)
def test_the_error_that_the_client_makes_of_a_failure_reaches_its_caller(name, arguments, words):
    async def run():
        async with served(fragile) as client, arecording() as cap:
            with pytest.raises(ToolError, match=words) as caught:
                await client.call_tool(name, arguments)
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert executed(cap.invocation) == [(name, Outcome.FAILED)]
    assert only_execution(cap.invocation).error == str(error)


@pytest.mark.parametrize("way", ["call_tool", "call_tool_mcp"])
def test_a_failure_that_does_not_raise_is_one(way):
    async def run():
        options = {"raise_on_error": False} if way == "call_tool" else {}
        async with served(fragile) as client, arecording() as cap:
            await getattr(client, way)("fragile", {"x": 1}, **options)
        return cap

    assert executed(asyncio.run(run()).invocation) == [("fragile", Outcome.FAILED)]


def test_a_timeout_is_a_failure_with_the_error_that_the_caller_gets():
    async def patient() -> str:
        """Wait for ever."""
        await asyncio.Event().wait()
        return "never"

    async def run():
        async with served(patient) as client, arecording() as cap:
            with pytest.raises(Exception, match=r"(?i)timed out") as caught:
                await client.call_tool("patient", {}, timeout=0.01)
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert (only_execution(cap.invocation).outcome, only_execution(cap.invocation).error) == (Outcome.FAILED, error)


def test_a_recorded_function_behind_a_server_in_this_process_is_the_same_execution():
    async def run():
        async with served(record.tool(get_booking)) as client, arecording() as cap:
            await client.call_tool("get_booking", {"number": "1"})
        return cap

    assert executed(asyncio.run(run()).invocation) == [("get_booking", Outcome.SUCCEEDED)]


def test_a_server_that_passes_a_call_on_makes_no_second_execution():
    async def run():
        inner = provide(FastMCP("bookings"), (get_booking,), {})
        front = FastMCP("front")
        front.mount(inner, namespace="shop")
        async with Client(front) as client, arecording() as cap:
            await client.call_tool("shop_get_booking", {"number": "1"})
        return cap

    assert executed(asyncio.run(run()).invocation) == [("shop_get_booking", Outcome.SUCCEEDED)]


def test_a_proxy_makes_no_second_execution():
    from fastmcp.server import create_proxy

    async def run():
        async with Client(create_proxy(served(get_booking))) as client, arecording() as cap:
            await client.call_tool("get_booking", {"number": "1"})
        return cap

    assert executed(asyncio.run(run()).invocation) == [("get_booking", Outcome.SUCCEEDED)]


def sources(**options):
    """The sources of an agent that reads a resource."""

    async def run():
        async with served(resources={"manual://refunds": "Refunds take a week."}) as client, arecording() as cap:
            with record.invocation("support"):
                await client.read_resource("manual://refunds", **options)
        return cap

    return [one.text for one in asyncio.run(run()).invocation.sources]


def test_a_resource_is_a_source():
    assert sources() == ["Refunds take a week."]


def test_a_resource_that_is_read_past_the_session_is_a_source():
    assert sources(meta={"of": "the user"}) == ["Refunds take a week."]
