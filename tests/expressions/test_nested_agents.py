"""A tool that an agent must not execute, and that an agent below it executed."""

from __future__ import annotations

import pytest

from agentassert import AmbiguousError, assert_that
from tests.factories import captured, execution, invocation


def desk(*nested):
    return captured(invocation("desk", nested=nested))


def ambiguity(cap, **expected):
    with pytest.raises(AmbiguousError) as caught:
        assert_that(cap).meets(**expected)
    return caught.value


def test_it_is_asked_whom_the_test_means():
    error = ambiguity(desk(invocation("reader", execution("pay", {"n": 1}))), expected_no_tool_calls=["pay"])

    assert str(error).splitlines()[:5] == [
        "Expected invocation 'desk' to have executed no 'pay',",
        "but nested invocation 'reader' executed it, and 'desk' may mean itself alone or all that it runs:",
        "  pay(n=1)",
        "Either have 'reader' itself tested, by naming that agent in the settings or asserting on its invocation; "
        "or expect it of 'reader' under `expected_child_agents`.",
        "Tool executions: none",
    ]
    assert (error.expected, error.actual) == ("pay", ("pay",))


def test_of_several_agents_all_are_named_in_alphabetical_order_and_of_many_executions_the_first():
    error = ambiguity(
        desk(
            invocation("writer", *[execution("pay", {"n": number}) for number in range(6)]),
            invocation("reader", execution("pay")),
        ),
        expected_no_tool_calls=["pay"],
    )

    assert "\nbut nested invocations 'reader' and 'writer' executed it, and 'desk' may" in str(error)
    assert "  pay(n=4)\nEither have 'reader' itself" in str(error)
    assert error.actual == ("pay",) * 7


def test_what_another_tool_did_below_contradicts_nothing():
    cap = desk(invocation("reader", execution("look")))

    assert_that(cap).meets(expected_no_tool_calls=["pay"], expected_tool_calls=[{"pay": "invocations == 0"}])
    assert "\nbut it was never executed.\nTool executions: none" in str(not_met(cap, expected_tool_calls=["pay"]))


def not_met(cap, **expected):
    with pytest.raises(AssertionError) as caught:
        assert_that(cap).meets(**expected)
    return caught.value


def test_a_highest_number_is_one_of_all_that_may_be_meant():
    cap = captured(invocation("desk", execution("pay"), nested=[invocation("reader", execution("pay"))]))

    assert_that(cap).meets(expected_tool_calls=[{"pay": "invocations <= 2"}, {"pay": "invocations >= 1"}])
    assert "nested invocation 'reader' executed it" in str(ambiguity(cap, expected_tool_calls=[{"pay": "invocations <= 1"}]))
