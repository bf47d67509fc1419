"""What a failure carries as values, and which executions a long list in its message never leaves out."""

from __future__ import annotations

import attrs
import pytest

from agentassert import (
    NOT_RECORDED,
    AgentAssertionError,
    ChatModelCall,
    FinishReason,
    Source,
    assert_that,
    execution_of,
    result_of,
)
from tests.factories import CANCELLED, UNFINISHED, UNKNOWN, captured, chat, execution, invocation, strays

BEFORE = AFTER = 150


def among_many(*executions):
    """These executions, where a message that lists all of them leaves most out."""
    others = [execution("other", {"n": number}) for number in range(BEFORE + AFTER)]
    return [*others[:BEFORE], *executions, *others[BEFORE:]]


def raised(chain, method, *arguments) -> AgentAssertionError:
    with pytest.raises(AgentAssertionError) as caught:
        getattr(chain, method)(*arguments)
    return caught.value


PAID = execution("pay", {"n": 2})
HIDDEN = attrs.evolve(PAID, arguments=None, raw_arguments=None)
ASKED = execution("pay", {"by": object()}), execution("pay", {"by": object()})


@pytest.mark.parametrize(
    ("executions", "method", "arguments", "shown"),
    [
        ([PAID], "has_no_tool_executions", ("pay",), [1]),
        ([execution("pay", error="no")], "has_tool_executed", ("pay",), [1]),
        ([execution("pay", outcome=UNKNOWN)], "has_tool_executed", ("pay",), [1]),
        ([PAID], "has_tool_executed_times", ("pay", 2), [1]),
        ([execution("pay", error="no")], "has_tool_executed_with", ("pay", {"n": 1}), [1]),
        ([execution("pay"), PAID], "has_tool_executed_with", ("pay", {"n": 2, "to": "Ann"}), [2]),
        ([PAID, HIDDEN], "has_tool_executed_with", ("pay", {"n": 1}), [2]),
        ([execution("look", result=NOT_RECORDED), PAID], "has_tool_executed_with", ("pay", {"n": result_of("look")}), [1]),
        ([PAID], "has_tool_execution_failed", ("pay",), [1]),
        ([PAID], "has_tool_execution_cancelled", ("pay",), [1]),
        ([execution("pay", error="no")], "has_no_failed_tool_executions", (), [1]),
        ([execution("pay", outcome=UNFINISHED)], "has_no_failed_tool_executions", (), [1]),
        ([PAID, execution("look"), PAID], "has_no_repeated_tool_executions", (), [1, 3]),
        (ASKED, "has_no_repeated_tool_executions", (), [1, 2]),
        ([PAID], "has_tools_executed_in_order", ("pay", "ship"), [1]),
        ([PAID], "has_tools_executed_exactly_in_order", (*["other"] * BEFORE, "ship"), [1]),
        ([PAID], "has_tools_executed_exactly_in_order", ["other"] * BEFORE, [1]),
        ([PAID], "has_tools_executed_exactly_in_any_order", ["other"] * (BEFORE + AFTER), [1]),
        ([PAID, execution("look")], "has_tool_finished_before", ("look", "pay"), [1]),
    ],
)
def test_what_a_failure_is_about_is_in_the_list_however_long_that_is(executions, method, arguments, shown):
    cap = captured(invocation("support", *among_many(*executions)))

    listed = str(raised(assert_that(cap), method, *arguments)).partition("Tool executions:")[2]

    middle = range(BEFORE + 1, BEFORE + len(executions) + 1)
    assert [number for number in middle if f"\n  [{number}] " in listed] == [BEFORE + place for place in shown]


def test_so_is_what_was_not_checked_before():
    chain = assert_that(captured(invocation("support", *among_many(execution("look"), PAID)))).has_tool_executed("other")

    error = raised(chain.has_tool_executed("look"), "has_no_more_tool_executions")

    assert error.actual == ("pay",)
    assert f"\n  [{BEFORE + 2}] pay(n=2)" in str(error).partition("Tool executions:")[2]


def test_so_is_what_may_not_belong_there():
    cap = captured(invocation("support"), strays=strays(*among_many(PAID)))

    assert f"\n  [{BEFORE + 1}] pay(n=2)" in str(raised(assert_that(cap), "has_tool_executed", "pay"))


