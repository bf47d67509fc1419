"""What is said of the agents that were to be triggered."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, assert_that
from tests.factories import captured, execution, invocation

TOOLS = "Tool executions: none"


def reader(**fields):
    return invocation("reader", awaited=True, **fields)


def failure(cap, **child):
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(cap).meets(expected_child_agents={"reader": child})
    return caught.value


def desk(*nested):
    return captured(invocation("desk", nested=nested))


def test_with_no_agent_below_it_is_said_what_counts_as_triggered():
    error = failure(desk())

    assert str(error).splitlines()[:4] == [
        "Expected invocation 'desk' to have triggered 'reader',",
        "but it triggered no agent.",
        "An agent counts as triggered when a framework with an adapter runs it, or record.agent or record.trigger tells of it.",
        TOOLS,
    ]
    assert (error.expected, error.actual) == (1, 0)


def test_the_other_agents_are_named_in_alphabetical_order():
    assert "\nbut it triggered 'alpha', 'writer'.\n" in str(
        failure(desk(invocation("writer"), invocation("alpha"), invocation("writer")))
    )


@pytest.mark.parametrize(
    ("wanted", "found"), [(2, "2 times at least,\nbut it did so 1 time"), (3, "3 times at least,\nbut it did so 2 times")]
)
def test_how_often_it_was_triggered_is_said_with_no_advice_to_look_where_we_looked(wanted, found):
    error = failure(desk(*[reader()] * (wanted - 1)), expected_triggered=wanted)

    assert str(error).startswith(f"Expected invocation 'desk' to have triggered 'reader' {found}.\n{TOOLS}")
    assert (error.expected, error.actual) == (wanted, wanted - 1)


@pytest.mark.parametrize(("number", "found"), [(1, "it was not waited for"), (2, "none of 2 was waited for")])
def test_what_was_not_waited_for_has_no_result_to_look_at(number, found):
    error = failure(desk(*[invocation("reader", awaited=False)] * number), expected_result="output == 1")

    assert str(error).startswith(
        f"Expected invocation 'desk' to have triggered 'reader' and to have waited for the response,\nbut {found}.\n"
        "Let the agent wait for the response; of an agent that is not waited for, only that it was triggered and its payload"
    )


def test_a_payload_is_compared_with_the_context():
    cap, child = desk(reader(input={"id": 7})), {"expected_payload": "payload.id == context.id"}

    assert_that(cap).meets(expected_child_agents={"reader": child}, context={"id": 7})
    with pytest.raises(AgentAssertionError, match=r"payload\.id was 7\n      context\.id was 8\n"):
        assert_that(cap).meets(expected_child_agents={"reader": child}, context={"id": 8})


def test_every_invocation_has_a_number_before_the_first_line_about_it_alone():
    error = failure(
        desk(reader(input={"id": 1}, output="a"), reader(input={"id": 2}, output="b")),
        expected_payload="payload.id == 3",
        expected_result="output == 'c'",
    )

    assert str(error).splitlines()[1:6] == [
        "but none of 2 invocations of it meets what is expected:",
        "  1. to have had a payload with payload.id == 3, but payload.id was 1",
        "     to satisfy output == 'c', but output was 'a'",
        "  2. to have had a payload with payload.id == 3, but payload.id was 2",
        "     to satisfy output == 'c', but output was 'b'",
    ]
    assert error.expected == "reader"


def test_one_invocation_is_to_meet_everything_alone():
    cap = desk(reader(input={"id": 1}), invocation("reader", execution("look"), awaited=True))

    assert "none of 2 invocations of it" in str(failure(cap, expected_payload="payload.id == 1", expected_tool_calls=["look"]))
