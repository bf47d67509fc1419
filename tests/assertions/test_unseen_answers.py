"""Answers that nobody saw: a loop's tools may have run without a trace, so nothing passes on their absence."""

from __future__ import annotations

import pytest

from agentassert import FinishReason, NotRecordedError, assert_that
from tests.factories import captured, chat, execution, failed_chat, invocation

STREAM_LEFT = {"completed": False, "duration": 0.1}
ASKED_WITHOUT_CONTENT = {"finish_reason": FinishReason.TOOL_EXECUTION}
UNSEEN = pytest.mark.parametrize("answer", [STREAM_LEFT, ASKED_WITHOUT_CONTENT], ids=["left", "without content"])


def loop(answer, *executions):
    calls = [chat(None, **answer)]
    return captured(invocation("loop", *executions, calls=calls, implicit=True, recorded_by=("openai",)))


@UNSEEN
def test_nobody_knows_which_tools_ran(answer):
    with pytest.raises(NotRecordedError, match="without an answer that was seen"):
        assert_that(loop(answer)).has_no_tool_executions()


@UNSEEN
def test_what_was_seen_to_run_is_no_less_certain(answer):
    assert_that(loop(answer, execution("look"))).has_tool_executed("look").has_tool_executed_times_at_least("look", 1)


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
