"""Tests of agents that wait for a person's approval."""

from __future__ import annotations

from tests.suites.blocks import Block, Break

BUILDER = """
    import uuid

    def build(context, builder_args, test_name, payload, files):
        context["ticket"] = str(uuid.uuid4())
        return {"ticket": context["ticket"], "cents": 950}
"""
CASHIER = """
    @record.approver
    def ask(tool, arguments):
        raise EOFError("nobody is there")

    @record.tool("tickets.refund")
    def refund(ticket, cents):
        return f"refunded {cents}"

    def agent(payload):
        wanted = {"ticket": payload["ticket"], "cents": payload["cents"]}
        if not ask("tickets.refund", wanted):
            return "left alone"
        return refund(**wanted)
"""

BLOCKS = [
    Block(
        "the refund of the very ticket is approved",
        """
        builder: made
        approval_decisions:
          - tool: tickets.refund
            params: params.ticket == context.ticket
            decision: approve
            reason: this test says so
        expected_result: status == "completed"
        expected_tool_calls: [tickets.refund]
        """,
        CASHIER,
        [Break('payload["ticket"]', '"T-1"', "but status was 'awaiting_approval'")],
        BUILDER,
    ),
    Block(
        "a refund that is asked for must be the one that is decided on",
        """
        builder: made
        strict_approval_decisions: true
        approval_decisions:
          - tool: tickets.refund
            params: params.ticket == context.ticket
            decision: approve
        """,
        CASHIER,
        [
            Break('ask("tickets.refund", wanted)', "wanted", "nothing asked for the decision to approve 'tickets.refund'"),
            Break(
                'payload["ticket"]', '"T-1"', "approval of 'tickets.refund' with {'ticket': 'T-1', 'cents': 950} was asked for"
            ),
        ],
        BUILDER,
    ),
    Block(
        "what is rejected is not refunded",
        """
        builder: made
        approval_decisions: [{tool: tickets.refund, decision: reject, reason: too late}]
        expected_result: output == "left alone"
        expected_no_tool_calls: [tickets.refund]
        """,
        CASHIER,
        [Break('return "left alone"', "pass", "it had 1 execution of 'tickets.refund'")],
        BUILDER,
    ),
    Block(
        "nobody answers in time",
        """
        builder: made
        approval_decisions: [{tool: tickets.refund, decision: timeout}]
        expected_no_tool_calls: [tickets.refund]
        """,
        CASHIER,
        [Break("if not ask", "if ask", "it had 1 execution of 'tickets.refund'")],
        BUILDER,
    ),
    Block(
        "without a decision the agent waits",
        """
        builder: made
        expected_result: status == "awaiting_approval"
        expected_no_tool_calls: [tickets.refund]
        """,
        CASHIER,
        [Break('not ask("tickets.refund", wanted)', "not wanted", "but status was 'completed'")],
        BUILDER,
    ),
]
