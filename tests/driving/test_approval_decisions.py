"""What a decision may say."""

from __future__ import annotations

import pytest

from agentassert import ApprovalAnswer, ApprovalDecision, Decision, run
from agentassert.adapters.driver import PendingApproval


def test_a_mapping_stands_for_a_decision():
    entry = {"tool": "refund", "decision": "approve", "params": "params.amount == 1", "reason": "ok", "response": "yes"}

    decision = ApprovalDecision("refund", "approve", params="params.amount == 1", reason="ok", response="yes")

    assert ApprovalDecision.of(entry) == decision
    assert ApprovalDecision.of(decision) is decision


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"tool": "pay", "decison": "approve"}, r"approvals\[0\] has the unknown key 'decison'; did you mean 'decision'\?"),
        ({"tool": "pay"}, r"approvals\[0\] needs the key 'decision'"),
        (
            {"tool": "pay", "decision": "edit"},
            r"approvals\[0\]: decision must be 'approve', 'reject' or 'timeout', but was 'edit'",
        ),
        ({"tool": "pay", "decision": "maybe"}, "but was 'maybe'"),
        ({"tool": " ", "decision": "approve"}, "tool of an approval decision must not be empty"),
        ({"tool": "pay", "decision": "approve", "params": ""}, "params of an approval decision must not be empty"),
        ({"tool": "pay", "decision": "approve", "params": "output == 1"}, "'output' is unknown here"),
        ({"tool": "pay", "decision": "reject", "response": "x"}, "response of an approval decision goes with 'approve' alone"),
        ({"tool": "pay", "decision": "approve", "response": " "}, "response of an approval decision must not be empty"),
        ({"tool": "pay", "decision": "approve", "response": "x" * 16_385}, "at most 16384 characters"),
    ],
)
def test_a_wrong_decision_is_refused_before_anything_runs(entry, message):
    with pytest.raises(ValueError, match=message):
        run(_never, "Hi", approvals=[entry])


@pytest.mark.parametrize("approvals", ["approve", {"tool": "pay", "decision": "approve"}, 3, ["approve"]])
def test_what_is_no_list_of_decisions_is_refused(approvals):
    with pytest.raises(TypeError, match="approvals"):
        run(_never, "Hi", approvals=approvals)


def test_a_name_must_be_text():
    with pytest.raises(TypeError, match="tool of an approval decision must be text, but was None"):
        ApprovalDecision(None, "approve")


def test_arguments_that_arrive_as_text_are_parsed_where_they_can_be():
    decision = ApprovalDecision("pay", "approve", params="params.amount == 5")

    assert decision.fits(PendingApproval("pay", '{"amount": 5}'), {})
    assert not decision.fits(PendingApproval("pay", "{amount"), {})
    assert ApprovalDecision("pay", "approve", params='"amount" in params').fits(PendingApproval("pay", "{amount"), {})


def test_an_answer_is_true_when_the_tool_may_run():
    assert {one: bool(ApprovalAnswer(one)) for one in ("approve", "edit", "reject", "timeout")} == {
        Decision.APPROVE: True,
        Decision.EDIT: True,
        Decision.REJECT: False,
        Decision.TIMEOUT: False,
    }


def _never(payload):
    raise AssertionError("the agent ran")