@pytest.mark.parametrize(
    ("method", "arguments", "expected", "actual"),
    [
        ("has_no_tool_executions", ("look", "pay"), "to have executed none of 'look', 'pay'", ("look", "look", "pay")),
        ("has_tool_executed", ("ship",), "ship", "but it was never executed"),
        ("has_tool_executed_times", ("look", 3), 3, 2),
        ("has_tool_executed_with", ("pay", {"n": 1}), "to have executed 'pay' with {'n': 1}", {"n": 2}),
        ("has_tools_executed_in_order", ("pay", "look"), "to have executed in order 'pay', 'look'", ("look", "look", "pay")),
        (
            "has_tools_executed_exactly_in_order",
            ("look", "look"),
            "to have executed exactly, in order, 'look', 'look'",
            ("look", "look", "pay", "stop"),
        ),
        (
            "has_tools_executed_exactly_in_order",
            ("look", "pay"),
            "to have executed exactly, in order, 'look', 'pay'",
            ("look", "look", "pay", "stop"),
        ),
        (
            "has_tools_executed_exactly_in_any_order",
            ("look", execution_of("pay", {"n": 2})),
            "to have executed exactly, in any order, 'look', execution_of('pay', {'n': 2})",
            ("look", "look", "pay"),
        ),
        ("has_tool_finished_before", ("ship", "pay"), "ship", "but 'ship' was not executed successfully"),
        ("has_tool_finished_before", ("pay", "ship"), "ship", "but 'ship' was not executed successfully"),
    ],
)
def test_what_was_expected_and_found_as_values(method, arguments, expected, actual):
    ran = execution("look", {"n": 1}), execution("look", {"n": 2}), PAID, execution("stop", outcome=CANCELLED)

    error = raised(assert_that(captured(invocation("support", *ran))), method, *arguments)

    assert (error.expected, error.actual) == (expected, actual)


def test_the_names_up_to_where_one_was_missing():
    error = raised(assert_that(captured(invocation("support", PAID))), "has_tools_executed_exactly_in_order", "pay", "ship")

    assert (error.actual, error.differences) == (("pay",), ())
    assert "\nbut after 1 execution there was no 'ship'.\n" in str(error)


USED = invocation(
    "support",
    calls=[
        chat(
            "Done.",
            requests=["look"],
            tokens=7,
            messages=[{"role": "user", "content": "Hi"}],
            tools_offered=("look",),
            finish_reason=FinishReason.LENGTH,
        )
    ],
    sources=["A ship sails."],
    output={"a": 1},
    duration=2.0,
)
SOURCE = Source(text="A ship sails.")


@pytest.mark.parametrize(
    ("method", "arguments", "expected", "actual"),
    [
        ("has_model_call_count", (ChatModelCall, 2), 2, 1),
        ("has_own_chat_model_call_count_at_most", (0,), 0, 1),
        ("has_total_tokens_at_most", (5,), 5, 7),
        ("has_duration_at_most", (1,), 1, 2.0),
        ("has_finish_reason", ("stop",), FinishReason.STOP, FinishReason.LENGTH),
        ("has_retrieved_source_containing", ("train",), "train", (SOURCE,)),
        ("has_no_retrieved_sources", (), "to have retrieved no sources", (SOURCE,)),
        ("has_tool_requested", ("pay",), "pay", ("look",)),
        ("has_no_tool_requested", (), "to have requested no tool", ("look",)),
        ("has_nested_invocation", ("reader",), "reader", "but it has none"),
        ("has_nested_invocation_times", ("reader", 2), 2, 0),
        ("has_nested_invocation_satisfying", ("reader", lambda nested: True), "reader", "but it has none"),
        ("nested_invocation", ("reader",), "reader", "but it has none"),
        ("chat_model_call", (3,), 3, 1),
        ("output_at", ("$.b",), "to have an output with $.b", {"a": 1}),
    ],
)
def test_so_with_what_it_used_and_produced(method, arguments, expected, actual):
    error = raised(assert_that(captured(USED)), method, *arguments)

    assert (error.expected, error.actual) == (expected, actual)


def test_so_where_nothing_was_retrieved():
    error = raised(assert_that(captured(invocation("support", sources=()))), "has_retrieved_source_containing", "train")

    assert (error.expected, error.actual) == ("train", ())


@pytest.mark.parametrize(
    ("method", "wanted", "actual"),
    [
        ("has_user_message_containing", "train", "but it is not in it"),
        ("has_tool_offered", "pay", ("look",)),
        ("has_response_containing", "train", "Done."),
    ],
)
def test_so_with_what_a_model_was_sent_and_answered(method, wanted, actual):
    error = raised(assert_that(captured(USED)).chat_model_call(0), method, wanted)

    assert (error.expected, error.actual) == (wanted, actual)


def test_how_the_closest_execution_differs():
    error = raised(assert_that(captured(invocation("support", PAID))), "has_tool_executed_with", "pay", {"n": 1})

    assert error.differences == ("$.n: expected 1, was 2",)
