"""Tools of the OpenAI Agents SDK that need an approval: pending, decided, and the run that goes on."""

from __future__ import annotations

import asyncio
import inspect

import pytest

pytest.importorskip("agents")

from agents import Agent, RunConfig, Runner, RunState, function_tool

from agentassert import Decision, Outcome, Status, capture
from tests.adapters.openai_agents_parts import agent, executed, get_booking
from tests.scripted.openai_agents import asks_for, hands_off_to, says

REQUEST = ("pay", {"amount": 5}, "p1")
KEEPS_REASONS = "rejection_message" in inspect.signature(RunState.reject).parameters


@function_tool(needs_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


def cashier(*steps, **options):
    return agent(*(steps or (asks_for(REQUEST), says("done"))), tools=[pay, get_booking], name="cashier", **options)


def decided(invocation):
    return [(one.tool, one.arguments, one.decision, one.call_id) for one in invocation.approvals]


async def run(support, given="hi", **options):
    return await Runner.run(support, given, **options)


async def streamed(support, given="hi", **options):
    result = Runner.run_streamed(support, given, **options)
    async for _ in result.stream_events():
        pass
    return result


def answer(result, *approve):
    state = result.to_state()
    for item, approved in zip(result.interruptions, approve, strict=True):
        (state.approve if approved else state.reject)(item)
    return state


def in_a_capture(work):
    async def go():
        async with capture() as cap:
            await work()
        return cap

    return asyncio.run(go())


@pytest.mark.parametrize("way", [run, streamed])
def test_a_tool_that_waits_is_pending_and_was_requested_only(way):
    cap = in_a_capture(lambda: way(cashier()))

    assert (cap.invocation.status, cap.invocation.tool_executions) == (Status.AWAITING_APPROVAL, ())
    assert decided(cap.invocation) == [("pay", {"amount": 5}, Decision.PENDING, "p1")]
    assert not cap.invocation.tool_execution_requests[0].answered


@pytest.mark.parametrize("config", [None, RunConfig(tracing_disabled=True)])
@pytest.mark.parametrize("way", [run, streamed])
@pytest.mark.parametrize(
    ("approve", "decision", "executions"),
    [(True, Decision.APPROVE, [("pay", Outcome.SUCCEEDED)]), (False, Decision.REJECT, [])],
)
def test_a_decision_settles_what_was_pending_and_the_invocation_goes_on(way, approve, decision, executions, config):
    support = cashier()

    async def work():
        result = await way(support, run_config=config)
        await way(support, answer(result, approve), run_config=config)

    cap = in_a_capture(work)
    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert decided(cap.invocation) == [("pay", {"amount": 5}, decision, "p1")]
    assert executed(cap) == executions
    assert len(cap.invocation.own_chat_model_calls) == 2
    assert cap.health.doubts == ()


@pytest.mark.skipif(not KEEPS_REASONS, reason="this release keeps no reason")
def test_the_words_of_a_rejection_are_its_reason():
    support = cashier()

    async def work():
        state = (result := await run(support)).to_state()
        state.reject(result.interruptions[0], rejection_message="too much")
        await run(support, state)

    assert [one.reason for one in in_a_capture(work).invocation.approvals] == ["too much"]


def test_each_of_several_tools_has_its_own_decision():
    support = cashier(asks_for(REQUEST, ("get_booking", {"number": "1"}, "g1"), ("pay", {"amount": 7}, "p2")), says("done"))

    async def work():
        result = await run(support)
        await run(support, answer(result, False, True))

    cap = in_a_capture(work)
    assert [one[2:] for one in decided(cap.invocation)] == [(Decision.REJECT, "p1"), (Decision.APPROVE, "p2")]
    assert [(one.name, one.call_id) for one in cap.invocation.tool_executions] == [("get_booking", "g1"), ("pay", "p2")]


def test_a_decision_that_is_still_missing_stays_pending_and_is_there_once():
    support = cashier(asks_for(REQUEST, ("pay", {"amount": 7}, "p2")), says("done"))

    async def work():
        result = await run(support)
        state = result.to_state()
        state.approve(result.interruptions[0])
        await run(support, state)

    cap = in_a_capture(work)
    assert cap.invocation.status is Status.AWAITING_APPROVAL
    assert [one[2:] for one in decided(cap.invocation)] == [(Decision.APPROVE, "p1"), (Decision.PENDING, "p2")]


def test_in_another_capture_the_resumption_is_an_invocation_of_its_own():
    support = cashier()
    results = []

    async def before():
        results.append(await run(support))

    async def after():
        await run(support, answer(results[0], True))

    first, second = in_a_capture(before), in_a_capture(after)
    assert (first.invocation.status, decided(first.invocation)[0][2]) == (Status.AWAITING_APPROVAL, Decision.PENDING)
    assert (second.invocation.name, second.invocation.input, second.invocation.status) == ("cashier", "hi", Status.COMPLETED)
    assert decided(second.invocation) == [("pay", {"amount": 5}, Decision.APPROVE, "p1")]
    assert executed(second) == [("pay", Outcome.SUCCEEDED)]


def test_a_rejection_made_between_two_captures_is_recorded_in_the_second():
    support = cashier()
    state = answer(asyncio.run(run(support)), False)

    cap = in_a_capture(lambda: run(support, state))

    assert decided(cap.invocation) == [("pay", {"amount": 5}, Decision.REJECT, "p1")]
    assert (cap.invocation.status, cap.invocation.tool_executions) == (Status.COMPLETED, ())


@pytest.mark.parametrize("before", [False, True])
def test_a_state_that_was_stored_before_or_after_the_decision_continues_its_invocation(before):
    support = cashier()

    async def work():
        result = await run(support)
        stored = (answer(result, True) if before else result.to_state()).to_json()
        state = await RunState.from_json(support, stored)
        if not before:
            state.approve(state.get_interruptions()[0])
        await run(support, state)

    cap = in_a_capture(work)
    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("pay", Outcome.SUCCEEDED)])
    assert [one[2] for one in decided(cap.invocation)] == [Decision.APPROVE]


