"""Soft assertions: every failure of a block, in one error."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import unittest

import pytest

from agentassert import AgentAssertionError, Status, assert_that, soft_assertions
from tests.assertions.every_assertion import ASSERTIONS, call
from tests.factories import approval, captured, chat, execution, invocation

NOTHING = invocation()
MUCH = invocation(
    "support",
    *(execution("pay") for _ in range(8)),
    execution("mail", error="no"),
    duration=3.0,
    calls=[chat(tokens=1, requests=["pay"]) for _ in range(8)],
    sources=["Paris"],
    approvals=(approval("pay"),),
    status=Status.AWAITING_APPROVAL,
)
NEVER_FAILING = {"arguments_of", "executed_tool_names", "output", "output_text", "results_of", "tool_executions"}


def first_lines(error):
    return [str(one).splitlines()[0] for one in error.failures]


@pytest.mark.parametrize("method", [one for one in ASSERTIONS if one not in NEVER_FAILING])
def test_the_failure_of_every_assertion_is_collected_and_the_block_goes_on(method):
    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        call(assert_that(captured(NOTHING)), method)
        call(assert_that(captured(MUCH)), method)
        assert_that("the end").is_equal_to("reached")

    *failures, end = caught.value.failures
    assert str(end) == "Expected <the end> to be equal to <reached>, but was not."
    assert {one.subject for one in failures} == {"invocation 'support'"}


@pytest.mark.parametrize("method", ASSERTIONS)
def test_a_gate_that_every_assertion_stands_behind_is_collected(method):
    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        call(assert_that(captured(NOTHING, on_doubt="fail", notes=("a doubt",))), method)

    assert first_lines(caught.value) == ["The recording is in doubt, which this capture counts as a failure:"]


def test_all_failures_stand_in_one_text_and_the_chains_go_on():
    cap = captured(invocation("support", execution("pay")))

    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        assert_that(cap).has_tool_executed("ship").has_no_tool_executions("pay").has_tool_executed("pay")
        assert_that([1, 2]).contains(3).is_length(2)
    assert str(caught.value) == (
        "3 soft assertions failed:\n"
        "1. Expected invocation 'support' to have executed 'ship',\n"
        "but it was never executed.\n"
        "Tool executions:\n"
        "  [1] pay() -> 'ok'\n"
        "2. Expected invocation 'support' to have executed none of 'pay',\n"
        "but it executed 'pay' once.\n"
        "Tool executions:\n"
        "  [1] pay() -> 'ok'\n"
        "3. Expected <[1, 2]> to contain item <3>, but did not."
    )
    assert_that(cap).has_no_more_tool_executions()


def test_one_failure_is_one():
    with pytest.raises(AgentAssertionError, match=r"^1 soft assertion failed:"), soft_assertions():
        assert_that(1).is_equal_to(2)


def test_a_block_in_which_nothing_fails_raises_nothing():
    with soft_assertions():
        assert_that(captured(invocation())).has_no_tool_executions()


def test_after_the_block_failures_are_raised_at_once():
    with soft_assertions():
        pass
    with pytest.raises(AgentAssertionError, match="Expected <1> to be equal to <2>"):
        assert_that(1).is_equal_to(2)


def test_a_failure_marks_nothing():
    cap = captured(invocation("support", execution("pay")))

    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        assert_that(cap).has_tool_executed_times("pay", 2).has_no_more_tool_executions()
    assert len(caught.value.failures) == 2


def test_an_exception_of_the_block_goes_its_way_with_the_failures_as_a_note():
    with pytest.raises(KeyError) as caught, soft_assertions():
        assert_that(1).is_equal_to(2)
        raise KeyError("id")

    assert caught.value.__notes__ == ["1 soft assertion failed:\n1. Expected <1> to be equal to <2>, but was not."]


@pytest.mark.parametrize("skip", [lambda: pytest.skip("no database"), unittest.SkipTest("no database")])
def test_a_skip_does_not_hide_what_failed_before_it(skip):
    with pytest.raises(AgentAssertionError, match="1 soft assertion failed") as caught, soft_assertions():
        assert_that(1).is_equal_to(2)
        if isinstance(skip, BaseException):
            raise skip
        skip()

    assert "no database" in str(caught.value.__context__)


def test_a_skip_of_a_block_in_which_nothing_failed_is_one():
    with pytest.raises(pytest.skip.Exception, match="no database"), soft_assertions():
        pytest.skip("no database")


def test_a_generator_that_is_not_resumed_does_not_take_failures_with_it():
    def generate():
        with soft_assertions():
            assert_that(1).is_equal_to(2)
            yield

    generated = generate()
    next(generated)

    with pytest.raises(AgentAssertionError, match="1 soft assertion failed"):
        generated.close()


def test_an_exception_of_the_block_without_failures_carries_no_note():
    with pytest.raises(KeyError) as caught, soft_assertions():
        raise KeyError("id")

    assert not hasattr(caught.value, "__notes__")


def test_a_mistake_in_the_test_is_raised_at_once():
    with pytest.raises(ValueError, match="name must not be empty"), soft_assertions():
        assert_that(captured(invocation())).has_tool_executed("")


def test_a_block_in_a_block_keeps_its_own():
    with pytest.raises(AgentAssertionError) as outer, soft_assertions():
        assert_that(1).is_equal_to(2)
        with pytest.raises(AgentAssertionError) as inner, soft_assertions():
            assert_that(3).is_equal_to(4)
        assert_that(5).is_equal_to(6)

    assert first_lines(inner.value) == ["Expected <3> to be equal to <4>, but was not."]
    assert len(outer.value.failures) == 2


def test_a_block_that_is_used_again_starts_empty():
    block = soft_assertions()
    with pytest.raises(AgentAssertionError), block:
        assert_that(1).is_equal_to(2)
    with block:
        assert_that(1).is_equal_to(1)


def test_a_callback_fails_for_its_candidate_and_is_not_collected():
    nested = [invocation("reader", execution("skim")), invocation("reader", execution("read"))]

    with soft_assertions():
        assert_that(captured(invocation("writer", nested=nested))).has_nested_invocation_satisfying(
            "reader", lambda chain: chain.has_tool_executed("read")
        )


def test_tasks_keep_their_failures_to_themselves():
    async def checked(number):
        with soft_assertions():
            await asyncio.sleep(0)
            assert_that(number).is_equal_to(-1)
            await asyncio.sleep(0)

    async def both():
        return await asyncio.gather(checked(1), checked(2), return_exceptions=True)

    errors = asyncio.run(both())
    assert [first_lines(error) for error in errors] == [
        ["Expected <1> to be equal to <-1>, but was not."],
        ["Expected <2> to be equal to <-1>, but was not."],
    ]


def test_a_task_that_was_started_in_the_block_fails_at_once():
    async def child():
        assert_that(1).is_equal_to(2)

    async def parent():
        with soft_assertions():
            return await asyncio.gather(asyncio.create_task(child()), return_exceptions=True)

    (error,) = asyncio.run(parent())
    assert str(error) == "Expected <1> to be equal to <2>, but was not."


def test_a_thread_is_not_affected_even_when_it_runs_in_a_copy_of_the_context():
    caught = []

    def work():
        try:
            assert_that(1).is_equal_to(2)
        except AgentAssertionError as error:
            caught.append(error)

    with soft_assertions():
        thread = threading.Thread(target=contextvars.copy_context().run, args=(work,))
        thread.start()
        thread.join()
    assert len(caught) == 1


def test_a_block_left_in_another_context_reports_what_it_collected():
    block = soft_assertions()

    def enter():
        block.__enter__()
        assert_that(1).is_equal_to(2)

    contextvars.copy_context().run(enter)
    with pytest.raises(AgentAssertionError, match="1 soft assertion failed"):
        block.__exit__(None, None, None)


def test_after_a_block_was_left_a_chain_in_its_context_fails_at_once():
    context, block = contextvars.copy_context(), soft_assertions()
    context.run(block.__enter__)
    block.__exit__(None, None, None)

    with pytest.raises(AgentAssertionError):
        context.run(assert_that(1).is_equal_to, 2)
