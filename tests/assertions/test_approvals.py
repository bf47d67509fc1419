"""What people decided about the tools that they were asked about."""

from __future__ import annotations

import pytest

from agentassert import AgentAssertionError, NotRecordedError, Status, assert_that
from tests.factories import approval, captured, execution, invocation, message

PAY = {"amount": 5}
NONE = "Tool executions: none"


def approving(*approvals, **fields):
    return captured(invocation("support", approvals=approvals), **fields)


def test_approvals_are_found_by_tool_arguments_and_decision():
    cap = approving(
        approval("pay", PAY, "approve"), approval("ship", {"to": "Ann"}, "edit"), approval("refund", PAY, "reject", "too much")
    )

    assert_that(cap).has_approval_requested("pay").has_approval_requested("pay", PAY).has_tool_approved("pay")
    assert_that(cap).has_approval_requested("ship", lambda arguments: arguments["to"] == "Ann").has_tool_approved("ship")
    assert_that(cap).has_approval_requested("refund").has_tool_rejected("refund").has_no_pending_approvals()


@pytest.mark.parametrize(
    ("method", "arguments", "expected"),
    [
        ("has_approval_requested", ("ship",), "to have asked for approval of 'ship'"),
        ("has_approval_requested", ("pay", {"amount": 6}), "to have asked for approval of 'pay' with {'amount': 6}"),
        ("has_tool_approved", ("refund",), "to have had 'refund' approved"),
        ("has_tool_rejected", ("pay",), "to have had 'pay' rejected"),
    ],
)
def test_the_approvals_that_there_were_are_shown(method, arguments, expected):
    cap = approving(approval("pay", PAY, "approve"), approval("refund", PAY, "reject", "too much"))

    assert message(getattr(assert_that(cap), method), *arguments) == (
        f"Expected invocation 'support' {expected},\n"
        f"but the approvals were:\n  pay(amount=5): approve\n  refund(amount=5): reject ('too much')\n{NONE}"
    )


@pytest.mark.parametrize("method", ["has_tool_approved", "has_tool_rejected"])
@pytest.mark.parametrize("decision", ["pending", "timeout"])
def test_what_nobody_decided_is_neither_approved_nor_rejected(method, decision):
    shown = message(getattr(assert_that(approving(approval("pay", PAY, decision))), method), "pay")

    assert f",\nbut the only approval was:\n  pay(amount=5): {decision}\n" in shown


@pytest.mark.parametrize("method", ["has_approval_requested", "has_tool_approved", "has_tool_rejected"])
def test_without_approvals_none_was_requested(method):
    assert ",\nbut no approval was recorded." in message(getattr(assert_that(approving()), method), "pay")


@pytest.mark.parametrize(
    ("pending", "found"),
    [
        ((approval("pay", PAY),), "but 1 waits:\n  pay(amount=5): pending"),
        ((approval("pay"), approval("ship")), "but 2 wait:\n  pay(...): pending\n  ship(...): pending"),
    ],
)
def test_pending_approvals_are_shown(pending, found):
    assert message(assert_that(approving(*pending)).has_no_pending_approvals) == (
        f"Expected invocation 'support' to have no pending approvals,\n{found}\n{NONE}"
    )


def test_the_error_holds_the_approvals_that_there_were():
    given = approval("pay", PAY, "reject"), approval("ship", {}, "pending")

    with pytest.raises(AgentAssertionError) as other:
        assert_that(approving(*given)).has_tool_approved("pay")
    with pytest.raises(AgentAssertionError) as pending:
        assert_that(approving(*given)).has_no_pending_approvals()

    assert other.value.actual == given
    assert pending.value.actual == given[1:]


def test_what_awaits_an_approval_can_be_asserted_on():
    cap = captured(invocation("support", execution("look"), approvals=(approval("pay"),), status=Status.AWAITING_APPROVAL))

    assert_that(cap).has_approval_requested("pay").has_tool_executed("look").has_no_tool_executions("pay")


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("has_approval_requested", ("pay",)),
        ("has_tool_approved", ("pay",)),
        ("has_tool_rejected", ("pay",)),
        ("has_no_pending_approvals", ()),
    ],
)
def test_an_adapter_that_cannot_see_approvals_does_not_say_that_there_were_none(method, arguments):
    cap = captured(invocation("support", recorded_by=("blind",)), visibility={"blind": frozenset()})

    with pytest.raises(NotRecordedError, match=r"\nbut the 'blind' adapter cannot see approvals.\n.*`record.approval\("):
        getattr(assert_that(cap), method)(*arguments)


@pytest.mark.parametrize("method", ["has_approval_requested", "has_tool_approved", "has_tool_rejected"])
def test_the_name_of_a_tool_that_needs_an_approval_is_not_empty(method):
    with pytest.raises(ValueError, match=f"{method}: tool must not be empty"):
        getattr(assert_that(approving()), method)("")


def test_an_approval_of_no_arguments_in_particular_is_asked_for_without_them():
    with pytest.raises(ValueError, match="leave them out"):
        assert_that(approving()).has_approval_requested("pay", {})
