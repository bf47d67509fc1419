"""Agents of Pydantic AI that others of them run."""

from __future__ import annotations

import asyncio
import threading

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.capabilities import AbstractCapability

from agentassert import Outcome, Status, assert_that, capture, record
from tests.adapters.pydantic_ai_parts import agent, broken, executed, get_booking, run_sync
from tests.scripted.pydantic_ai import asks_for, says

LOOKED_UP = [("get_booking", Outcome.SUCCEEDED)]
ASKED = asks_for(("ask", {"topic": "bookings"}, "d1"))


def researcher():
    return agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("found"), tools=[get_booking], name="researcher")


async def ask(ctx: RunContext[None], topic: str) -> str:
    """Ask another agent, which counts on the same usage."""
    return (await researcher().run(topic, usage=ctx.usage)).output


def ask_sync(topic: str) -> str:
    """Ask another agent, from the thread that runs tools."""
    return asyncio.run(researcher().run(topic)).output  # later versions refuse `run_sync` there


async def ask_by_stream(topic: str) -> str:
    """Ask another agent, and listen to it."""
    async with researcher().run_stream(topic) as streamed:
        return await streamed.get_output()


def ask_in_a_thread(topic: str) -> str:
    """Ask another agent, in a thread of one's own."""
    told = []
    worker = threading.Thread(target=lambda: told.append(ask_sync(topic)))
    worker.start()
    worker.join()
    return told[0]


@pytest.mark.parametrize("delegate", [ask, ask_sync, ask_by_stream, ask_in_a_thread])
@pytest.mark.parametrize("streamed", [False, True])
def test_an_agent_that_a_tool_runs_is_nested_under_that_execution(delegate, streamed):
    async def run():
        planner = agent(
            asks_for((delegate.__name__, {"topic": "bookings"}, "d1")), says("done"), tools=[delegate], name="planner"
        )
        async with capture(on_doubt="fail") as cap:
            if streamed:
                async with planner.run_stream("hi") as result:
                    await result.get_output()
            else:
                await planner.run("hi")
        return cap

    cap = asyncio.run(run())
    (execution,) = cap.invocation.tool_executions
    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.input, nested.started_by, nested.awaited) == ("researcher", "bookings", execution.id, True)
    assert (executed(cap), executed(nested)) == ([(delegate.__name__, Outcome.SUCCEEDED)], LOOKED_UP)
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [2, 2]
    assert cap.invocation.token_usage.total_tokens == 2 * 14 or streamed
    assert_that(cap).nested_invocation("researcher").has_tool_executed("get_booking")


@pytest.mark.parametrize("place", ["output", "validator", "history", "instructions"])
def test_agents_that_other_parts_of_an_agent_run_are_nested_in_it(place):
    async def hand_over(topic: str) -> str:
        return (await researcher().run(topic)).output

    script = [asks_for(("final_result", {"topic": "x"}, "o1"))] if place == "output" else [says("done")]
    options = {}
    if place == "output":
        options["output_type"] = hand_over
    if place == "history":

        class Summary(AbstractCapability[None]):
            async def before_model_request(self, ctx, request_context):
                await hand_over("history")
                return request_context

        options["capabilities"] = [Summary()]
    planner = agent(*script, name="planner", **options)
    if place == "validator":
        planner.output_validator(hand_over)
    if place == "instructions":

        @planner.instructions
        async def instruct() -> str:
            return await hand_over("instructions")

    with capture() as cap:
        run_sync(planner)

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, executed(nested), cap.invocation.tool_executions) == ("researcher", LOOKED_UP, ())
    assert [one.own for one in cap.invocation.model_calls] == [True]


def test_a_failure_in_a_nested_agent_fails_what_it_leaves():
    async def delegate() -> str:
        failing = agent(asks_for(("broken", {"x": 1}, "c1")), tools=[broken], name="inner")
        try:
            return (await failing.run("go")).output
        except ValueError as error:
            raise ModelRetry("try something else") from error

    outer = agent(asks_for(("delegate", {}, "d1")), says("given up"), tools=[delegate], name="outer")
    with capture() as cap:
        run_sync(outer)

    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("delegate", Outcome.FAILED)])
    (nested,) = cap.invocation.nested_invocations
    assert (nested.status, executed(nested)) == (Status.FAILED, [("broken", Outcome.FAILED)])


def test_agents_side_by_side_hold_their_own():
    async def compare() -> str:
        first, second = await asyncio.gather(*(researcher().run(topic) for topic in ("a", "b")))
        return first.output + second.output

    with capture() as cap:
        run_sync(agent(asks_for(("compare", {}, "d1")), says("done"), tools=[compare], name="planner"))

    assert [(one.input, len(one.tool_executions), len(one.model_calls)) for one in cap.invocation.nested_invocations] == [
        ("a", 1, 2),
        ("b", 1, 2),
    ]


def test_hand_written_agents_around_and_inside_are_joined():
    @record.agent
    async def outer():
        return (await agent(asks_for(("inner", {}, "d1")), says("done"), tools=[inner], name="middle").run("hi")).output

    @record.agent
    async def inner() -> str:
        return "deep"

    with capture() as cap:
        asyncio.run(outer())

    assert [one.name for one in cap.invocation.with_nested()] == ["outer", "middle", "inner"]


def test_what_a_reader_does_between_the_steps_of_a_run_is_part_of_it():
    async def run():
        async with capture() as cap:
            async with agent(says("done"), name="outer").iter("hi") as stepping:
                async for _ in stepping:
                    pass
                await researcher().run("aside")
            await researcher().run("afterwards")
        return cap

    cap = asyncio.run(run())
    assert [(one.name, one.input) for one in cap.invocations] == [("outer", "hi"), ("researcher", "afterwards")]
    assert [one.input for one in cap.invocations[0].nested_invocations] == ["aside"]
