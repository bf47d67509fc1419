"""Assertions inside the block, while the agent still runs, and on captures that were just made."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, AmbiguousError, NotRecordedError, assert_that, capture, record
from tests.factories import message


def test_a_started_execution_counts_against_negative_assertions():
    seen = []

    @record.tool
    def pay():
        chain = assert_that(cap)
        negative = chain.has_no_tool_executions, chain.has_no_failed_tool_executions, chain.has_no_more_tool_executions
        seen.extend([*map(message, negative), message(chain.has_tool_executed, "pay")])

    with capture() as cap:
        pay()
    assert [text.splitlines()[1] for text in seen] == [
        "but it executed 'pay' once.",
        "but that depends on 1 execution of 'pay' that has not ended.",
        "but 1 execution was not checked before:",
        "but that depends on 1 execution of 'pay' that has not ended.",
    ]
    assert all(text.endswith("[1] pay() UNFINISHED") for text in seen)
    assert_that(cap).has_tool_executed("pay")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_tool_executed_times_at_most", ("pay", 1)),
        ("has_tool_executed_times", ("pay", 1)),
        ("has_tools_executed_exactly_in_any_order", ("pay",)),
        ("has_tools_executed_exactly_in_order", ("pay", "pay")),
        ("has_no_failed_tool_executions", ()),
        ("has_tool_execution_failed", ("pay",)),
        ("has_tool_execution_cancelled", ("pay",)),
        ("arguments_of", ("pay",)),
    ],
)
def test_nobody_knows_how_what_still_runs_will_end(method, arguments):
    seen = []

    @record.tool
    def pay(again):
        if again:
            with pytest.raises(NotRecordedError) as caught:
                getattr(assert_that(cap), method)(*arguments)
            seen.append(str(caught.value))

    with capture() as cap:
        pay(False)
        pay(True)
    assert "\nbut that depends on 1 execution of 'pay' that has not ended.\nWait for its result before" in seen[0]


def test_what_holds_however_a_running_execution_ends_passes_and_leaves_it_unchecked():
    @record.tool
    def pay(again):
        if again:
            assert_that(cap).has_tool_executed("pay").has_tool_executed_times_at_most("pay", 2)
            raise ValueError("no money")

    with capture() as cap:
        pay(False)
        with pytest.raises(ValueError, match="no money"):
            pay(True)
    assert "\nbut 1 execution was not checked before:\n  [2] pay(again=True) FAILED" in message(
        assert_that(cap).has_no_more_tool_executions
    )


def test_several_running_executions_are_counted():
    seen = []

    @record.tool
    def pay():
        seen.append(message(assert_that(cap).has_no_failed_tool_executions))

    @record.tool
    def notify():
        pay()

    with capture() as cap:
        notify()
    assert "2 executions of 'notify', 'pay' that have not ended" in seen[0]


def test_a_model_call_that_has_not_ended_may_still_request_a_tool():
    with capture() as cap:
        with record.model_call("small"):
            for names in ((), ("pay",)):
                with pytest.raises(
                    NotRecordedError, match=r"\nbut a chat model call has not ended, so nobody knows\.\nWait for its"
                ):
                    assert_that(cap).has_no_tool_requested(*names)
        assert_that(cap).has_no_tool_requested("pay")


def test_a_running_invocation_passes_nothing():
    with capture() as cap, record.invocation("support"):
        record.tool_execution("pay")
        assert "\nbut it has not finished" in message(assert_that(cap).has_tool_executed, "pay")


def test_a_chain_reads_the_records_again():
    with capture() as cap:
        record.tool_execution("look")
        chain = assert_that(cap).has_tool_executed_times("look", 1)
        record.tool_execution("look")
        chain.has_tool_executed_times("look", 2)


def test_what_became_a_stray_can_still_be_asserted_on_by_the_invocation_that_stood_for_it():
    with capture() as cap:
        record.tool_execution("look")
        implicit = cap.invocation
        with record.invocation("support"):
            record.tool_execution("pay")

    assert_that(implicit).has_tools_executed_exactly_in_order("look").has_no_more_tool_executions()
    with pytest.raises(AmbiguousError, match="recorded outside every invocation"):
        assert_that(cap).has_no_tool_executions("look")


def test_a_block_without_anything_has_no_invocation_to_assert_on():
    with capture() as cap:
        pass

    with pytest.raises(AgentAssertionError) as caught:
        assert_that(cap).has_no_tool_executions()
    assert str(caught.value) == (
        "Expected one top-level invocation in the capture, but there is none. Recorded: nothing.\n"
        "Was the agent run inside the block, and is its framework supported, or decorated with `record`?"
    )
