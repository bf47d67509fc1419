"""Answers that nobody saw: a loop's tools may have run without a trace, so nothing passes on their absence."""

from __future__ import annotations

import pytest

from agentassert import FinishReason, NotRecordedError, assert_that
from tests.factories import captured, chat, execution, failed_chat, invocation

STREAM_LEFT = {"completed": False, "duration": 0.1}
ASKED_WITHOUT_CONTENT = {"finish_reason": FinishReason.TOOL_EXECUTION}
UNSEEN = pytest.mark.parametrize("answer", [STREAM_LEFT, ASKED_WITHOUT_CONTENT], ids=["left", "without content"])
NEGATIVE = {
    "has_no_tool_executions": lambda chain: chain.has_no_tool_executions(),
    "has_no_tool_executions of one": lambda chain: chain.has_no_tool_executions("delete"),
    "has_tool_executed_times": lambda chain: chain.has_tool_executed_times("look", 1),
    "has_tool_executed_times_at_most": lambda chain: chain.has_tool_executed_times_at_most("look", 1),
    "has_tools_executed_exactly_in_order": lambda chain: chain.has_tools_executed_exactly_in_order("look"),
    "has_tools_executed_exactly_in_any_order": lambda chain: chain.has_tools_executed_exactly_in_any_order("look"),
    "has_no_more_tool_executions": lambda chain: chain.has_tool_executed("look").has_no_more_tool_executions(),
}


def loop(answer, **fields):
    executions = () if fields.pop("bare", False) else (execution("look"),)
    return captured(
        invocation("loop", *executions, calls=[chat(None, **answer)], implicit=True, recorded_by=("openai",), **fields)
    )


@UNSEEN
@pytest.mark.parametrize("method", NEGATIVE)
def test_a_negative_assertion_on_a_loop_is_not_recorded(method, answer):
    with pytest.raises(NotRecordedError, match="without an answer that was seen"):
        NEGATIVE[method](assert_that(loop(answer, bare=method == "has_no_tool_executions")))


@UNSEEN
def test_what_was_seen_to_run_is_no_less_certain(answer):
    assert_that(loop(answer)).has_tool_executed("look").has_tool_executed_times_at_least("look", 1)


@UNSEEN
def test_a_loop_that_is_decorated_as_an_agent_is_a_loop(answer):
    recorded = captured(invocation("loop", calls=[chat(None, **answer)], framework="record", recorded_by=("openai", "record")))
    with pytest.raises(NotRecordedError):
        assert_that(recorded).has_no_tool_executions()


@UNSEEN
def test_a_framework_tells_of_its_tools_by_itself(answer):
    recorded = captured(invocation("agent", calls=[chat(None, **answer)], framework="langchain", recorded_by=("langchain",)))
    assert_that(recorded).has_no_tool_executions().has_no_more_tool_executions()


@pytest.mark.parametrize(
    "call",
    [
        chat("Hello", finish_reason=FinishReason.STOP),
        failed_chat(),
        chat(None, completed=False, duration=0.1, own=False),
    ],
    ids=["answered", "failed", "of a tool"],
)
def test_a_call_that_cannot_have_asked_hides_nothing(call):
    assert_that(captured(invocation("loop", calls=[call], implicit=True, recorded_by=("openai",)))).has_no_tool_executions()
