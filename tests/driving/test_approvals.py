"""Approvals, answered for real in every form of agent."""

from __future__ import annotations

import asyncio
import contextvars
import threading

import pytest

from agentassert import (
    AgentAssertionError,
    ApprovalAnswer,
    Decision,
    Status,
    UnknownToolWarning,
    assert_that,
    capture,
    record,
    run,
    run_async,
)
from agentassert.conversations import conversation
from agentassert.doubles import active
from agentassert.driving import drive
from tests.driving.cashiers import DONE, KINDS, ask
from tests.driving.cashiers import refund as real_refund

KIND = pytest.mark.parametrize("cashier", KINDS.values(), ids=KINDS)
PAYLOAD = "Refund the lamp"


def decide(decision, **fields):
    return {"tool": "refund", "decision": decision, **fields}


def decisions_in(cap):
    return [approval.decision for approval in cap.invocation.approvals]


def amounts_paid(cap):
    return [one.arguments["amount"] for one in cap.invocation.tool_executions]


@KIND
def test_an_approval_lets_the_tool_run_in_the_same_invocation(cashier):
    cap = run(cashier([50], True), PAYLOAD, approvals=[decide("approve")])

    assert [one.name for one in cap.invocations] == ["cashier"]
    assert_that(cap).has_succeeded().has_tool_approved("refund").has_tool_executed_with("refund", {"amount": 50})
    assert cap.output_text == DONE


@KIND
def test_a_rejection_keeps_the_tool_from_running(cashier):
    cap = run(cashier([50], True), PAYLOAD, approvals=[decide("reject", reason="too much")])

    assert len(cap.invocations) == 1
    assert_that(cap).has_succeeded().has_tool_rejected("refund").has_no_tool_executions("refund")


@KIND
def test_a_timeout_is_a_rejection_that_is_recorded_as_a_timeout(cashier):
    cap = run(cashier([50], True), PAYLOAD, approvals=[decide("timeout")])

    assert cap.invocation.status == Status.COMPLETED
    assert decisions_in(cap) == [Decision.TIMEOUT]
    assert amounts_paid(cap) == []


@KIND
def test_without_a_decision_the_run_stops_where_it_waits(cashier):
    driven = drive(cashier([50], True), PAYLOAD)

    assert driven.capture.invocation.status == Status.AWAITING_APPROVAL
    assert decisions_in(driven.capture) == [Decision.PENDING]
    assert amounts_paid(driven.capture) == []
    assert [(one.tool, one.arguments) for one in driven.unmatched] == [("refund", {"amount": 50})]
    assert driven.problems() == ()


@KIND
def test_each_decision_is_used_once_and_the_first_that_fits_comes_first(cashier):
    decisions = [decide("reject", params="params.amount > 100"), decide("approve"), decide("timeout")]

    cap = run(cashier([1, 200, 2], True), PAYLOAD, approvals=decisions, strict_approvals=True)

    assert decisions_in(cap) == [Decision.APPROVE, Decision.REJECT, Decision.TIMEOUT]
    assert amounts_paid(cap) == [1]


@KIND
def test_a_second_request_needs_a_second_decision(cashier):
    cap = run(cashier([1, 2], True), PAYLOAD, approvals=[decide("approve")])

    assert cap.invocation.status == Status.AWAITING_APPROVAL
    assert decisions_in(cap) == [Decision.APPROVE, Decision.PENDING]
    assert amounts_paid(cap) == [1]


@KIND
def test_strict_approvals_fail_a_request_that_no_decision_fits(cashier):
    with pytest.raises(AgentAssertionError, match=r"approval of 'refund' with .*50.* was asked for, and no decision fits"):
        run(cashier([50], True), PAYLOAD, strict_approvals=True)


@KIND
def test_strict_approvals_fail_a_decision_that_nothing_asks_for(cashier):
    with pytest.raises(AgentAssertionError, match="nothing asked for the decision to approve 'refund'"):
        run(cashier([50], False), PAYLOAD, approvals=[decide("approve")], strict_approvals=True)


MISSPELT = [{"tool": "refnd", "decision": "reject"}]
HINT = "nothing asked for the decision to reject 'refnd'; did you mean 'refund', which waits for one?"


@KIND
def test_a_decision_by_almost_the_name_of_a_tool_that_waits_for_one_is_called_out(cashier):
    with pytest.warns(UnknownToolWarning) as warned:
        cap = run(cashier([50], True), PAYLOAD, approvals=MISSPELT)

    assert [(str(one.message), one.filename) for one in warned] == [(HINT, __file__)]
    with pytest.raises(AgentAssertionError, match="In doubt") as caught:
        assert_that(cap).has_tool_rejected("refund")
    assert str(caught.value).endswith(f"In doubt:\n  {HINT}")


def test_so_it_is_in_asynchronous_code_and_in_a_conversation():
    cashier = KINDS["function"]([50], True)

    with pytest.warns(UnknownToolWarning, match="'refnd'") as warned:
        asyncio.run(run_async(cashier, PAYLOAD, approvals=MISSPELT))
    assert len(warned) == 1
    with pytest.warns(UnknownToolWarning, match="'refnd'") as warned, conversation(cashier) as talk:
        talk.say(PAYLOAD, approvals=MISSPELT)
    assert [one.filename for one in warned] == [__file__]


