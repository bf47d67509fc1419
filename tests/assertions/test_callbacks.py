"""A user's own functions in assertions: how often they run, what they may answer, and what stays of a candidate that fails."""

from __future__ import annotations

import re

import pytest

from agentassert import AgentAssertionError, NotRecordedError, assert_that, execution_of, soft_assertions
from tests.factories import UNKNOWN, captured, execution, invocation, message, strays


def support(*executions):
    return captured(invocation("support", *(executions or [execution("pay", {"n": number}) for number in (1, 2, 3)])))


def recording(answer):
    """A predicate, and the list of what it was asked about."""
    asked = []

    def predicate(arguments):
        asked.append(arguments["n"])
        return answer(arguments["n"])

    return predicate, asked


@pytest.mark.parametrize("wanted", [1, 3, 4])
def test_a_predicate_is_asked_once_about_each_candidate_whether_it_passes_or_fails(wanted):
    predicate, asked = recording(lambda n: n == wanted)
    try:
        assert_that(support()).has_tool_executed_with("pay", predicate)
    except AgentAssertionError:
        assert wanted == 4

    assert asked == [1, 2, 3]


def test_a_predicate_is_asked_about_unknown_outcomes_too_and_not_about_failures():
    predicate, asked = recording(lambda n: True)
    runs = execution("pay", {"n": 1}), execution("pay", {"n": 2}, error="no"), execution("pay", {"n": 3}, outcome=UNKNOWN)

    assert_that(support(*runs)).has_tool_executed_with("pay", predicate)
    assert asked == [1, 3]


@pytest.mark.parametrize(
    "method", ["has_tools_executed_in_order", "has_tools_executed_exactly_in_order", "has_tools_executed_exactly_in_any_order"]
)
def test_a_predicate_in_a_pattern_is_asked_once_about_each_candidate_by_each_assertion(method):
    predicate, asked = recording(lambda n: True)
    pattern = execution_of("pay", predicate)

    getattr(assert_that(support()), method)(pattern, pattern, pattern)
    assert sorted(asked) == [1, 2, 3]
    getattr(assert_that(support()), method)(pattern, "pay", "pay")
    assert len(asked) > 3


@pytest.mark.parametrize(
    "method", ["has_tools_executed_in_order", "has_tools_executed_exactly_in_order", "has_tools_executed_exactly_in_any_order"]
)
def test_a_predicate_is_asked_anew_by_the_next_assertion(method):
    limit = [0]
    pattern = execution_of("pay", {"n": lambda n: n > limit[0]})
    chain = assert_that(support(execution("pay", {"n": 1})))

    getattr(chain, method)(pattern)
    limit[0] = 5
    with pytest.raises(AgentAssertionError):
        getattr(chain, method)(pattern)


def test_a_def_that_asserts_matches_where_it_does_not_fail():
    def is_two(arguments):
        assert arguments["n"] == 2, f"{arguments['n']} is not 2"

    cap = support()
    assert_that(cap).has_tool_executed_with("pay", is_two)
    assert "\nbut 2 executions were not checked" in message(assert_that(cap).has_no_more_tool_executions)
    assert "not accepted by is_two: 1 is not 2" in message(
        assert_that(support(execution("pay", {"n": 1}))).has_tool_executed_with, "pay", is_two
    )


def test_a_chain_is_a_match():
    assert_that(support()).has_tool_executed_with("pay", lambda arguments: assert_that(arguments["n"]).is_equal_to(2))


@pytest.mark.parametrize("answer", [None, 1, "yes", re.match("a", "a")])
def test_a_lambda_that_checks_nothing_is_a_mistake(answer):
    with pytest.raises(TypeError, match="must answer True or False"):
        assert_that(support()).has_tool_executed_with("pay", lambda arguments: answer)
    with pytest.raises(TypeError, match="must answer True or False"):
        assert_that(captured(invocation(nested=[invocation("reader")]))).has_nested_invocation_satisfying(
            "reader", lambda nested: answer
        )


