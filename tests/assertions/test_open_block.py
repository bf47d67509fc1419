"""Assertions inside the block, while the agent still runs, and on captures that were just made."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, AmbiguousError, assert_that, capture, record
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
        "but 1 execution had not ended, so nobody knows.",
        "but 1 execution was not checked before:",
        "but its only execution did not finish.",
    ]
    assert all(text.endswith("[1] pay() UNFINISHED") for text in seen)
    assert_that(cap).has_tool_executed("pay")


def test_a_running_invocation_passes_nothing():
    with capture() as cap, record.invocation("support"):
        record.tool_execution("pay")
        assert "but it has not finished" in message(assert_that(cap).has_tool_executed, "pay")


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