@pytest.mark.parametrize(
    "decision",
    [
        {"tool": "refund", "decision": "reject", "params": "params.amount > 100"},
        {"tool": "billing.refund", "decision": "reject", "params": "params.amount > 100"},
        {"tool": "ship", "decision": "reject"},
    ],
)
def test_a_decision_that_does_not_fit_for_another_reason_is_not(decision):
    cap = run(KINDS["function"]([50], True), PAYLOAD, approvals=[decision])

    assert decisions_in(cap) == [Decision.PENDING]
    assert cap.health.doubts == ()


@KIND
def test_strict_approvals_pass_when_they_come_out_even(cashier):
    cap = run(cashier([50], True), PAYLOAD, approvals=[decide("approve")], strict_approvals=True)

    assert amounts_paid(cap) == [50]


@KIND
def test_a_decision_may_look_at_the_arguments_and_the_context(cashier):
    decision = decide("approve", params="params.amount == context.amount")

    assert amounts_paid(run(cashier([50], True), PAYLOAD, approvals=[decision], context={"amount": 50})) == [50]
    assert amounts_paid(run(cashier([50], True), PAYLOAD, approvals=[decision], context={"amount": 51})) == []


@KIND
def test_approvals_are_answered_in_async_code_too(cashier):
    cap = asyncio.run(run_async(cashier([50], True), PAYLOAD, approvals=[decide("approve")]))

    assert len(cap.invocations) == 1
    assert amounts_paid(cap) == [50]


def test_the_last_part_of_a_dotted_name_is_enough():
    @record.agent
    def cashier(payload):
        return bool(ask("billing.refund", {}))

    assert run(cashier, PAYLOAD, approvals=[decide("approve")]).output is True
    assert run(cashier, PAYLOAD, approvals=[{"tool": "billing.refund", "decision": "approve"}]).output is True
    with pytest.warns(UnknownToolWarning, match="did you mean 'billing.refund'"):
        assert run(cashier, PAYLOAD, approvals=[{"tool": "bank.refund", "decision": "approve"}]).output is None


def test_an_approver_asks_the_person_where_nobody_drives_the_agent():
    asked = []

    @record.approver
    def person(tool, arguments):
        asked.append((tool, arguments))
        return "reject"

    assert not person("refund", {"amount": 5})
    assert asked == [("refund", {"amount": 5})]


def test_an_approver_gives_the_reason_and_the_response():
    @record.agent
    def cashier(payload):
        answers = [ask("refund", {}), ask("name", {})]
        return [(one.decision, one.reason, one.response) for one in answers]

    decisions = [decide("reject", reason="too much"), {"tool": "name", "decision": "approve", "response": "Ann"}]
    cap = run(cashier, PAYLOAD, approvals=decisions)

    assert cap.output == [["reject", "too much", None], ["approve", None, "Ann"]]


def test_an_approver_that_gives_anything_else_is_refused():
    @record.approver
    def person(tool, arguments):
        return "sure"

    with pytest.raises(TypeError, match="'sure'"):
        person("refund", {})


def test_an_approver_is_answered_in_a_thread_that_the_agent_starts():
    @record.agent
    def cashier(payload):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(bool(ask("refund", {}))))
        thread.start()
        thread.join()
        return answers

    assert run(cashier, PAYLOAD, approvals=[decide("approve")]).output == [True]


def test_an_approver_is_asked_the_right_way():
    with pytest.raises(TypeError, match="an approver is asked with a tool's name and a mapping of its arguments"):
        ask("refund", 50)
    with pytest.raises(TypeError, match="only a function can ask for approval"):
        record.approver("refund")


def test_an_approver_may_be_a_coroutine_function_or_give_an_answer():
    answer = ApprovalAnswer("edit", "less", "40")

    @record.approver
    async def person(tool, arguments):
        return answer

    assert asyncio.run(person("refund", {})) is answer


def test_a_coroutine_behind_a_plain_function_is_no_answer():
    async def person(tool, arguments):
        return True

    @record.approver
    def hidden(tool, arguments):
        return person(tool, arguments)

    with pytest.raises(TypeError, match=r"decorate the coroutine function itself with record\.approver"):
        hidden("refund", {})


def test_a_person_who_is_asked_in_a_capture_is_recorded():
    @record.approver
    def person(tool, arguments):
        return False

    with capture() as cap, record.invocation("desk"):
        person("refund", {"amount": 50})

    assert_that(cap).has_tool_rejected("refund").has_no_pending_approvals()


def test_a_task_group_does_not_hide_that_an_agent_waits():
    @record.agent
    async def cashier(payload):
        async def refund():
            return bool(ask("refund", {}))

        async with asyncio.TaskGroup() as group:
            group.create_task(refund())

    assert run(cashier, PAYLOAD).invocation.status == Status.AWAITING_APPROVAL


def test_an_invocation_around_one_that_waits_waits_too():
    @record.agent
    def clerk(payload):
        return ask("refund", {})

    @record.agent
    def desk(payload):
        return clerk(payload)

    outer = run(desk, PAYLOAD).invocation

    assert (outer.status, outer.nested_invocations[0].status) == (Status.AWAITING_APPROVAL, Status.AWAITING_APPROVAL)


def test_the_tool_of_these_tests_pays():
    assert real_refund(50) == "paid 50"


def test_what_answers_may_be_left_in_another_context_than_entered():
    human = active.answering(lambda tool, arguments: ApprovalAnswer("approve"))
    contextvars.copy_context().run(human.__enter__)

    human.__exit__(None, None, None)

    assert active.current().human is None