def test_runs_that_wait_for_the_same_are_told_apart():
    first, second = cashier(), cashier()

    async def work():
        waiting = await run(first, "one")
        also = await run(second, "two")
        await run(second, answer(also, False))
        await run(first, answer(waiting, True))

    cap = in_a_capture(work)
    assert [(one.input, one.approvals[0].decision) for one in cap.invocations] == [
        ("one", Decision.APPROVE),
        ("two", Decision.REJECT),
    ]


def test_a_new_question_while_a_run_waits_is_an_invocation_of_its_own():
    support = cashier(asks_for(REQUEST), says("hello"))

    async def work():
        await run(support)
        await run(support)

    assert [one.status for one in in_a_capture(work).invocations] == [Status.AWAITING_APPROVAL, Status.COMPLETED]


def desk(inner):
    return agent(
        asks_for(("settle", {"input": "go"}, "d1")), says("settled"), tools=[inner.as_tool("settle", "Settle.")], name="desk"
    )


@pytest.mark.parametrize("way", [run, streamed])
def test_a_nested_agent_that_waits_is_suspended_and_goes_on_with_the_one_around_it(way):
    outer = desk(cashier())
    pending = []

    async def go():
        async with capture() as cap:
            result = await way(outer)
            pending.append(cap.invocation)
            await way(outer, answer(result, True))
        return cap

    cap = asyncio.run(go())
    (waiting,) = pending[0].nested_invocations
    assert (pending[0].status, waiting.status, pending[0].approvals) == (Status.AWAITING_APPROVAL, Status.AWAITING_APPROVAL, ())
    assert [one.outcome for one in pending[0].tool_executions] == [Outcome.UNFINISHED]
    assert decided(waiting) == [("pay", {"amount": 5}, Decision.PENDING, "p1")]

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.COMPLETED, Status.COMPLETED)
    assert (executed(cap), cap.invocation.approvals) == ([("settle", Outcome.SUCCEEDED)], ())
    assert decided(nested) == [("pay", {"amount": 5}, Decision.APPROVE, "p1")]
    assert [(one.name, one.outcome) for one in nested.tool_executions] == [("pay", Outcome.SUCCEEDED)]
    assert nested.started_by == cap.invocation.tool_executions[0].id


