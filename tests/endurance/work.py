"""What a test session does again and again with this library, without a framework: a piece of each kind, to be done any number of times.

Functions are decorated, agents made and expressions written anew each time, as they are by tests that do so in their bodies.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import warnings
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from agentassert import (
    AgentAssertionError,
    AmbiguousError,
    Capture,
    CaptureWarning,
    Judge,
    assert_that,
    capture,
    execution_of,
    fails,
    record,
    result_of,
    returns,
    run,
    soft_assertions,
)
from agentassert.conversations import Conversation

TRACKER = {
    "sender_id": "ann",
    "events": [
        {"event": "action", "name": "action_listen"},
        {"event": "user", "text": "To Oslo", "parse_data": {"commands": []}, "metadata": {}},
        {"event": "flow_started", "flow_id": "book_ferry", "metadata": {}},
        {"event": "slot", "name": "port", "value": "Oslo", "metadata": {}},
        {"event": "bot", "text": "Booked.", "data": {}, "metadata": {"utter_action": "utter_booked"}},
        {"event": "flow_completed", "flow_id": "book_ferry", "step_id": "end"},
    ],
}
VERDICT = '{"assessments": [{"criterion": 1, "reasoning": "It greets.", "verdict": "satisfied"}]}'


class OutOfStockError(Exception):
    """What an agent under test raises."""


def make_agent() -> Any:
    """An agent with two tools and another agent, which does everything that `record` knows."""

    @record.tool
    def look_up(number: str) -> dict[str, Any]:
        return {"number": number, "customer": {"name": "Ann"}}

    @record.tool(name="cancel")
    def cancel_booking(number: str, reason: str = "user") -> str:
        if reason == "none":
            raise OutOfStockError(number)
        return f"cancelled {number}"

    @record.agent("clerk")
    def clerk(number: str) -> str:
        with record.model_call("small", messages=f"Look {number} up") as call:
            call.respond("", tool_execution_requests=[{"name": "look_up", "arguments": {"number": number}, "call_id": "c1"}])
        return str(look_up(number)["customer"])

    @record.agent
    def support(number: str, reason: str = "user") -> str:
        record.flow("cancelling")
        record.slot("number", number)
        clerk(number)
        record.sources([{"text": f"{number} may be cancelled", "score": 0.5}])
        record.approval("cancel", {"number": number}, decision="approve")
        with record.model_call("large", messages=[{"role": "user", "content": f"Cancel {number}"}]) as call:
            asked = {"name": "cancel", "arguments": json.dumps({"number": number}), "call_id": "c1"}
            call.respond("", tool_execution_requests=[asked], input_tokens=5, output_tokens=3)
        done = cancel_booking(number, reason=reason)
        record.flow("cancelling", "completed")
        return done

    return support


def captured(number: int, name: str | None = None) -> Capture:
    """A capture of such an agent."""
    with capture(name) as cap:
        make_agent()(f"MS-{number}")
    return cap


def asserting(number: int) -> None:
    """Assertions that pass."""
    chain = assert_that(captured(number)).including_nested().has_tool_executed_with("cancel", {"number": f"MS-{number}"})
    chain.has_tool_executed_with("look_up", {"$.number": f"MS-{number}"}).has_no_more_tool_executions()
    cap = captured(number)
    pattern = execution_of("cancel", {"number": f"MS-{number}"}).with_tolerance(1e-6)
    assert_that(cap).top_level_only().has_tools_executed_exactly_in_order(pattern).has_total_tokens_at_most(8)
    assert_that(cap).has_nested_invocation_satisfying("clerk", lambda one: one.has_tool_executed("look_up"))
    assert_that(cap).whole_capture().has_tool_executed_with("cancel", {"number": result_of("look_up", "$.number")})


def failing(number: int) -> None:
    """Assertions that fail, agents that do, and assertions that are collected."""
    cap = captured(number)
    with contextlib.suppress(AgentAssertionError):
        assert_that(cap).including_nested().has_tool_executed_with("cancel", {"number": f"MS-{number + 1}"})
    with contextlib.suppress(AssertionError), soft_assertions():
        assert_that(cap).top_level_only().has_tool_executed(f"refund_{number}").has_no_tool_executions()
        assert_that(cap).output_text().is_equal_to(number)
    with contextlib.suppress(AmbiguousError):
        assert_that(cap).has_tool_executed("cancel")
    with capture(expecting_failure=True) as failed:
        make_agent()(f"MS-{number}", "none")
    assert_that(failed).has_failed_with(OutOfStockError)
    with contextlib.suppress(OutOfStockError), capture():
        make_agent()(f"MS-{number}", "none")


def storing(number: int, folder: Path) -> None:
    """Captures as text, in files, as pages and as snapshots."""
    cap = captured(number, f"capture {number}")
    loaded = Capture.from_json(cap.to_json())
    assert_that(loaded).including_nested().has_tool_executed("cancel")
    cap.save(folder / "one.json")
    cap.append_to(folder / f"{number % 7}.jsonl")
    for one in Capture.load_all(folder / f"{number % 7}.jsonl"):
        assert one.invocation.name == "support"
    (folder / f"{number % 7}.jsonl").unlink()
    assert len(cap.tree()) < len(cap._repr_html_())
    with contextlib.suppress(AgentAssertionError):
        # A few names alone: the standard library's paths keep each part that they ever saw, from Python 3.12 on for good.
        assert_that(Capture.load(folder / "one.json")).including_nested().matches_snapshot(
            f"never {number % 7}", directory=folder
        )


def expressing(number: int) -> None:
    """Expressions, each of them a new text, some of which hold."""
    cap = captured(number)
    assert_that(cap).satisfies(f"'MS-{number}' in output")
    with contextlib.suppress(AgentAssertionError):
        assert_that(cap).satisfies(f"output == {number}")
    with contextlib.suppress(ValueError):
        assert_that(cap).satisfies(f"output = {number}")
    assert_that(cap).meets(expected_tool_calls=[{"cancel": f"params.number == 'MS-{number}'"}])


def conversing(number: int) -> None:
    """Conversations, from trackers, from captures and from messages."""
    conversation = Conversation.from_rasa_tracker({**TRACKER, "sender_id": f"ann {number}"})
    assert_that(conversation.turn(0)).has_flow_started("book_ferry")
    with contextlib.suppress(AgentAssertionError):
        assert_that(conversation.turn(0)).has_flow_started(f"flow_{number}")
    assert Conversation.from_capture(captured(number)).turn(0)
    function = {"name": "cancel", "arguments": json.dumps({"number": number})}
    messages = [
        {"role": "user", "content": f"Cancel {number}"},
        {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "c1", "content": "cancelled"},
        {"role": "assistant", "content": "Done."},
    ]
    told = Capture.from_messages(messages, unreported_tools="succeeded")
    assert_that(told).has_tool_executed_with("cancel", {"number": number})


def driving(number: int) -> None:
    """Agents that are driven, with doubles and approvals, to their end or to a failure or past their time."""

    @record.tool
    def pay(amount: int) -> str:
        raise AssertionError("the double runs in its place")

    @record.approver
    def ask(tool: str, arguments: Any) -> bool:
        raise AssertionError("nobody is there")

    def cashier(payload: Any) -> str:
        return pay(payload["amount"]) if ask("pay", payload) else "not paid"

    async def aclerk(payload: Any) -> str:
        await asyncio.sleep(0)
        return f"{payload}: {pay(number)}"

    approved = [{"tool": "pay", "decision": "approve"}]
    cap = run(cashier, {"amount": number}, approvals=approved, mocks={"pay": returns("paid")})
    assert_that(cap).has_tool_executed_with("pay", {"amount": number})
    run(aclerk, "Ann", mocks={"pay": fails(OutOfStockError(number))})
    run(cashier, {"amount": number})
    run(aclerk, f"Bo {number}", mocks={"pay": lambda amount: f"{amount} paid"}, timeout_s=60)


def judging(number: int) -> None:
    """A judge that answers by a script."""
    judge = Judge(lambda prompt: VERDICT)
    judge.assert_that(f"Hello {number}").given("Say hello").satisfies("greets the customer")
    with contextlib.suppress(Exception):
        Judge(lambda prompt: "no verdict").assert_that(f"Hello {number}").satisfies("greets the customer")


def leaving_behind(number: int) -> None:
    """What programs leave behind: captures never left, generators dropped, streams half read, what goes on after its capture."""

    @record.agent
    def counter(limit: int) -> Iterator[int]:
        yield from range(limit)

    @record.tool
    def slow(number: int) -> Iterator[int]:
        with capture():
            yield number
            yield number

    def inside() -> Iterator[Capture]:
        with capture(f"capture {number}") as cap:
            yield cap

    capture("never entered")
    with capture() as cap:
        dropped = counter(3)
        next(dropped)
        never_read = counter(3)
        with record.invocation("stops"):
            next(slow(number))
    assert [one.status for one in cap.invocations] == ["cancelled", "cancelled", "completed"]
    del dropped, never_read
    block = inside()
    assert next(block).is_open
    with record.invocation(f"number {number}"):
        record.tool_execution("look_up", {"number": number}, result=cap)
    block.close()
    half_read = counter(5)
    with capture(wait=0):
        next(half_read)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CaptureWarning)
        with capture(wait=0):
            list(half_read)


def in_threads(number: int) -> None:
    """Threads and pools in a capture, one of which goes on after it."""
    with capture(wait=0) as cap, record.invocation("desk"), ThreadPoolExecutor(2) as pool:
        agents = [pool.submit(make_agent(), f"MS-{number}-{one}") for one in range(4)]
        thread = threading.Thread(target=make_agent(), args=(f"MS-{number}",))
        thread.start()
        thread.join()
    assert all(one.result() for one in agents)
    assert sum(1 for one in cap.invocation.with_nested() if one.name == "support") == 5
    go_on = threading.Event()
    with capture(wait=0):

        @record.agent
        def late() -> None:
            go_on.wait(60)
            record.tool_execution("look_up", {"number": number}, result=number)

        thread = threading.Thread(target=late)
        thread.start()
    go_on.set()
    thread.join()


def in_tasks(number: int) -> None:
    """Tasks side by side, some of which are cancelled, or fail, or stop reading a stream."""

    @record.tool
    async def wait(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "waited"

    @record.agent
    async def waiter(seconds: float) -> str:
        with record.model_call("small", messages="Wait"):
            await asyncio.sleep(0)
        return await wait(seconds)

    @record.agent
    async def stream(limit: int) -> AsyncIterator[int]:
        for one in range(limit):
            await asyncio.sleep(0)
            yield one

    async def desk(index: int) -> None:
        async with capture(wait=0.1) as cap:
            waiting = asyncio.ensure_future(waiter(60 if index % 2 else 0))
            async for one in stream(3):
                if one == index:
                    break
            if index == 2:
                raise OutOfStockError
            if index % 2:
                waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        assert len(cap.invocations) == 2

    async def desks() -> None:
        await asyncio.gather(*(desk(index) for index in range(4)), return_exceptions=True)

    asyncio.run(desks())


def pieces(folder: Path) -> dict[str, Any]:
    """Each kind of work by its name; files go into a folder."""
    plain = (asserting, failing, expressing, conversing, driving, judging, leaving_behind, in_threads, in_tasks)
    return {**{one.__name__: one for one in plain}, "storing": lambda number: storing(number, folder)}
