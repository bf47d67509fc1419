"""Functions of Agno's agents: whatever they give, however they fail, and what is asked before they run."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("agno")

from agno.exceptions import RetryAgentRun, StopAgentRun
from agno.models.base import Model
from agno.tools.function import ToolResult

from agentassert import Decision, Outcome, Status, assert_that
from tests.adapters.agno_parts import agent, executed, gated, refund
from tests.adapters.scenarios.parts import recording
from tests.scripted.agno import asks_for, scripted


def letters():
    """Give two letters."""
    yield "a"
    yield "b"


def torn():
    """Give a letter, and fail."""
    yield "a"
    raise ValueError("kaput")


async def numbers():
    """Give two numbers."""
    yield 1
    yield ", 2"


def fragile(x: int) -> str:
    """Fail."""
    raise ValueError("kaput")


def test_an_error_is_recorded_as_it_was_raised_with_what_the_model_is_told():
    with recording() as cap:
        agent(asks_for(("fragile", {"x": 1}, "c1")), "sorry", tools=[fragile]).run("hi")

    (execution,) = cap.invocation.tool_executions
    assert (repr(execution.error), execution.result) == ("ValueError('kaput')", "kaput")
    assert execution.error.__traceback__ is not None


def test_an_error_of_a_hook_that_agno_passes_over_is_none_of_the_tools():
    def broken(fc):
        raise KeyError("hook")

    for function, outcome in ((refund, Outcome.SUCCEEDED), (fragile, Outcome.FAILED)):
        arguments = {"amount": 5} if function is refund else {"x": 1}
        tool = gated(function, pre_hook=broken, post_hook=broken)
        with recording() as cap:
            agent(asks_for((tool.name, arguments, "c1")), "done", tools=[tool]).run("hi")

        assert executed(cap) == [(tool.name, outcome)]
        assert repr(cap.invocation.tool_executions[0].error) == ("None" if function is refund else "ValueError('kaput')")


@pytest.mark.parametrize("is_async", [False, True])
def test_a_generator_runs_until_its_last_part(is_async):
    asked = [("letters", {}, "c1"), ("torn", {}, "c2"), *([("numbers", {}, "c3")] if is_async else [])]
    reader = agent(asks_for(*asked), "done", tools=[letters, torn, numbers])

    with recording() as cap:
        asyncio.run(reader.arun("hi")) if is_async else reader.run("hi")

    found = [(one.name, one.outcome, one.result, repr(one.error)) for one in cap.invocation.tool_executions]
    assert found[:2] == [
        ("letters", Outcome.SUCCEEDED, "ab", "None"),
        ("torn", Outcome.FAILED, None, "ValueError('kaput')"),
    ]
    assert found[2:] == ([("numbers", Outcome.SUCCEEDED, "1, 2", "None")] if is_async else [])


@pytest.mark.parametrize(("kind", "calls"), [(RetryAgentRun, 2), (StopAgentRun, 1)])
def test_an_error_that_steers_the_run_fails_the_tool(kind, calls):
    def steer() -> str:
        """Steer."""
        raise kind("no more")

    with recording() as cap:
        agent(asks_for(("steer", {}, "c1")), "done", tools=[steer]).run("hi")

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, type(execution.error)) == (Outcome.FAILED, kind)
    assert_that(cap).has_succeeded().has_own_chat_model_call_count(calls)


def test_the_content_of_a_tool_result_is_the_result():
    def shoot() -> ToolResult:
        """Take a picture."""
        return ToolResult(content="taken")

    with recording() as cap:
        agent(asks_for(("shoot", {}, "c1")), "done", tools=[shoot]).run("hi")

    assert_that(cap).results_of("shoot").is_equal_to(["taken"])
    assert isinstance(cap.invocation.tool_executions[0].raw_result, ToolResult)


def test_what_agno_makes_of_the_words_true_and_none_is_what_ran():
    def switch(on: bool, room: str | None = "kitchen") -> str:
        """Switch the light."""
        return f"{on} {room}"

    with recording() as cap:
        agent(asks_for(("switch", {"on": "true", "room": "None"}, "c1")), "done", tools=[switch]).run("hi")

    assert cap.invocation.tool_execution_requests[0].arguments == {"on": "true", "room": "None"}
    assert_that(cap).has_tool_executed_with_exactly("switch", {"on": True, "room": None})


@pytest.mark.parametrize("streams", [False, True])
def test_requests_without_ids_are_told_apart(streams):
    asked = asks_for(("refund", {"amount": 1}, None), ("refund", {"amount": 2}, None))

    with recording() as cap:
        result = agent(asked, "done", tools=[refund]).run("hi", stream=streams)
        list(result) if streams else None

    ids = [one.call_id for one in cap.invocation.tool_executions]
    assert len(set(ids)) == 2 or ids == [None, None]  # early releases leave them as they are
    assert [one.call_id for one in cap.invocation.tool_execution_requests] == ids
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, True]


def test_a_call_beyond_the_limit_was_requested_and_not_executed():
    asked = asks_for(("refund", {"amount": 1}, "c1"), ("refund", {"amount": 2}, "c2"))

    with recording() as cap:
        agent(asked, "done", tools=[refund], tool_call_limit=1).run("hi")

    assert_that(cap).has_tool_executed_with("refund", {"amount": 1}).has_no_more_tool_executions()
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [True, False]


def test_what_a_hook_of_the_user_makes_of_a_result_is_the_result():
    def shout(function_name, function_call, arguments):
        return function_call(**arguments).upper()

    with recording() as cap:
        agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[refund], tool_hooks=[shout]).run("hi")

    assert_that(cap).has_tool_executed_with("refund", {"amount": 5}).results_of("refund").is_equal_to(["PAID 5"])


def test_parallel_functions_in_threads_belong_to_their_run():
    with recording() as cap:
        asked = asks_for(*(("refund", {"amount": number}, f"c{number}") for number in range(5)))
        asyncio.run(agent(asked, "done", tools=[refund]).arun("hi"))

    assert [one.result for one in cap.invocation.tool_executions] == [f"paid {number}" for number in range(5)]


def test_an_approval_left_open_is_a_rejection_as_agno_takes_it():
    asking = agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[gated(refund)])

    with recording() as cap:
        asking.continue_run(asking.run("hi"))

    assert [one.decision for one in cap.invocation.approvals] == [Decision.REJECT]
    assert executed(cap) == []


def test_an_approval_of_a_function_without_arguments_is_no_edit():
    def ping() -> str:
        """Ping."""
        return "pong"

    for arguments in ({}, ""):
        asking = agent(asks_for(("ping", arguments, "c1")), "done", tools=[gated(ping)])
        with recording() as cap:
            paused = asking.run("hi")
            paused.active_requirements[0].confirm()
            asking.continue_run(paused)

        assert [(one.decision, one.arguments) for one in cap.invocation.approvals] == [(Decision.APPROVE, {})]
        assert executed(cap) == [("ping", Outcome.SUCCEEDED)]


def test_a_run_that_streams_is_paused_and_goes_on_as_a_stream():
    asking = agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[gated(refund)])

    async def run(*, is_async):
        if is_async:
            paused = [one async for one in asking.arun("hi", stream=True, yield_run_output=True)][-1]
        else:
            paused = list(asking.run("hi", stream=True, yield_run_output=True))[-1]
        assert cap.invocation.status is Status.AWAITING_APPROVAL
        paused.active_requirements[0].confirm()
        if is_async:
            return [one async for one in asking.acontinue_run(paused, stream=True)]
        return list(asking.continue_run(paused, stream=True))

    for is_async in (False, True):
        asking.model = scripted(asks_for(("refund", {"amount": 5}, "c1")), "done")
        with recording() as cap:
            asyncio.run(run(is_async=is_async))

        assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
        assert_that(cap).has_tool_approved("refund").has_tool_executed_with("refund", {"amount": 5})


def test_a_model_class_of_the_users_own_that_is_made_later_is_recorded():
    with recording() as cap:

        class Late(type(scripted())):
            pass

        assert issubclass(Late, Model)
        late = agent()
        late.model = Late(steps=["done"])
        late.run("hi")

    assert_that(cap).has_own_chat_model_call_count(1).has_succeeded()
