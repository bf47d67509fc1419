"""Approvals: what waits for a human, and what the human decided."""

from __future__ import annotations

from typing import Any

from agentassert import Capture, Decision, Status, assert_that
from tests.adapters.kits import Answer, Approve, Ask, Edit, Kit, Reject, Request, Say, Tool
from tests.adapters.scenarios.parts import cancel_booking, get_booking, recording

ASKED = {"number": "MS-777"}


def gated(kit: Kit) -> Any:
    """An agent that asks before it cancels."""
    return kit.agent(Ask(Request("cancel_booking", ASKED)), Say("done"), tools=[Tool(cancel_booking, needs_approval=True)])


def decided(cap: Capture) -> list[tuple[Any, ...]]:
    """The approvals."""
    return [(one.tool, one.arguments, one.decision) for one in cap.invocation.approvals]


def ran_with(cap: Capture) -> list[Any]:
    """The arguments of the executions."""
    return [one.arguments for one in cap.invocation.tool_executions]


def _answered(kit: Kit, answer: Answer) -> Capture:
    agent = gated(kit)
    with recording() as cap:
        kit.resume(agent, kit.run(agent), answer)
    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert len(cap.invocation.own_chat_model_calls) == 2
    return cap


def _answered_elsewhere(kit: Kit, answer: Answer) -> Capture:
    agent = gated(kit)
    with recording() as before:
        result = kit.run(agent)
    with recording() as after:
        kit.resume(agent, result, answer)
    assert (before.invocation.status, decided(before)) == (
        Status.AWAITING_APPROVAL,
        [("cancel_booking", ASKED, Decision.PENDING)],
    )
    assert (after.invocation.name, after.invocation.status, after.output_text) == ("support", Status.COMPLETED, "done")
    assert len(after.invocation.own_chat_model_calls) == 1
    return after


def approval_pending(kit: Kit) -> None:
    """An approval that is waited for: requested, not executed"""
    with recording() as cap:
        kit.run(gated(kit))

    assert cap.invocation.status is Status.AWAITING_APPROVAL
    assert decided(cap) == [("cancel_booking", ASKED, Decision.PENDING)]
    assert ran_with(cap) == []
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [False]
    assert_that(cap).has_approval_requested("cancel_booking", ASKED).has_no_tool_executions("cancel_booking")


def approval_given(kit: Kit) -> None:
    """An approval that is given: the run goes on, in one invocation"""
    cap = _answered(kit, Approve())

    assert (decided(cap), ran_with(cap)) == ([("cancel_booking", ASKED, Decision.APPROVE)], [ASKED])
    assert_that(cap).has_tool_approved("cancel_booking").has_tool_executed("cancel_booking").has_no_pending_approvals()


def approval_with_other_arguments(kit: Kit) -> None:
    """An approval with other arguments: what was asked and what ran"""
    cap = _answered(kit, Edit({"number": "MS-778"}))

    assert (decided(cap), ran_with(cap)) == ([("cancel_booking", ASKED, Decision.EDIT)], [{"number": "MS-778"}])
    assert_that(cap).has_tool_approved("cancel_booking").has_tool_executed_with("cancel_booking", {"number": "MS-778"})


def approval_refused(kit: Kit) -> None:
    """An approval that is refused: never executed"""
    cap = _answered(kit, Reject())

    assert (decided(cap), ran_with(cap)) == ([("cancel_booking", ASKED, Decision.REJECT)], [])
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [False]
    assert_that(cap).has_tool_rejected("cancel_booking").has_no_tool_executions("cancel_booking")


def approval_refused_with_a_reason(kit: Kit) -> None:
    """The reason of a refusal"""
    cap = _answered(kit, Reject("not that one"))

    assert [one.reason for one in cap.invocation.approvals] == ["not that one"]


def approval_of_one_among_others(kit: Kit) -> None:
    """A gated tool beside one that is not: both are recorded"""
    asked = Ask(Request("cancel_booking", ASKED, "c1"), Request("get_booking", ASKED, "c2"))
    agent = kit.agent(asked, Say("done"), tools=[Tool(cancel_booking, needs_approval=True), Tool(get_booking)])

    with recording() as cap:
        kit.resume(agent, kit.run(agent), Approve())

    assert decided(cap) == [("cancel_booking", ASKED, Decision.APPROVE)]
    assert [(one.name, one.call_id) for one in cap.invocation.tool_executions] == [
        ("cancel_booking", "c1"),
        ("get_booking", "c2"),
    ]


def several_approvals(kit: Kit) -> None:
    """Several approvals of one response"""
    asked = Ask(*(Request("cancel_booking", {"number": number}, f"c{number}") for number in "12"))
    agent = kit.agent(asked, Say("done"), tools=[Tool(cancel_booking, needs_approval=True)])

    with recording() as cap:
        kit.resume(agent, kit.run(agent), Approve())

    assert decided(cap) == [("cancel_booking", {"number": number}, Decision.APPROVE) for number in "12"]
    assert ran_with(cap) == [{"number": "1"}, {"number": "2"}]


def approval_given_in_another_capture(kit: Kit) -> None:
    """An approval given in another capture: an invocation of its own"""
    cap = _answered_elsewhere(kit, Approve())

    assert (decided(cap), ran_with(cap)) == ([("cancel_booking", ASKED, Decision.APPROVE)], [ASKED])
    assert_that(cap).has_tool_approved("cancel_booking").has_tool_executed("cancel_booking")


def approval_refused_in_another_capture(kit: Kit) -> None:
    """An approval refused in another capture"""
    cap = _answered_elsewhere(kit, Reject())

    assert (decided(cap), ran_with(cap)) == ([("cancel_booking", ASKED, Decision.REJECT)], [])
    assert_that(cap).has_tool_rejected("cancel_booking").has_no_tool_executions("cancel_booking")


def approval_whose_request_nobody_recorded(kit: Kit) -> None:
    """An approval that was asked for before any capture"""
    agent = gated(kit)
    result = kit.run(agent)

    with recording() as cap:
        kit.resume(agent, result, Approve())

    assert (decided(cap), ran_with(cap)) == ([("cancel_booking", ASKED, Decision.APPROVE)], [ASKED])
