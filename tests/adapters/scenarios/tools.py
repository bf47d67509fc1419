"""Tool executions: what they were given, in which order, and how they ended."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from agentassert import Outcome, Status, assert_that
from tests.adapters.kits import Ask, Kit, Request, Say, Tool
from tests.adapters.scenarios.parts import (
    BOOKING,
    LOOKED_UP,
    cancel_booking,
    executed,
    fragile,
    get_booking,
    only,
    only_execution,
    recording,
)


def nested_arguments(kit: Kit) -> None:
    """Arguments, nested ones too, as the model sent them"""
    trip = {"to": "Paris", "days": [1, {"night": True}]}

    def book(trip: dict[str, Any], seats: int = 1) -> str:
        """Book a trip."""
        return "booked"

    with recording() as cap:
        kit.run(kit.agent(Ask(Request("book", {"trip": trip, "seats": 2})), Say("done"), tools=[Tool(book)]))

    execution = only_execution(cap.invocation)
    assert (execution.name, execution.arguments, execution.call_id) == ("book", {"trip": trip, "seats": 2}, "c1")
    assert (execution.outcome, execution.attempt, execution.inferred, execution.cached) == (Outcome.SUCCEEDED, 1, False, False)
    assert execution.duration is not None
    assert_that(cap).has_succeeded().has_tool_executed_with_exactly("book", {"trip": trip, "seats": 2})


def arguments_as_json_text(kit: Kit) -> None:
    """Arguments that arrive as JSON text, parsed"""
    with recording() as cap:
        kit.run(kit.agent(Ask(Request("get_booking", '{"number": "MS-777"}')), Say("done"), tools=[Tool(get_booking)]))

    assert only_execution(cap.invocation).arguments == {"number": "MS-777"}
    assert cap.invocation.tool_execution_requests[0].arguments == {"number": "MS-777"}


def arguments_that_do_not_parse(kit: Kit) -> None:
    """Arguments that are no JSON: requested as they were, and no success"""
    with recording() as cap:
        kit.run(kit.agent(Ask(Request("get_booking", '{"number": ')), Say("done"), tools=[Tool(get_booking, tells_errors=True)]))

    request = only(cap.invocation.tool_execution_requests)
    assert (request.name, request.arguments, request.raw_arguments) == ("get_booking", None, '{"number": ')
    assert [one.outcome for one in cap.invocation.tool_executions] in ([], [Outcome.FAILED])
    assert cap.invocation.status is Status.COMPLETED


def results(kit: Kit) -> None:
    """Results as JSON-like data"""
    with recording() as cap:
        kit.run(kit.agent(Ask(Request("get_booking", {"number": "MS-777"})), Say("done"), tools=[Tool(get_booking)]))

    assert only_execution(cap.invocation).result == BOOKING
    assert_that(cap).results_of("get_booking").is_equal_to([BOOKING])


def failure_that_ends_the_agent(kit: Kit) -> None:
    """A tool's exception that ends the agent: the exception itself"""
    with recording(expecting_failure=True) as cap:
        kit.run(kit.agent(Ask(Request("fragile", {"x": 1})), Say("never said"), tools=[Tool(fragile)]))

    execution = only_execution(cap.invocation)
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "ValueError('kaput')")
    assert (execution.arguments, execution.call_id) == ({"x": 1}, "c1")
    assert cap.invocation.status is Status.FAILED
    assert_that(cap).has_failed_with(ValueError).has_tool_execution_failed("fragile").has_no_more_tool_executions()


def failure_that_the_model_is_told(kit: Kit) -> None:
    """A tool's failure that the model is told: a failed execution, not a result"""
    with recording() as cap:
        kit.run(kit.agent(Ask(Request("fragile", {"x": 1})), Say("sorry"), tools=[Tool(fragile, tells_errors=True)]))

    execution = only_execution(cap.invocation)
    assert (execution.outcome, execution.call_id) == (Outcome.FAILED, "c1")
    assert "kaput" in str(execution.error)
    assert cap.output_text == "sorry"
    assert_that(cap).has_succeeded().has_tool_execution_failed("fragile")


def arguments_of_the_wrong_type(kit: Kit) -> None:
    """Arguments that the tool refuses: a failed execution with those arguments"""
    with recording() as cap:
        kit.run(kit.agent(Ask(Request("fragile", {"x": "many"})), Say("sorry"), tools=[Tool(fragile, tells_errors=True)]))

    execution = only_execution(cap.invocation)
    assert (execution.arguments, execution.outcome, execution.call_id) == ({"x": "many"}, Outcome.FAILED, "c1")
    assert execution.error is not None
    assert "kaput" not in str(execution.error)


def unknown_tool(kit: Kit) -> None:
    """A tool that does not exist: requested, never executed"""
    with recording() as cap, contextlib.suppress(Exception):  # some frameworks end the run
        kit.run(kit.agent(Ask(Request("nope", {"a": 1})), Say("sorry"), tools=[Tool(get_booking)]))

    request = only(cap.invocation.tool_execution_requests)
    assert (request.name, request.arguments, request.answered) == ("nope", {"a": 1}, False)
    assert cap.invocation.tool_executions == ()
    assert cap.invocation.status in (Status.COMPLETED, Status.FAILED)


