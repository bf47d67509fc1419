"""`capture(expecting_failure=True)`: which errors it swallows, to the letter."""

from __future__ import annotations

import asyncio

import attrs
import pytest

from agentassert import AgentAssertionError, Status, assert_that, capture, record, recorder, soft_assertions
from agentassert.errors import note_soft_failures


class Refused(Exception):
    pass


@record.agent
def failing(error):
    raise error


def test_the_error_of_a_failed_invocation_is_swallowed_and_kept():
    error = Refused("no")

    with capture(expecting_failure=True) as cap:
        failing(error)

    assert cap.error is error
    assert cap.invocation.status is Status.FAILED


def test_the_error_of_a_failed_invocation_is_swallowed_in_async_with_too():
    async def scenario():
        async with capture(expecting_failure=True) as cap:
            failing(Refused("no"))
        return cap

    assert asyncio.run(scenario()).invocation.status is Status.FAILED


def test_the_error_of_a_blocked_invocation_is_swallowed():
    error = Refused("guardrail")

    with capture(expecting_failure=True) as cap:
        recorder.start_invocation("support", adapter="fake").block(error)
        raise error

    assert cap.invocation.status is Status.BLOCKED


def test_an_error_of_a_nested_invocation_is_swallowed():
    @record.agent
    def manager():
        failing(Refused("no"))

    with capture(expecting_failure=True) as cap:
        manager()

    assert [one.status for one in cap.invocation.with_nested()] == [Status.FAILED, Status.FAILED]


def test_an_error_that_was_raised_from_it_is_swallowed_at_any_distance():
    with capture(expecting_failure=True) as cap:
        try:
            failing(Refused("no"))
        except Refused as refused:
            try:
                raise LookupError("first") from refused
            except LookupError as first:
                raise RuntimeError("second") from first

    assert isinstance(cap.error, RuntimeError)


def test_an_error_that_was_only_raised_while_it_was_handled_is_not():
    other = RuntimeError("of the test")

    with pytest.raises(RuntimeError) as raised, capture(expecting_failure=True):
        try:
            failing(Refused("no"))
        except Refused:
            raise other  # noqa: B904

    assert raised.value is other
    assert isinstance(other.__context__, Refused)


def test_an_equal_error_that_is_another_object_is_not():
    with pytest.raises(Refused), capture(expecting_failure=True):
        with pytest.raises(Refused):
            failing(Refused("no"))
        raise Refused("no")


def test_an_unrelated_error_is_raised_unchanged():
    error = LookupError("of the test")

    with pytest.raises(LookupError) as raised, capture(expecting_failure=True) as cap:
        raise error

    assert raised.value is cap.error is error
    assert error.__cause__ is error.__context__ is None


def test_a_group_around_it_is_raised_since_it_holds_it_and_was_not_raised_from_it():
    error = Refused("no")

    with pytest.raises(ExceptionGroup), capture(expecting_failure=True):
        with pytest.raises(Refused):
            failing(error)
        raise ExceptionGroup("two", [error, LookupError("other")])


def test_an_assertion_error_of_the_agent_itself_is_swallowed():
    with capture(expecting_failure=True) as cap:
        failing(AssertionError("the agent's own"))

    assert cap.invocation.status is Status.FAILED


def test_an_assertion_error_that_was_raised_from_it_is_not():
    with pytest.raises(AssertionError, match="of the test"), capture(expecting_failure=True):
        try:
            failing(Refused("no"))
        except Refused as refused:
            raise AssertionError("of the test") from refused


def test_an_error_that_carries_soft_failures_is_not():
    error = Refused("no")
    note_soft_failures(error, "1 assertion failed")

    with pytest.raises(Refused) as raised, capture(expecting_failure=True):
        failing(error)

    assert raised.value is error


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), asyncio.CancelledError(), GeneratorExit()], ids=repr)
def test_what_is_no_exception_is_raised_even_where_an_invocation_failed_by_it(error):
    with pytest.raises(type(error)) as raised, capture(expecting_failure=True) as cap:
        recorder.start_invocation("support", adapter="fake").fail(error)
        raise error

    assert raised.value is error
    assert cap.invocation.status is Status.FAILED


def test_an_implicit_invocation_fails_by_an_error_of_recorded_work_only():
    @record.tool
    def broken():
        raise Refused("no")

    with capture(expecting_failure=True) as cap:
        broken()

    assert cap.invocation.implicit
    assert (cap.invocation.status, cap.error) == (Status.FAILED, cap.invocation.tool_executions[0].error)
    with pytest.raises(LookupError), capture(expecting_failure=True) as cap:
        record.tool_execution("get", {}, result=1)
        raise LookupError("of the test")
    assert cap.invocation.status is Status.COMPLETED


def test_leaving_fails_when_nothing_failed():
    with pytest.raises(AgentAssertionError) as raised, capture(expecting_failure=True), record.invocation("support"):
        pass

    assert str(raised.value) == "Expected an invocation to fail in the block, but none did. Recorded: 'support' (completed)."
    assert raised.value.expected == "a failed invocation"


def test_leaving_fails_when_nothing_was_recorded():
    with pytest.raises(AgentAssertionError, match=r"Recorded: nothing\."), capture(expecting_failure=True):
        pass


def test_leaving_fails_when_the_agent_was_cancelled_only():
    with pytest.raises(AgentAssertionError, match="'support' \\(cancelled\\)"), capture(expecting_failure=True):
        recorder.start_invocation("support", adapter="fake").cancel()


def test_leaving_passes_when_the_failure_was_handled_in_the_block():
    with capture(expecting_failure=True) as cap, pytest.raises(Refused):
        failing(Refused("no"))

    assert cap.invocation.status is Status.FAILED


def test_leaving_passes_when_a_nested_invocation_failed_and_the_agent_coped():
    @record.agent
    def manager():
        with pytest.raises(Refused):
            failing(Refused("no"))

    with capture(expecting_failure=True) as cap:
        manager()

    assert cap.invocation.status is Status.COMPLETED


def test_a_failure_that_nobody_expected_is_raised():
    with pytest.raises(Refused), capture():
        failing(Refused("no"))


def test_soft_failures_on_a_cause_are_not_swallowed_with_it():
    @record.agent
    def support():
        raise TimeoutError("no answer")

    with pytest.raises(RuntimeError), capture(expecting_failure=True):
        try:
            with soft_assertions():
                assert_that(1).is_equal_to(2)
                support()
        except TimeoutError as error:
            raise RuntimeError("gave up") from error


def test_a_frozen_exception_takes_the_note_of_soft_failures():
    @attrs.frozen(auto_exc=True)
    class FrozenError(Exception):
        code: int

    with pytest.raises(FrozenError) as raised, soft_assertions():
        assert_that(1).is_equal_to(2)
        raise FrozenError(3)
    assert "1 soft assertion failed" in raised.value.__notes__[0]
