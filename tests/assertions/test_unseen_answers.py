"""Answers that nobody saw: a loop's tools may have run without a trace, so nothing passes on their absence."""

from __future__ import annotations

import pytest

from agentassert import EmbeddingModelCall, FinishReason, NotRecordedError, assert_that
from agentassert.checks.unseen import unseen_executions
from agentassert.checks.view import View
from agentassert.stored.message_lists import MESSAGE_LISTS
from tests.factories import captured, chat, execution, failed_chat, invocation

STREAM_LEFT = {"completed": False, "duration": 0.1}
NEVER_ENDED = {"completed": False}
ASKED_WITHOUT_CONTENT = {"finish_reason": FinishReason.TOOL_EXECUTION}
UNSEEN = pytest.mark.parametrize(
    "answer", [STREAM_LEFT, NEVER_ENDED, ASKED_WITHOUT_CONTENT], ids=["left", "never ended", "without content"]
)
FOUND = "but a chat model call ended without an answer that was seen, and tools that it asked for may have run.\n"


def loop(answer, *executions):
    calls = [chat(None, **answer)]
    return captured(invocation("loop", *executions, calls=calls, implicit=True, recorded_by=("openai",)))


@UNSEEN
def test_nobody_knows_which_tools_ran(answer):
    with pytest.raises(NotRecordedError, match="without an answer that was seen"):
        assert_that(loop(answer)).has_no_tool_executions()


@pytest.mark.parametrize(
    ("recorded_by", "advice"),
    [
        (
            ["openai"],
            "Read the response by the SDK itself (a stream to its end), have instrumentation write content, or decorate the tools with "
            "`@record.tool` and record the call with `record.model_call(...)`.\n",
        ),
        (
            sorted(MESSAGE_LISTS),
            "Store the whole list of messages: up to the model's last answer, each result after its request, and without items that "
            "stand for others.\n",
        ),
    ],
)
def test_what_to_do_depends_on_where_the_answer_was_looked_for(recorded_by, advice):
    cap = captured(
        invocation("loop", execution("look"), calls=[chat(None, **STREAM_LEFT)], implicit=True, recorded_by=tuple(recorded_by))
    )
    for method, expected in [
        ("has_tools_executed_exactly_in_order", "executed exactly, in order, 'look'"),
        ("has_tools_executed_exactly_in_any_order", "executed exactly, in any order, 'look'"),
    ]:
        with pytest.raises(NotRecordedError) as caught:
            getattr(assert_that(cap), method)("look")
        assert str(caught.value).startswith(f"Expected invocation 'loop' to have {expected},\n{FOUND}{advice}")


@UNSEEN
def test_what_ran_without_any_agent_is_a_loop_whoever_recorded_it(answer):
    recorded = captured(invocation("loop", calls=[chat(None, **answer)], implicit=True, recorded_by=("record",)))
    with pytest.raises(NotRecordedError):
        assert_that(recorded).has_no_tool_executions()


@pytest.mark.parametrize(
    ("answer", "is_open", "is_unseen"), [(STREAM_LEFT, True, True), (NEVER_ENDED, True, False), (NEVER_ENDED, False, True)]
)
def test_while_a_block_is_open_an_answer_may_still_come(answer, is_open, is_unseen):
    left = invocation("loop", calls=[chat(None, **answer)], implicit=True)
    view = View(subject="the loop", invocations=(left,), is_open=is_open)

    assert (unseen_executions(view, "to have executed no tool") is not None) == is_unseen


@UNSEEN
def test_a_loop_that_records_its_calls_itself_tells_of_its_tools_too(answer):
    recorded = captured(invocation("loop", calls=[chat(None, **answer)], framework="record", recorded_by=("record",)))
    assert_that(recorded).has_no_tool_executions()


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
        EmbeddingModelCall(id="", completed=False, duration=0.1),
    ],
    ids=["answered", "failed", "of a tool", "of another kind"],
)
def test_a_call_that_cannot_have_asked_hides_nothing(call):
    assert_that(captured(invocation("loop", calls=[call], implicit=True, recorded_by=("openai",)))).has_no_tool_executions()


def test_an_answer_that_asked_for_what_was_seen_hides_nothing():
    call = chat(None, finish_reason=FinishReason.TOOL_EXECUTION, requests=["look"])
    cap = captured(invocation("loop", execution("look"), calls=[call], implicit=True, recorded_by=("openai",)))

    assert_that(cap).has_tools_executed_exactly_in_order("look")
