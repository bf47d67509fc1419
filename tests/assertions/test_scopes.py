"""What the assertions look at where an invocation has nested ones, or the capture has several."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, AmbiguousError, FinishReason, InvocationAssertion, assert_that
from tests.assertions.every_assertion import ASSERTIONS, NO_ASSERTIONS, UNSCOPED, call, misfits
from tests.factories import approval, captured, chat, execution, failed, invocation, message, strays, unanswered

ORDERED = ["has_tools_executed_in_order", "has_tools_executed_exactly_in_order"]
SCOPED = [one for one in ASSERTIONS if one not in (*UNSCOPED, *ORDERED)]


def team():
    return captured(
        invocation(
            "writer",
            execution("ask"),
            calls=[chat(tokens=10, requests=["ask"], finish_reason=FinishReason.STOP)],
            sources=["Paris"],
            approvals=(approval("ask", None, "approve"),),
            nested=[
                invocation(
                    "reader",
                    execution("read"),
                    calls=[chat(tokens=5, requests=["read"], finish_reason=FinishReason.LENGTH)],
                    sources=["Rome"],
                    approvals=(approval("read", None, "reject"),),
                )
            ],
        )
    )


def test_the_table_of_assertions_is_complete():
    public = {name for name in dir(InvocationAssertion) if not name.startswith("_")}

    assert misfits(public - NO_ASSERTIONS, ASSERTIONS, "ASSERTIONS of every_assertion.py, by which many tests call it") == []


@pytest.mark.parametrize("method", SCOPED)
def test_with_nested_invocations_a_scope_must_be_chosen(method):
    with pytest.raises(AmbiguousError) as caught:
        call(assert_that(team()), method)

    assert str(caught.value) == (
        "Invocation 'writer' has the nested invocations 'reader', so two readings are plausible.\n"
        "Say before this assertion whether theirs count: including_nested() or top_level_only()."
    )


@pytest.mark.parametrize("method", ORDERED)
def test_a_scope_that_is_to_be_chosen_for_an_order_is_one_in_which_there_is_an_order(method):
    with pytest.raises(AmbiguousError) as caught:
        getattr(assert_that(team()), method)("ask", "read")

    assert str(caught.value) == (
        "Invocation 'writer' has the nested invocations 'reader', so two readings are plausible.\n"
        "Across invocations the order of tools is unknown, so say before this assertion whose it is about: top_level_only(), "
        "or nested_invocation(name) for one of theirs."
    )
    assert_that(team()).top_level_only().has_tools_executed_exactly_in_order("ask")
    assert_that(team()).nested_invocation("reader").has_tools_executed_exactly_in_order("read")


@pytest.mark.parametrize("method", UNSCOPED)
def test_what_is_about_one_invocation_needs_no_scope(method):
    try:
        call(assert_that(team()), method)
    except AgentAssertionError as error:
        assert "plausible" not in str(error)  # noqa: PT017  # it may fail, for any other reason


def test_including_nested_adds_up():
    chain = assert_that(team()).including_nested()

    chain.has_tool_executed("ask").has_tool_executed("read").has_no_more_tool_executions()
    chain.has_model_call_count(2).has_own_chat_model_call_count(2).has_total_tokens_at_most(15)
    chain.has_retrieved_source_containing("Rome").has_tool_requested("read").has_tool_rejected("read").has_tool_approved("ask")
    assert "\nbut it used 15." in message(chain.has_total_tokens_at_most, 14)


def test_top_level_only_leaves_nested_ones_out():
    chain = assert_that(team()).top_level_only()

    chain.has_tools_executed_exactly_in_order("ask").has_no_tool_executions("read").has_no_more_tool_executions()
    chain.has_model_call_count(1).has_total_tokens_at_most(10).has_no_tool_requested("read")
    assert "\nbut the only one does not" in message(chain.has_retrieved_source_containing, "Rome")
    assert "\nbut the only approval was:\n  ask(...): approve" in message(chain.has_tool_rejected, "read")


def test_the_finish_reason_is_never_a_nested_ones():
    assert_that(team()).including_nested().has_finish_reason("stop")


def test_a_scope_holds_for_what_follows_in_the_chain():
    chain = assert_that(team()).including_nested().has_tool_executed("read").top_level_only()

    assert "it was never executed" in message(chain.has_tool_executed, "read")
    with pytest.raises(AmbiguousError):
        assert_that(team()).has_tool_executed("read")


def test_the_camel_case_names_do_the_same():
    assert_that(team()).includingNested().has_tool_executed("read")
    assert_that(team()).topLevelOnly().has_no_tool_executions("read")


def test_executions_are_listed_by_invocation_and_numbered_through():
    assert message(assert_that(team()).including_nested().has_tool_executed_with, "read", {"n": 1}) == (
        "Expected invocation 'writer' to have executed 'read' with {'n': 1},\n"
        "but no successful execution matched. Closest:\n"
        "  [2] read()\n"
        "      $.n: expected 1, but it is missing\n"
        "Tool executions of 'writer':\n"
        "  [1] ask() -> 'ok'\n"
        "Tool executions of 'reader':\n"
        "  [2] read() -> 'ok'\n"
        "Requested, never executed: ask(...), read(...)"
    )


@pytest.mark.parametrize("method", ORDERED)
def test_the_order_across_invocations_is_unknown(method):
    with pytest.raises(ValueError, match=method) as caught:
        getattr(assert_that(team()).including_nested(), method)("ask", "read")
    assert str(caught.value) == (
        f"{method}: the order across invocations is unknown after including_nested(); use top_level_only(), "
        "nested_invocation(name), or has_tools_executed_exactly_in_any_order(...)"
    )
    assert_that(team()).including_nested().has_tools_executed_exactly_in_any_order("read", "ask")


def two_turns(**fields):
    first = invocation("support", execution("look"), calls=[chat(tokens=1)])
    return captured(first, invocation("support", execution("pay"), calls=[chat(tokens=2)], **fields))


def test_a_capture_of_several_turns_is_asserted_on_as_a_whole():
    with pytest.raises(AmbiguousError) as caught:
        assert_that(two_turns()).has_tool_executed("look")
    assert "whole_capture()" in str(caught.value)

    chain = assert_that(two_turns()).whole_capture()
    chain.has_tool_executed("look").has_tool_executed("pay").has_no_more_tool_executions()
    chain.has_tools_executed_in_order("look", "pay").has_tools_executed_exactly_in_order("look", "pay")
    chain.has_own_chat_model_call_count(2).has_total_tokens_at_most(3)
    assert message(chain.has_tool_executed, "ship") == (
        "Expected the whole capture to have executed 'ship',\n"
        "but it was never executed.\n"
        "Tool executions of 'support':\n"
        "  [1] look() -> 'ok'\n"
        "Tool executions of 'support':\n"
        "  [2] pay() -> 'ok'"
    )


def test_the_whole_capture_holds_nested_invocations_too():
    assert_that(team()).whole_capture().has_tools_executed_exactly_in_any_order("ask", "read")


def test_the_whole_capture_is_asserted_on_from_any_of_its_invocations():
    assert_that(two_turns().invocations[1]).whole_capture().has_tool_executed("look")


@pytest.mark.parametrize("method", UNSCOPED)
def test_how_a_whole_capture_ended_is_ambiguous(method):
    with pytest.raises(AmbiguousError) as caught:
        call(assert_that(two_turns()).whole_capture(), method)

    assert str(caught.value) == (
        "This assertion is about one invocation, not about a whole capture.\n"
        "Assert it on one invocation: assert_that(cap.invocation_named(name))."
    )


def test_every_top_level_invocation_of_a_whole_capture_must_pass_its_gate():
    cap = captured(failed("one", execution("look")), invocation("two"))

    assert "invocation 'one' to have completed" in message(assert_that(cap).whole_capture().has_tool_executed, "look")
    assert_that(cap.invocations[0]).has_failed_with(TimeoutError)
    assert_that(cap).whole_capture().has_tool_executed("look")


def test_a_whole_capture_of_nothing_says_that_there_is_nothing():
    with pytest.raises(AmbiguousError, match="It was stored without one"):
        assert_that(captured()).whole_capture().has_no_tool_executions()


@pytest.mark.parametrize(
    "cap",
    [
        captured(invocation("one", execution("look"), ended_order=30), invocation("two", execution("pay"))),
        captured(invocation("one", execution("look"), ended_order=30), invocation("two", execution("pay")), invocation("three")),
        captured(invocation("one", nested=[invocation("two", execution("look"))])),
        captured(invocation("one", nested=[invocation("two", execution("look"))]), invocation("three", execution("pay"))),
        captured(invocation("one", execution("look"), ended_order=30), strays=strays(execution("pay"))),
        captured(
            invocation("one", execution("look"), started_order=5, ended_order=9),
            strays=strays(unanswered("pay", started_order=3)),
        ),
        captured(invocation("one"), strays=strays(execution("pay", started_order=1, ended_order=9))),
    ],
)
def test_the_order_in_a_whole_capture_is_unknown_where_things_overlap_or_are_nested(cap):
    with pytest.raises(
        ValueError, match=r"has_tools_executed_in_order: the order is unknown, because .* overlapped or are nested"
    ):
        assert_that(cap).whole_capture().has_tools_executed_in_order("look", "pay")


def test_an_invocation_that_starts_where_another_one_ends_follows_it():
    cap = captured(
        invocation("one", execution("look"), ended_order=9), invocation("two", execution("pay"), started_order=9, ended_order=12)
    )

    assert_that(cap).whole_capture().has_tools_executed_in_order("look", "pay")


def test_the_order_in_a_whole_capture_is_not_asked_for_before_the_gates():
    cap = captured(failed("one", ended_order=30), invocation("two", execution("pay")))

    assert "to have completed" in message(assert_that(cap).whole_capture().has_tools_executed_in_order, "pay")


def test_in_a_whole_capture_what_lies_outside_of_invocations_stands_where_it_happened():
    between = strays(execution("mail", started_order=50, ended_order=51))
    cap = captured(invocation("one", execution("look")), invocation("two", execution("pay"), started_order=60), strays=between)
    cap_two = captured(
        invocation("one", execution("look")),
        invocation("two", execution("pay", started_order=61, ended_order=62), started_order=60, ended_order=70),
        strays=between,
    )

    assert_that(cap_two).whole_capture().has_tools_executed_exactly_in_order("look", "mail", "pay")
    assert_that(cap).whole_capture().has_no_failed_tool_executions()
