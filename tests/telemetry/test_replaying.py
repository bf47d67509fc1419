"""Times, order and the tree of spans."""

from __future__ import annotations

import pytest

from agentassert import Capture, NotRecordedError, SpanError, Status, assert_that
from tests.telemetry.parts import agent, chat, document, load, says, span, tool


def names(cap):
    return [one.name for one in cap.invocation.tool_executions]


def test_times_and_order_are_those_of_the_spans_however_they_were_written():
    first = tool(2, "first", inside=1, start=1_000_000_000, end=2_000_000_000)
    second = tool(3, "second", inside=1, start=3_000_000_000, end=3_500_000_000)
    cap = load(second, first, agent(1, end=4_000_000_000))
    assert_that(cap).has_tools_executed_exactly_in_order("first", "second").has_tool_finished_before("first", "second")
    one, other = cap.invocation.tool_executions
    assert (one.duration, other.duration, cap.invocation.duration) == (1.0, 0.5, 4.0)
    assert (other.started_at - cap.invocation.started_at).total_seconds() == pytest.approx(3)
    assert_that(cap).has_duration_at_most(4)


def test_what_overlaps_is_not_one_before_the_other():
    cap = load(agent(1), tool(2, "first", inside=1, start=10, end=30), tool(3, "second", inside=1, start=20, end=40))
    with pytest.raises(AssertionError):
        assert_that(cap).has_tool_finished_before("first", "second")


def test_each_run_that_lies_in_no_other_is_a_top_level_invocation_in_the_order_started():
    cap = load(agent(3, "second", start=50, trace_id="b" * 32), agent(1, "first"), span(9, name="GET /", start=90))
    assert [one.name for one in cap.invocations] == ["first", "second"]


def test_an_agent_in_a_tool_is_started_by_it():
    cap = load(agent(1), tool(2, "ask", inside=1), span(3, inside=2, name="HTTP"), agent(4, "guide", inside=3))
    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by, nested.awaited) == ("guide", cap.invocation.tool_executions[0].id, True)


def test_an_agent_that_outlives_the_tool_that_started_it_was_not_awaited():
    cap = load(agent(1), tool(2, "ask", inside=1, end=10), agent(3, "guide", inside=2, start=5, end=50))
    assert cap.invocation.nested_invocations[0].awaited is False


def test_on_a_coarse_clock_what_is_within_still_comes_before_the_end():
    cap = load(agent(1, end=0), tool(2, "ask", inside=1, end=0), agent(3, "guide", inside=2, end=0))
    assert cap.invocation.nested_invocations[0].awaited is True
    late = load(agent(1, end=50), tool(2, "ask", inside=1, end=50), agent(3, "guide", inside=2, start=50, end=50))
    assert late.invocation.nested_invocations[0].awaited is True


def test_a_span_starts_after_the_one_around_it_whatever_its_clock_says():
    cap = load(agent(1, start=10), tool(2, "look_up", inside=1, start=0, end=5))
    assert names(cap) == ["look_up"]


def test_a_missing_parent_makes_a_root_and_a_doubt():
    cap = load(agent(1, inside=77), tool(2, "look_up", inside=1))
    assert names(cap) == ["look_up"]
    assert cap.health.doubts == ("spans whose parent is not there, taken for the beginning of something: 1",)


def test_an_end_before_the_start_is_a_doubt():
    cap = load(agent(1, start=10, end=5))
    assert (cap.invocation.status, cap.invocation.duration) == (Status.COMPLETED, 0.0)
    assert cap.health.doubts == ("spans that end before they start: 1",)


def test_spans_that_lie_in_each_other_are_refused():
    circle = document(agent(3), span(1, inside=2, name="a"), span(2, inside=1, name="b"))
    with pytest.raises(SpanError, match=r"the spans given: the span 0000000000000001 \('a'\) lies within itself"):
        Capture.from_otlp(circle)


def test_a_span_that_never_ended_is_unfinished():
    cap = load(agent(1, end=None), tool(2, "look_up", inside=1, end=None))
    assert (cap.invocation.status, cap.invocation.tool_executions[0].outcome) == ("unfinished", "unfinished")
    with pytest.raises(AssertionError, match="has not finished"):
        assert_that(cap).has_tool_executed("look_up")


def test_a_span_that_was_exported_twice_counts_once_as_it_ended():
    cap = load(agent(1), tool(2, "look_up", inside=1, end=None), tool(2, "look_up", inside=1, end=20))
    assert_that(cap).has_tool_executed_times("look_up", 1)


def test_work_without_an_agent_is_one_implicit_invocation():
    cap = Capture.from_otlp(document(chat(1, says("Hello")), tool(2, "look_up", start=20)), name="desk")
    assert (cap.invocation.name, cap.invocation.implicit, cap.output) == ("desk", True, "Hello")


def test_a_stored_capture_of_spans_is_the_same():
    cap = load(agent(1), tool(2, "look_up", inside=1, error="no"))
    loaded = Capture.from_json(cap.to_json())
    assert loaded.invocations == cap.invocations
    with pytest.raises(NotRecordedError, match="chat model calls"):
        assert_that(loaded).has_own_chat_model_call_count(0)


@pytest.mark.parametrize("kind", ["execute_tool", "invoke_agent", "invoke_workflow", "chat", "anything"])
def test_no_depth_is_too_deep(kind):
    depth = 3_000
    spans = [
        span(
            number,
            {"gen_ai.operation.name": kind, "gen_ai.tool.name": f"tool_{number}"},
            inside=number - 1 or None,
            end=9_000 - number,
        )
        for number in range(1, depth + 1)
    ]
    cap = load(*spans)
    below = [one for top in cap.invocations for one in top.with_nested()]
    expected = {"execute_tool": 1, "invoke_agent": depth, "invoke_workflow": 1, "chat": 1, "anything": 0}
    assert len(below) == expected[kind]
