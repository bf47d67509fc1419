"""Tools that are called on servers of MCP."""

from __future__ import annotations

import asyncio
import datetime

import anyio
import pytest

pytest.importorskip("mcp")

from mcp import ClientSession
from mcp.types import CallToolResult, ImageContent, TextContent

from agentassert import NotRecordedError, Outcome, Status, assert_that, capture, record
from tests.adapters.scenarios.parts import arecording, executed, only_execution
from tests.scripted.mcp import HAS_CLIENT, ToolError, connected


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def fragile(x: int) -> str:
    """Fail."""
    raise ToolError("kaput")


def called(*tools, name, arguments=None, **options):
    """The capture of one call, and what its caller got."""

    async def run():
        async with connected(*tools, **options) as client, arecording() as cap:
            return cap, await client.call_tool(name, arguments)

    return asyncio.run(run())


def test_a_call_is_an_execution_with_the_servers_own_result():
    cap, result = called(get_booking, name="get_booking", arguments={"number": "MS-777"})

    execution = only_execution(cap.invocation)
    assert (execution.name, execution.arguments, execution.outcome) == ("get_booking", {"number": "MS-777"}, Outcome.SUCCEEDED)
    assert execution.result == {"number": "MS-777", "customer": "Ann"}
    assert execution.raw_result is result
    assert (cap.invocation.framework, cap.invocation.implicit, execution.inferred) == ("mcp", True, False)
    assert_that(cap).has_tool_executed_with_exactly("get_booking", {"number": "MS-777"}).has_no_failed_tool_executions()


def text() -> str:
    """Give a text."""
    return "MS-777"


def number() -> int:
    """Give a number."""
    return 7


def texts() -> list[str]:
    """Give texts."""
    return ["a", "b"]


def one_text() -> list[str]:
    """Give one text."""
    return ["a"]


def no_texts() -> list[str]:
    """Give no texts."""
    return []


def nothing() -> None:
    """Give nothing."""


def day() -> datetime.date:
    """Give a day."""
    return datetime.date(2026, 1, 2)


def under_a_key() -> dict[str, int]:
    """Give an object that looks as a server wraps other values."""
    return {"result": 7}


def typed_text() -> CallToolResult:
    """Give what is no structured content."""
    return CallToolResult(content=[TextContent(type="text", text='{"number": 7}')])


def parts() -> CallToolResult:
    """Give several pieces of content."""
    return CallToolResult(
        content=[TextContent(type="text", text="[1]"), ImageContent(type="image", data="aGk=", mimeType="image/png")]
    )


def silence() -> CallToolResult:
    """Give no content at all."""
    return CallToolResult(content=[])