def test_in_another_capture_a_nested_agent_goes_on_in_the_tool_that_it_is():
    outer = desk(cashier())
    state = answer(asyncio.run(run(outer)), False)

    cap = in_a_capture(lambda: run(outer, state))

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.name, executed(cap)) == ("desk", [("settle", Outcome.SUCCEEDED)])
    assert (nested.started_by, decided(nested)[0][2]) == (cap.invocation.tool_executions[0].id, Decision.REJECT)
    assert (nested.tool_executions, cap.invocation.approvals) == ((), ())


def test_an_agent_that_was_handed_off_to_waits_and_goes_on():
    support = agent(hands_off_to("cashier", "h1"), name="desk", handoffs=[cashier()])

    async def work():
        result = await run(support)
        await run(support, answer(result, True))

    cap = in_a_capture(work)
    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.COMPLETED, Status.COMPLETED)
    assert (cap.invocation.approvals, [one[2] for one in decided(nested)]) == ((), [Decision.APPROVE])


def test_a_tool_that_is_approved_for_good_waits_once():
    support = cashier(asks_for(REQUEST), asks_for(("pay", {"amount": 7}, "p2")), says("done"))

    async def work():
        result = await run(support)
        state = result.to_state()
        state.approve(result.interruptions[0], always_approve=True)
        await run(support, state)

    cap = in_a_capture(work)
    assert [one[2:] for one in decided(cap.invocation)] == [(Decision.APPROVE, "p1")]
    assert [one.call_id for one in cap.invocation.tool_executions] == ["p1", "p2"]


def test_a_tool_that_needs_no_approval_this_time_has_none():
    async def dear(context, arguments, call_id):
        return arguments["amount"] > 10

    cheap = function_tool(lambda amount: "paid", name_override="cheap", strict_mode=False, needs_approval=dear)
    cap = in_a_capture(
        lambda: run(Agent("cashier", model=agent(asks_for(("cheap", {"amount": 5}, "c1")), says("done")).model, tools=[cheap]))
    )

    assert (cap.invocation.approvals, executed(cap)) == ((), [("cheap", Outcome.SUCCEEDED)])


@pytest.mark.parametrize(("approve", "decision"), [(True, Decision.APPROVE), (False, Decision.REJECT)])
def test_a_decision_counts_also_where_the_run_does_not_go_on(approve, decision):
    async def work():
        answer(await run(cashier()), approve)

    cap = in_a_capture(work)
    assert (cap.invocation.status, [one[2] for one in decided(cap.invocation)]) == (Status.AWAITING_APPROVAL, [decision])


def test_a_decision_in_another_capture_is_recorded_where_the_run_goes_on():
    support = cashier()
    states = []

    async def before():
        states.append(await run(support))

    async def between():
        states.append(answer(states[0], True))

    async def after():
        await run(support, states[1])

    captures = [in_a_capture(work) for work in (before, between, after)]
    assert [[one[2] for one in decided(top)] for cap in captures for top in cap.invocations] == [
        [Decision.PENDING],
        [Decision.APPROVE],
    ]


def test_a_stored_state_of_nested_agents_continues_both():
    outer = desk(cashier())

    async def work():
        result = await run(outer)
        state = await RunState.from_json(outer, result.to_state().to_json())
        state.approve(state.get_interruptions()[0])
        await run(outer, state)

    cap = in_a_capture(work)
    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.COMPLETED, Status.COMPLETED)
    assert (executed(cap), [one[2] for one in decided(nested)]) == ([("settle", Outcome.SUCCEEDED)], [Decision.APPROVE])