def parallel_tools(kit: Kit) -> None:
    """Parallel tools, in the order in which the model asked for them"""

    async def run() -> Any:
        ready = asyncio.Event()

        async def slow() -> str:
            """Wait for the other one."""
            await asyncio.wait_for(ready.wait(), 10)
            return "slow"

        async def fast() -> str:
            """Be first."""
            ready.set()
            return "fast"

        asked = Ask(Request("slow", {}, "c1"), Request("fast", {}, "c2"))
        with recording() as cap:
            await kit.arun(kit.agent(asked, Say("done"), tools=[Tool(slow), Tool(fast)]))
        return cap

    cap = asyncio.run(run())
    slow, fast = cap.invocation.tool_executions
    assert [(one.name, one.call_id, one.result) for one in (slow, fast)] == [("slow", "c1", "slow"), ("fast", "c2", "fast")]
    assert fast.ended_order < slow.ended_order
    assert_that(cap).has_tools_executed_exactly_in_order("slow", "fast")


def reused_call_ids(kit: Kit) -> None:
    """Call ids that the provider uses twice are told apart"""
    asked = [Ask(Request("get_booking", {"number": number}, "c1")) for number in ("1", "2")]

    with recording() as cap, contextlib.suppress(Exception):  # some frameworks refuse them
        kit.run(kit.agent(*asked, Say("done"), tools=[Tool(get_booking)]))

    assert cap.invocation.status is Status.COMPLETED
    assert [(one.arguments, one.attempt) for one in cap.invocation.tool_executions] == [
        ({"number": "1"}, 1),
        ({"number": "2"}, 1),
    ]
    assert len({one.call_id for one in cap.invocation.tool_executions}) == 2
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]


def same_request_twice(kit: Kit) -> None:
    """The same tool with the same arguments twice in one response: two executions"""
    asked = Ask(Request("get_booking", {"number": "1"}, "c1"), Request("get_booking", {"number": "1"}, "c2"))

    with recording() as cap:
        kit.run(kit.agent(asked, Say("done"), tools=[Tool(get_booking)]))

    assert executed(cap.invocation) == [LOOKED_UP, LOOKED_UP]
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c1", "c2"]


def retry_by_the_model(kit: Kit) -> None:
    """A retry that the model asks for: two executions, two requests"""
    asked = [Ask(Request("flaky", {}, call_id)) for call_id in ("c1", "c2")]

    with recording() as cap:
        kit.run(kit.agent(*asked, Say("done"), tools=[Tool(failing_once(), tells_errors=True)]))

    assert [(one.outcome, one.call_id, one.attempt) for one in cap.invocation.tool_executions] == [
        (Outcome.FAILED, "c1", 1),
        (Outcome.SUCCEEDED, "c2", 1),
    ]
    assert_that(cap).has_tool_executed_times("flaky", 1).has_tool_execution_failed("flaky").has_no_more_tool_executions()


def retry_by_the_framework(kit: Kit) -> None:
    """A retry that the framework makes by itself: attempts of one request"""
    with recording() as cap:
        kit.run(kit.agent(Ask(Request("flaky")), Say("done"), tools=[Tool(failing_once())], retries=1))

    assert [(one.outcome, one.call_id, one.attempt) for one in cap.invocation.tool_executions] == [
        (Outcome.FAILED, "c1", 1),
        (Outcome.SUCCEEDED, "c1", 2),
    ]


def failing_once() -> Any:
    """A tool that fails the first time."""
    calls: list[int] = []

    def flaky() -> str:
        """Fail once."""
        calls.append(1)
        if len(calls) == 1:
            raise ValueError("kaput")
        return "ok"

    return flaky


def arguments_that_a_tool_changes(kit: Kit) -> None:
    """Arguments that the tool changes: as they were when it started"""

    def shuffle(items: list[str]) -> str:
        """Change what it is given."""
        items.clear()
        return "done"

    with recording() as cap:
        kit.run(kit.agent(Ask(Request("shuffle", {"items": ["a", "b"]})), Say("done"), tools=[Tool(shuffle)]))

    assert only_execution(cap.invocation).arguments == {"items": ["a", "b"]}


def several_turns(kit: Kit) -> None:
    """Several rounds of tools: all of them, in order, each request answered"""
    asked = [Ask(Request("get_booking", {"number": "1"}, "c1")), Ask(Request("cancel_booking", {"number": "1"}, "c2"))]

    with recording() as cap:
        kit.run(kit.agent(*asked, Say("done"), tools=[Tool(get_booking), Tool(cancel_booking)]))

    assert executed(cap.invocation) == [LOOKED_UP, ("cancel_booking", Outcome.SUCCEEDED)]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]
    assert_that(cap).has_tool_finished_before("get_booking", "cancel_booking").has_own_chat_model_call_count(3)
