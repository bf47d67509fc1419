"""What is said of an agent that did not complete."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, Status, assert_that, capture, record
from tests.factories import approval, captured, execution, invocation

HOW_TO_EXPECT_IT = "If that is what the test expects, say so in the expression, by `status` or `error`."


def failure(cap, expression="output == 1"):
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(cap).satisfies(expression)
    return caught.value


def told(cap, **how):
    return str(failure(cap, **how)).splitlines()[:3]


@pytest.mark.parametrize(
    ("error", "ended"), [(TimeoutError("no answer"), "no answer (TimeoutError)"), (TimeoutError(), "TimeoutError")]
)
def test_the_error_that_ended_it_is_told_with_its_type(error, ended):
    with capture(expecting_failure=True) as cap, record.invocation("support"):
        raise error

    assert told(cap) == [
        "Expected invocation 'support' to satisfy output == 1,",
        f"but it ended with an agent error: {ended}.",
        HOW_TO_EXPECT_IT,
    ]


def test_an_error_of_which_the_text_alone_was_recorded_is_told_as_it_is():
    cap = captured(invocation("support", status=Status.FAILED, error="no answer"))

    assert told(cap)[1] == "but it ended with an agent error: no answer."


def test_any_other_status_is_told():
    error = failure(captured(invocation("support", status=Status.BLOCKED)))

    assert f",\nbut its status was 'blocked'.\n{HOW_TO_EXPECT_IT}\n" in str(error)
    assert (error.expected, error.actual) == ("output == 1", Status.BLOCKED)
    assert f",\nbut it failed.\n{HOW_TO_EXPECT_IT}\n" in str(failure(captured(invocation("support", status=Status.FAILED))))


@pytest.mark.parametrize(
    ("approvals", "waited_for"),
    [
        ((approval("pay"),), "'pay'"),
        ((approval("pay"), approval("look", decision="approve"), approval("ship"), approval("pay")), "'pay' and 'ship'"),
        ((), "a tool"),
    ],
)
def test_what_waits_for_an_approval_is_named(approvals, waited_for):
    cap = captured(invocation("support", execution("look"), approvals=approvals, status=Status.AWAITING_APPROVAL))

    assert told(cap)[1:] == [
        "but its status was 'awaiting_approval'.",
        f"Approval of {waited_for} is waited for: decide by `approval_decisions` (in Python `approvals=`). {HOW_TO_EXPECT_IT}",
    ]


def test_what_it_was_compared_with_is_in_the_error():
    error = failure(captured(invocation("support", output={"id": 2})), "output.id == 1")

    assert error.expected == "output.id == 1"
    assert error.differences == ("output.id was 2",)
