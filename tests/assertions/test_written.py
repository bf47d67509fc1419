"""What a chain says of the assertions that passed is written when somebody looks, as it was then."""

from __future__ import annotations

from agentassert import assert_that, capture, execution_of, record


class Sensitive:
    """Equal to everything, and counts how often it was shown."""

    shown = 0

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0

    def __repr__(self):
        self.shown += 1
        return "whatever"


def captured():
    with capture() as cap, record.invocation("clerk"):
        record.tool_execution("pay", {"amount": 5}, result="ok")
    return cap


def test_an_expectation_that_changes_afterwards_is_shown_as_it_was():
    cap, expected = captured(), {"amount": 5}
    assert_that(cap).has_tool_executed_with("pay", expected)

    expected["amount"] = 7

    assert "has_tool_executed_with('pay', {'amount': 5})" in repr(assert_that(cap))


def test_an_assertion_that_passes_shows_no_pattern_unless_somebody_looks():
    cap, sensitive = captured(), Sensitive()
    patterns = [execution_of("pay", {"amount": sensitive})]
    for method in (
        "has_tools_executed_in_order",
        "has_tools_executed_exactly_in_order",
        "has_tools_executed_exactly_in_any_order",
    ):
        getattr(assert_that(cap), method)(*patterns)

    assert sensitive.shown == 0
    assert repr(assert_that(cap)).count("execution_of('pay', {'amount': whatever})") == 3


def test_a_long_list_is_shown_by_its_beginning():
    cap = captured()
    assert_that(cap).has_no_tool_executions(*[f"other_{number}" for number in range(11)])

    assert "'other_9', …)" in repr(assert_that(cap))