@pytest.mark.parametrize(
    ("tool", "result"),
    [
        (text, "MS-777"),
        (number, 7),
        (texts, ["a", "b"]),
        (one_text, ["a"]),
        (no_texts, []),
        (nothing, None),
        (day, "2026-01-02"),
        (under_a_key, {"result": 7}),
        (typed_text, {"number": 7}),
        (silence, None),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_result_is_what_the_tool_returned(tool, result):
    cap, _ = called(tool, name=tool.__name__)

    execution = only_execution(cap.invocation)
    assert (execution.arguments, execution.result, execution.outcome) == ({}, result, Outcome.SUCCEEDED)


def test_several_pieces_of_content_are_a_list():
    cap, _ = called(parts, name="parts")

    first, image = only_execution(cap.invocation).result
    assert first == [1]
    assert (image["type"], image["data"]) == ("image", "aGk=")


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [("fragile", {"x": 1}, "kaput"), ("nope", {}, "nope"), ("fragile", {"x": "many"}, "valid integer")],
    ids=["failing", "unknown", "with wrong arguments"],
)
def test_what_the_server_says_has_failed_has_failed(name, arguments, words):
    cap, result = called(fragile, name=name, arguments=arguments)

    execution = only_execution(cap.invocation)
    assert (execution.name, execution.arguments, execution.outcome) == (name, arguments, Outcome.FAILED)
    assert words in execution.error
    assert execution.error == result.content[0].text
    assert cap.invocation.status is Status.COMPLETED
    assert_that(cap).has_tool_execution_failed(name)


def silent_failure() -> CallToolResult:
    """Fail without a word."""
    return CallToolResult(content=[], isError=True)


def test_a_failure_without_a_word_is_one():
    cap, _ = called(silent_failure, name="silent_failure")

    assert only_execution(cap.invocation).error == "the server says that the tool failed, and nothing else"


def test_a_result_that_breaks_the_tools_own_schema_is_a_failure_that_raises():
    async def run():
        async with connected(get_booking) as client, arecording() as cap:
            session = getattr(client, "session", client)
            await session.list_tools()
            session._tool_output_schemas["get_booking"] = {"type": "object", "required": ["seats"]}
            with pytest.raises(RuntimeError, match="Invalid structured content") as caught:
                await client.call_tool("get_booking", {"number": "1"})
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert only_execution(cap.invocation).error is error


async def patient() -> str:
    """Wait for ever."""
    await asyncio.Event().wait()
    return "never"


def test_a_timeout_is_a_failure_with_that_very_error():
    async def run():
        async with connected(patient) as client, arecording() as cap:
            seconds = 0.01 if HAS_CLIENT else datetime.timedelta(seconds=0.01)
            with pytest.raises(Exception, match=r"(?i)timed out") as caught:
                await client.call_tool("patient", read_timeout_seconds=seconds)
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert (only_execution(cap.invocation).outcome, only_execution(cap.invocation).error) == (Outcome.FAILED, error)


def test_a_call_that_is_cancelled_is_cancelled():
    async def run():
        async with connected(patient) as client, arecording() as cap:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await client.call_tool("patient", {})
        return cap

    cap = asyncio.run(run())
    assert executed(cap.invocation) == [("patient", Outcome.CANCELLED)]
    assert_that(cap).has_tool_execution_cancelled("patient")


def test_a_connection_that_is_closed_is_a_failure():
    async def run():
        async with connected(get_booking) as client:
            pass
        async with arecording() as cap:
            with pytest.raises((RuntimeError, anyio.ClosedResourceError)) as caught:
                await client.call_tool("get_booking", {"number": "1"})
        return cap, caught.value

    cap, error = asyncio.run(run())
    assert (only_execution(cap.invocation).outcome, only_execution(cap.invocation).error) == (Outcome.FAILED, error)


def test_a_sessions_subclass_and_any_way_to_pass_arguments_are_the_same():
    class Session(ClientSession):
        async def call_tool(self, name, arguments=None, **options):
            return await super().call_tool(name=name, arguments=arguments, **options)

    async def run():
        async with connected(get_booking) as client, arecording() as cap:
            session = getattr(client, "session", client)
            session.__class__ = Session
            await session.call_tool("get_booking", {"number": "1"})
            await client.call_tool(name="get_booking", arguments={"number": "2"})
        return cap

    cap = asyncio.run(run())
    assert [one.arguments for one in cap.invocation.tool_executions] == [{"number": "1"}, {"number": "2"}]


def test_an_execution_belongs_to_the_agent_that_calls_and_that_agent_knows_its_model_calls():
    async def run():
        async with connected(get_booking) as client, arecording() as cap:
            with record.invocation("support"):
                await client.call_tool("get_booking", {"number": "1"})
        return cap

    cap = asyncio.run(run())
    assert cap.invocation.name == "support"
    assert_that(cap).has_tool_executed("get_booking").has_own_chat_model_call_count(0).has_model_call_count(0)


def test_where_only_tools_were_seen_nobody_knows_of_model_calls():
    cap, _ = called(get_booking, name="get_booking", arguments={"number": "1"})

    for ask in (
        lambda chain: chain.has_own_chat_model_call_count(0),
        lambda chain: chain.has_model_call_count(0),
        lambda chain: chain.has_no_pending_approvals(),
    ):
        with pytest.raises(NotRecordedError, match="the 'mcp' adapter cannot see"):
            ask(assert_that(cap))


def test_a_recorded_function_behind_a_server_in_this_process_is_the_same_execution():
    cap, _ = called(record.tool(get_booking), name="get_booking", arguments={"number": "1"})

    execution = only_execution(cap.invocation)
    assert (execution.name, execution.arguments) == ("get_booking", {"number": "1"})


def test_an_agent_behind_a_server_in_this_process_is_nested_in_the_execution():
    @record.agent("researcher")
    async def answer(topic: str) -> str:
        return f"all about {topic}"

    async def research(topic: str) -> str:
        """Ask an agent."""
        return await answer(topic)

    async def run():
        async with connected(research) as client, arecording() as cap:
            with record.invocation("support"):
                await client.call_tool("research", {"topic": "bookings"})
        return cap

    cap = asyncio.run(run())
    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by) == ("researcher", only_execution(cap.invocation).id)


def test_calls_side_by_side_keep_apart_what_happens_behind_them():
    @record.agent("researcher")
    async def answer(topic: str) -> str:
        await asyncio.sleep(0)
        return topic

    async def research(topic: str) -> str:
        """Ask an agent."""
        return await answer(topic)

    async def run():
        async with connected(research) as one, connected(research) as other, arecording() as cap:
            with record.invocation("support"):
                await asyncio.gather(
                    *(client.call_tool("research", {"topic": topic}) for client in (one, other) for topic in "ab")
                )
        return cap

    cap = asyncio.run(run())
    asked = {one.id: one.arguments["topic"] for one in cap.invocation.tool_executions}
    assert [asked[nested.started_by] for nested in cap.invocation.nested_invocations] == [
        nested.output for nested in cap.invocation.nested_invocations
    ]
    assert sorted(asked.values()) == ["a", "a", "b", "b"]


def test_a_session_that_outlives_a_capture_is_as_it_was_and_is_recorded_by_the_next():
    async def run():
        before = vars(ClientSession)["call_tool"]
        async with connected(get_booking) as client:
            async with arecording() as first:
                await client.call_tool("get_booking", {"number": "1"})
            between = vars(ClientSession)["call_tool"]
            await client.call_tool("get_booking", {"number": "between"})
            async with arecording() as second:
                await client.call_tool("get_booking", {"number": "2"})
        return before, between, first, second

    before, between, first, second = asyncio.run(run())
    assert between is before
    assert [[one.arguments for one in cap.invocation.tool_executions] for cap in (first, second)] == [
        [{"number": "1"}],
        [{"number": "2"}],
    ]


def test_a_call_that_outlives_its_capture_is_part_of_no_other():
    async def run():
        async with connected(patient, get_booking) as client:
            async with capture(wait=0, on_doubt="fail") as first:
                task = asyncio.create_task(client.call_tool("patient", {}))
                await asyncio.sleep(0.01)
            async with arecording() as second:
                task.cancel()
                await asyncio.wait([task])
                await client.call_tool("get_booking", {"number": "1"})
        return first, second

    first, second = asyncio.run(run())
    assert executed(first.invocation) == [("patient", Outcome.UNFINISHED)]
    assert executed(second.invocation) == [("get_booking", Outcome.SUCCEEDED)]
