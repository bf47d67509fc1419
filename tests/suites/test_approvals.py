"""Approvals that tests decide on, driven for real: agents of each framework, and functions."""

from __future__ import annotations

import pytest

pytest.importorskip("langchain", reason="the cashier is built with every framework that can wait for approval")

from tests.driving.cashiers import KINDS

AGENTS = """
    from tests.driving.cashiers import KINDS

    make = KINDS[{kind!r}]
    approve, reject, timeout, waiting, uneven, undecided = (make([50], True) for _ in range(6))
    unused = make([50], False)
"""
REFUNDED = "\n    expected_tool_calls: [{refund: params.amount == 50 and invocations == 1}]"
NOT_REFUNDED = "\n    expected_no_tool_calls: [refund]"
STRICT = "strict_approval_decisions: true\n    "
TESTS = {
    "approve": STRICT + "approval_decisions: [{tool: refund, params: params.amount == 50, decision: approve}]" + REFUNDED,
    "reject": STRICT + "approval_decisions: [{tool: refund, decision: reject, reason: too much}]" + NOT_REFUNDED,
    "timeout": STRICT + "approval_decisions: [{tool: refund, decision: timeout}]" + NOT_REFUNDED,
    "waiting": 'expected_result: status == "awaiting_approval"' + NOT_REFUNDED,
    "uneven": "approval_decisions: [{tool: refund, params: params.amount > 50, decision: approve}]" + REFUNDED,
    "undecided": STRICT + 'expected_result: status == "awaiting_approval"',
    "unused": STRICT + "approval_decisions: [{tool: refund, decision: approve}]" + REFUNDED,
}
TOLD = {
    "uneven": "its status was 'awaiting_approval'",
    "undecided": "approval of 'refund' with {'amount': 50} was asked for, and no decision fits",
    "unused": "nothing asked for the decision to approve 'refund'",
}


@pytest.mark.parametrize("kind", KINDS)
def test_decisions_are_carried_out_in_agents_of_every_kind(project, kind):
    project.agent(AGENTS.format(kind=kind))
    project.settings("", agents="".join(f'{name} = "{{module}}:{name}"\n' for name in TESTS))
    for name, fields in TESTS.items():
        project.suite(f"tests:\n  - name: decides\n    payload: Refund the lamp\n    {fields}", name)
    cases = {case["agent_name"]: case for case in project.test("--json").json["cases"]}
    assert {name for name, case in cases.items() if not case["passed"]} == set(TOLD)
    assert {name: case["errors"] for name, case in cases.items()} == dict.fromkeys(TESTS, 0)
    for name, words in TOLD.items():
        assert words in cases[name]["failure_reason"]


def test_a_misspelt_decision_is_called_out_where_nobody_knows_the_tools(project):
    project.agent(AGENTS.format(kind="function"))
    project.settings("", agents='waiting = "{module}:waiting"')
    fields = "approval_decisions: [{tool: refnd, decision: approve}]\n    expected_result: status == 'completed'"
    project.suite(f"tests:\n  - name: decides\n    payload: x\n    {fields}", "waiting")

    told = project.test("--json").case["failure_reason"]

    assert "nothing asked for the decision to approve 'refnd'; did you mean 'refund', which waits for one?" in told