@pytest.mark.parametrize("error", [KeyError("n"), NotRecordedError("nobody knows"), ValueError("x")])
def test_an_error_that_is_no_failed_assertion_goes_its_way(error):
    def predicate(arguments):
        raise error

    with pytest.raises(type(error)) as caught:
        assert_that(support()).has_tool_executed_with("pay", predicate)
    assert caught.value is error


@pytest.mark.parametrize("error", [AssertionError("no"), AgentAssertionError("no")])
def test_a_failed_assertion_is_no_match(error):
    def predicate(arguments):
        raise error

    assert "not accepted by predicate: no" in message(assert_that(support()).has_tool_executed_with, "pay", predicate)


def team():
    return captured(
        invocation(
            "writer", nested=[invocation("reader", execution("skim"), execution("x")), invocation("reader", execution("skim"))]
        )
    )


def test_marks_made_for_a_candidate_that_fails_are_undone():
    cap = team()
    assert_that(cap).has_nested_invocation_satisfying(
        "reader", lambda nested: nested.has_tool_executed("skim").has_no_more_tool_executions()
    )

    assert "\nbut 2 executions were not checked before:\n  [1] skim() -> 'ok'\n  [2] x() -> 'ok'" in (
        message(assert_that(cap).including_nested().has_no_more_tool_executions)
    )


def test_what_a_rejected_candidate_noted_is_undone():
    cap = team()

    def requirement(nested):
        nested.has_tool_executed("skim")
        return False

    with pytest.raises(AgentAssertionError):
        assert_that(cap).has_nested_invocation_satisfying("reader", requirement)
    assert cap.books.marks == {}
    assert cap.books.passed == []


def test_marks_of_an_earlier_candidate_are_undone_when_a_later_one_breaks_the_assertion():
    cap = team()

    def requirement(nested):
        nested.has_tool_executed("skim")
        return True if "x" in nested.executed_tool_names().val else "not that one"

    with pytest.raises(TypeError):
        assert_that(cap).has_nested_invocation_satisfying("reader", requirement)
    assert cap.books.marks == {}


def test_marks_of_all_candidates_that_match_stand():
    cap = team()
    assert_that(cap).has_nested_invocation_satisfying("reader", lambda nested: nested.has_tool_executed("skim"))

    assert "\nbut 1 execution was not checked before:\n  [2] x() -> 'ok'" in (
        message(assert_that(cap).including_nested().has_no_more_tool_executions)
    )


def test_a_failing_assertion_keeps_no_mark_that_its_callback_made_elsewhere():
    other = support(execution("look"))

    def predicate(arguments):
        assert_that(other).has_tool_executed("look")
        return arguments["n"] < 3

    with pytest.raises(AgentAssertionError):
        assert_that(support()).has_tools_executed_exactly_in_order(*[execution_of("pay", predicate)] * 3)
    assert other.books.marks == {}


def test_callbacks_are_in_hard_mode_in_a_soft_block_too():
    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        assert_that(support()).has_tool_executed_with("pay", lambda arguments: assert_that(arguments["n"]).is_equal_to(9))
        assert_that(support()).has_tool_executed_with("pay", lambda arguments: assert_that(arguments["n"]).is_equal_to(3))
    assert len(caught.value.failures) == 1


def test_a_callback_gets_a_copy():
    def spoiling(arguments):
        arguments["n"] = 0
        return True

    cap = support()
    assert_that(cap).has_tool_executed_with("pay", spoiling)
    assert_that(cap).arguments_of("pay").is_equal_to([{"n": 1}, {"n": 2}, {"n": 3}])


def test_a_predicate_about_an_approval_is_asked_about_strays_too():
    from tests.factories import approval

    cap = captured(
        invocation("support", approvals=(approval("pay", {"n": 1}),)), strays=strays(approvals=(approval("pay", {"n": 2}),))
    )
    predicate, asked = recording(lambda n: n == 1)

    assert_that(cap).has_approval_requested("pay", predicate)
    assert asked == [1, 2]
