"""What was checked, and what is still unchecked."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, NotRecordedError, Status, assert_that, capture, execution_of, record
from agentassert.books import EITHER, Books, Tentative
from tests.factories import CANCELLED, UNFINISHED, UNKNOWN, captured, chat, execution, invocation, message


def support():
    return captured(
        invocation(
            "support",
            execution("look", {"id": 1}),
            execution("look", {"id": 2}),
            execution("pay", {"n": 1}),
            execution("mail", error="no"),
            execution("wait", outcome=CANCELLED),
            execution("poll", outcome=UNFINISHED),
        )
    )


def unchecked(cap):
    """The numbers of the executions that no assertion has marked."""
    chain = assert_that(cap).including_nested()
    try:
        chain.has_no_more_tool_executions()
    except AssertionError as error:
        lines = str(error).partition("Tool executions")[0].splitlines()
        return [int(line.split("]")[0].strip(" [")) for line in lines if line.startswith("  [")]
    return []


@pytest.mark.parametrize(
    ("method", "arguments", "marked"),
    [
        ("has_tool_executed", ("look",), [1, 2]),
        ("has_tool_executed_times", ("look", 2), [1, 2]),
        ("has_tool_executed_times", ("mail", 0), []),
        ("has_tool_executed_times_at_least", ("look", 1), [1, 2]),
        ("has_tool_executed_times_at_most", ("look", 5), [1, 2]),
        ("has_tool_executed_with", ("look", {"id": 2}), [2]),
        ("has_tool_executed_with", ("look", lambda arguments: arguments["id"] == 1), [1]),
        ("has_tool_executed_with_exactly", ("look", {"id": 1}), [1]),
        ("has_tool_execution_failed", ("mail",), [4]),
        ("has_tool_execution_cancelled", ("wait",), [5]),
        ("has_tool_execution_cancelled", ("poll",), [6]),
        ("has_tools_executed_in_order", ("look", "pay"), [1, 3]),
        ("has_tools_executed_in_order", (execution_of("look", {"id": 2}), "pay"), [2, 3]),
        ("has_tool_finished_before", ("look", "pay"), [1, 2, 3]),
        ("has_no_tool_executions", ("ship",), []),
        ("has_no_repeated_tool_executions", (), []),
        ("executed_tool_names", (), []),
        ("tool_executions", (), []),
        ("arguments_of", ("look",), []),
        ("results_of", ("look",), []),
    ],
)
def test_an_assertion_that_passes_marks_what_it_was_about(method, arguments, marked):
    cap = support()
    getattr(assert_that(cap), method)(*arguments)

    assert unchecked(cap) == [number for number in range(1, 7) if number not in marked]


def test_exactly_in_order_marks_all():
    cap = captured(invocation("support", execution("look"), execution("pay")))
    assert_that(cap).has_tools_executed_exactly_in_order("look", "pay").has_no_more_tool_executions()


def test_exactly_in_any_order_marks_the_successful_ones_and_not_ignored_failures():
    cap = captured(invocation("support", execution("pay", error="no"), execution("pay"), execution("look")))
    assert_that(cap).has_tools_executed_exactly_in_any_order("look", "pay")

    assert unchecked(cap) == [1]


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_tool_executed_times", ("look", 3)),
        ("has_tool_executed_with", ("look", {"id": 3})),
        ("has_tools_executed_in_order", ("look", "pay", "look")),
        ("has_tools_executed_exactly_in_any_order", ("look", "pay")),
    ],
)
def test_an_assertion_that_fails_marks_nothing(method, arguments):
    cap = support()
    with pytest.raises(AgentAssertionError):
        getattr(assert_that(cap), method)(*arguments)

    assert unchecked(cap) == [1, 2, 3, 4, 5, 6]


def test_a_tool_that_was_checked_by_name_hides_a_second_execution_and_one_checked_by_arguments_does_not():
    cap = captured(invocation("support", execution("look", {"id": 1}), execution("look", {"id": 2})))

    assert_that(cap).has_tool_executed_with("look", {"id": 1})
    assert message(assert_that(cap).has_no_more_tool_executions) == (
        "Expected invocation 'support' to have no more tool executions than those checked,\n"
        "but 1 execution was not checked before:\n"
        "  [2] look(id=2) -> 'ok'\n"
        "Tool executions:\n"
        "  [1] look(id=1) -> 'ok'\n"
        "  [2] look(id=2) -> 'ok'"
    )
    assert_that(cap).has_tool_executed("look").has_no_more_tool_executions()


def test_a_failed_execution_stays_unchecked_until_its_failure_was_checked():
    cap = captured(invocation("support", execution("mail", error="no"), execution("mail")))
    assert_that(cap).has_tool_executed("mail")

    assert unchecked(cap) == [1]
    assert_that(cap).has_tool_execution_failed("mail").has_no_more_tool_executions()


def test_marks_are_those_of_one_capture():
    one, other = support(), support()
    assert_that(one).has_tool_executed("look")

    assert unchecked(other) == [1, 2, 3, 4, 5, 6]
    one.forget_checks()
    assert unchecked(one) == [1, 2, 3, 4, 5, 6]


def test_captures_that_hold_the_same_execution_keep_books_of_their_own():
    with capture() as outer, capture() as inner, record.invocation("support"):
        record.tool_execution("pay")
    assert_that(inner).has_tool_executed("pay").has_no_more_tool_executions()

    assert unchecked(outer) == [1]


def test_an_execution_of_unknown_outcome_is_checked_for_the_outcome_that_was_asserted():
    cap = captured(invocation("support", execution("pay"), execution("pay", outcome=UNKNOWN)))
    assert_that(cap).has_tool_executed("pay")

    with pytest.raises(NotRecordedError, match="\nbut that depends on 1 execution of 'pay' whose outcome was not reported"):
        assert_that(cap).has_no_more_tool_executions()


def test_checked_for_success_and_for_failure_it_is_checked():
    cap = captured(invocation("support", execution("pay"), execution("pay", error="no"), execution("pay", outcome=UNKNOWN)))

    assert_that(cap).has_tool_executed("pay").has_tool_execution_failed("pay").has_no_more_tool_executions()


def test_the_repr_of_a_chain_says_what_passed_and_what_is_unchecked():
    cap = captured(
        invocation(
            "support",
            execution("look", {"id": 1}),
            execution("pay", error="no"),
            execution("pay", outcome=UNKNOWN),
            calls=[chat(requests=["ship", "ship", "fly"])],
        )
    )
    assert repr(assert_that(cap)) == (
        "<InvocationAssertion on invocation 'support' (completed)\n"
        "  passed: nothing yet\n"
        "  unchecked tool executions:\n"
        "    [1] look(id=1) -> 'ok'\n"
        "    [2] pay() FAILED no\n"
        "    [3] pay() -> 'ok' (outcome not reported)\n"
        "  unchecked requests that never ran: ship, ship, fly>"
    )

    assert_that(cap).has_tool_executed_with("look", {"id": 1}).has_tool_execution_failed("pay").has_tool_requested("ship")
    assert repr(assert_that(cap)) == (
        "<InvocationAssertion on invocation 'support' (completed)\n"
        "  passed: has_tool_executed_with('look', {'id': 1}), has_tool_execution_failed('pay'), has_tool_requested('ship')\n"
        "  unchecked tool executions:\n"
        "    [3] pay() -> 'ok' (outcome not reported)\n"
        "  unchecked requests that never ran: fly>"
    )


def test_the_repr_of_a_chain_on_which_everything_was_checked():
    cap = captured(invocation("support", execution("look"), status=Status.CANCELLED))
    chain = assert_that(cap).was_cancelled().has_tools_executed_exactly_in_order("look")

    assert repr(chain) == (
        "<InvocationAssertion on invocation 'support' (cancelled)\n"
        "  passed: was_cancelled(), has_tools_executed_exactly_in_order('look')\n"
        "  unchecked tool executions: none>"
    )


def test_the_repr_of_a_chain_that_is_about_nothing_in_particular():
    assert repr(assert_that(captured(invocation("one"), invocation("two")))) == (
        "<InvocationAssertion on <Capture: 'one', 'two'>: "
        "Expected one top-level invocation in the capture, but there are 2. Recorded: 'one' (completed), 'two' (completed).>"
    )


def test_a_failed_assertion_does_not_pass():
    cap = support()
    with pytest.raises(AgentAssertionError):
        assert_that(cap).has_tool_executed("ship")

    assert "passed: nothing yet" in repr(assert_that(cap))


def test_what_was_noted_in_a_tentative_block_is_undone_unless_it_is_kept():
    books = Books()
    books.mark({"1": EITHER})
    with Tentative():
        books.mark({"2": EITHER})
        books.unlock("a")
        books.note("x")
        books.mark_requests({"r"})
    assert (books.marks, books.unlocked, books.passed, books.requests) == ({"1": EITHER}, set(), [], set())

    with Tentative() as attempt:
        books.mark({"2": EITHER})
        attempt.keep()
    assert books.marks == {"1": EITHER, "2": EITHER}


def test_a_tentative_block_inside_another_one_is_undone_with_it():
    books = Books()
    with Tentative():
        with Tentative() as kept:
            books.mark({"1": EITHER})
            kept.keep()
        books.mark({"2": EITHER})
        with Tentative():
            books.mark({"3": EITHER})
        assert books.marks == {"1": EITHER, "2": EITHER}
    assert books.marks == {}


def test_forgetting_in_a_tentative_block_is_undone_too():
    books = Books()
    books.note("x")
    with Tentative():
        books.note("y")
        books.clear()
    assert books.passed == ["x"]
