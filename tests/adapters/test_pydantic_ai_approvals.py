"""Deferred tools of Pydantic AI: who is asked, what is decided, and whose results come later."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import (
    ApprovalRequired,
    CallDeferred,
    DeferredToolResults,
    ExternalToolset,
    FunctionToolset,
    ModelRetry,
    RunContext,
    Tool,
    ToolApproved,
    ToolDefinition,
    ToolDenied,
    ToolReturn,
    capabilities,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter, RetryPromptPart

from agentassert import Decision, Outcome, Status, assert_that, capture
from tests.adapters.pydantic_ai_parts import agent, cancel_booking, executed, gated, get_booking, run_sync
from tests.scripted.pydantic_ai import asks_for, says

NUMBER = {"number": "MS-777"}
ASKED = asks_for(("cancel_booking", NUMBER, "c1"))


def always():
    return {"tools": [Tool(cancel_booking, requires_approval=True)]}


def sometimes():
    async def cancel_booking(ctx: RunContext[None], number: str) -> str:
        if not ctx.tool_call_approved:
            raise ApprovalRequired(metadata={"why": "dear"})
        return f"cancelled {number}"

    return {"tools": [cancel_booking]}


def by_toolset():
    return {"toolsets": [FunctionToolset([cancel_booking]).approval_required()]}


WAYS = [always, sometimes, by_toolset]


def decided(cap):
    return [(one.tool, one.arguments, one.decision, one.reason) for one in cap.invocation.approvals]


def go_on(support, result, *, history=None, calls=None, **approvals):
    answers = DeferredToolResults(approvals=approvals, calls=calls or {})
    return run_sync(support, None, message_history=history or result.all_messages(), deferred_tool_results=answers)


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_that_needs_an_approval_is_pending_and_was_requested_only(way):
    with capture() as cap:
        run_sync(gated(ASKED, **way()))

    assert cap.invocation.status is Status.AWAITING_APPROVAL
    assert decided(cap) == [("cancel_booking", NUMBER, Decision.PENDING, None)]
    assert (cap.invocation.tool_executions, cap.invocation.tool_execution_requests[0].answered) == ((), False)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("answer", "decision", "reason", "ran_with"),
    [
        (True, Decision.APPROVE, None, [NUMBER]),
        (ToolApproved(), Decision.APPROVE, None, [NUMBER]),
        (ToolApproved(override_args={"number": "MS-778"}), Decision.EDIT, None, [{"number": "MS-778"}]),
        (False, Decision.REJECT, None, []),
        (ToolDenied("too late"), Decision.REJECT, "too late", []),
    ],
)
def test_a_decision_settles_what_was_pending(way, answer, decision, reason, ran_with):
    support = gated(ASKED, says("done"), **way())

    with capture() as cap:
        go_on(support, run_sync(support), c1=answer)

    assert (cap.invocation.status, cap.output, cap.invocation.input) == (Status.COMPLETED, "done", "hi")
    assert decided(cap) == [("cancel_booking", NUMBER, decision, reason)]
    assert [(one.arguments, one.outcome, one.attempt, one.call_id) for one in cap.invocation.tool_executions] == [
        (arguments, Outcome.SUCCEEDED, 1, "c1") for arguments in ran_with
    ]
    assert len(cap.invocation.own_chat_model_calls) == 2


def test_in_another_capture_the_resumption_is_an_invocation_of_its_own():
    support = gated(ASKED, says("done"), **always())

    with capture() as before:
        result = run_sync(support)
    with capture() as after:
        go_on(support, result, c1=ToolDenied("no"))

    assert (before.invocation.status, decided(before)[0][2]) == (Status.AWAITING_APPROVAL, Decision.PENDING)
    assert (after.invocation.status, decided(after)) == (
        Status.COMPLETED,
        [("cancel_booking", NUMBER, Decision.REJECT, "no")],
    )


def test_a_history_that_was_stored_meanwhile_continues_the_same_invocation():
    support = gated(ASKED, says("done"), **always())

    with capture() as cap:
        stored = ModelMessagesTypeAdapter.dump_json(run_sync(support).all_messages())
        go_on(support, None, history=ModelMessagesTypeAdapter.validate_json(stored), c1=True)

    assert (len(cap.invocations), executed(cap)) == (1, [("cancel_booking", Outcome.SUCCEEDED)])


def test_runs_that_wait_with_the_same_call_ids_are_told_apart():
    first, second = (gated(ASKED, says("done"), name=name, **always()) for name in ("first", "second"))

    with capture() as cap:
        run_sync(first)
        go_on(second, run_sync(second), c1=True)

    assert [(one.name, one.status) for one in cap.invocations] == [
        ("first", Status.AWAITING_APPROVAL),
        ("second", Status.COMPLETED),
    ]


def test_each_of_several_tools_has_its_own_decision():
    requests = (
        ("cancel_booking", {"number": "1"}, "c1"),
        ("get_booking", {"number": "2"}, "c2"),
        ("cancel_booking", {"number": "3"}, "c3"),
    )
    support = gated(asks_for(*requests), says("done"), tools=[Tool(cancel_booking, requires_approval=True), get_booking])

    with capture() as cap:
        go_on(support, run_sync(support), c1=False, c3=True)

    assert [one[1:3] for one in decided(cap)] == [({"number": "1"}, Decision.REJECT), ({"number": "3"}, Decision.APPROVE)]
    assert [(one.name, one.call_id) for one in cap.invocation.tool_executions] == [
        ("get_booking", "c2"),
        ("cancel_booking", "c3"),
    ]


def test_a_run_may_wait_more_than_once():
    support = gated(ASKED, asks_for(("cancel_booking", {"number": "2"}, "c1")), says("done"), **always())

    with capture() as cap:
        second = go_on(support, run_sync(support), c1=True)
        assert cap.invocation.status is Status.AWAITING_APPROVAL
        go_on(support, second, c1=False)

    assert [one[1:3] for one in decided(cap)] == [(NUMBER, Decision.APPROVE), ({"number": "2"}, Decision.REJECT)]
    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("cancel_booking", Outcome.SUCCEEDED)])


def test_streamed_runs_wait_and_go_on_alike():
    support = gated(ASKED, says("done"), **always())

    async def run():
        async with capture() as cap:
            async with support.run_stream("hi") as streamed:
                await streamed.get_output()
            pending = cap.invocation
            answers = DeferredToolResults(approvals={"c1": True})
            async with support.run_stream(message_history=streamed.all_messages(), deferred_tool_results=answers) as resumed:
                await resumed.get_output()
        return pending, cap

    pending, cap = asyncio.run(run())
    assert pending.status is Status.AWAITING_APPROVAL
    assert (cap.invocation.status, cap.output, executed(cap)) == (
        Status.COMPLETED,
        "done",
        [("cancel_booking", Outcome.SUCCEEDED)],
    )


def test_a_nested_agent_waits_on_its_own():
    inner = gated(ASKED, name="inner", **always())

    async def delegate() -> str:
        return str((await inner.run("cancel it")).output)

    with capture() as cap:
        run_sync(agent(asks_for(("delegate", {}, "d1")), says("done"), tools=[delegate], name="outer"))

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.COMPLETED, Status.AWAITING_APPROVAL)
    assert (cap.invocation.approvals, nested.approvals[0].decision) == ((), Decision.PENDING)


async def book(number: str) -> str:
    """Have somebody else book."""
    raise CallDeferred


EXTERNAL = ToolDefinition(name="book", parameters_json_schema={"type": "object", "properties": {"number": {"type": "string"}}})
ASKED_ELSEWHERE = asks_for(("book", NUMBER, "c1"))


@pytest.mark.parametrize(
    ("answer", "outcome", "result"),
    [
        ("booked", Outcome.SUCCEEDED, "booked"),
        (ToolReturn({"ok": True}), Outcome.SUCCEEDED, {"ok": True}),
        (ModelRetry("full"), Outcome.FAILED, None),
        (lambda: RetryPromptPart("full", tool_name="book", tool_call_id="c1"), Outcome.FAILED, "full"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*RetryPromptPart.*")  # later versions have something else in its place
@pytest.mark.parametrize("begins", [True, False])
def test_a_tool_whose_result_comes_from_elsewhere_is_an_execution_when_it_has_come(begins, answer, outcome, result):
    where = {"tools": [book]} if begins else {"toolsets": [ExternalToolset([EXTERNAL])]}
    support = gated(ASKED_ELSEWHERE, says("done"), **where)

    with capture() as cap:
        waiting = run_sync(support)
        pending = cap.invocation
        go_on(support, waiting, calls={"c1": answer() if callable(answer) else answer})

    assert (pending.status, pending.approvals) == (Status.AWAITING_APPROVAL, ())
    assert [one.outcome for one in pending.tool_executions] == ([Outcome.UNFINISHED] if begins else [])
    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.outcome, execution.result) == ("book", NUMBER, outcome, result)
    assert (execution.call_id, execution.attempt, execution.inferred) == ("c1", 1, not begins)
    assert (cap.invocation.status, cap.output) == (Status.COMPLETED, "done")


def test_in_another_capture_the_result_from_elsewhere_is_all_there_is():
    support = gated(ASKED_ELSEWHERE, says("done"), tools=[book])
    result = run_sync(support)

    with capture() as cap:
        go_on(support, result, calls={"c1": "booked"})

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.result, execution.inferred) == (NUMBER, "booked", True)


@pytest.mark.skipif(not hasattr(capabilities, "HandleDeferredToolCalls"), reason="this version decides nothing within a run")
class TestDecisionsWithinARun:
    """A capability that answers while the run goes on."""

    @staticmethod
    def handler(**answers):
        return capabilities.HandleDeferredToolCalls(
            handler=lambda ctx, requests: DeferredToolResults(
                approvals={call.tool_call_id: answers["approvals"] for call in requests.approvals},
                calls={call.tool_call_id: answers["calls"] for call in requests.calls},
            )
        )

    @pytest.mark.parametrize("way", WAYS)
    @pytest.mark.parametrize(
        ("answer", "decision", "reason", "ran_with"),
        [
            (True, Decision.APPROVE, None, [NUMBER]),
            (ToolApproved(override_args={"number": "2"}), Decision.EDIT, None, [{"number": "2"}]),
            (ToolDenied("too late"), Decision.REJECT, "too late", []),
        ],
    )
    def test_they_are_recorded_once(self, way, answer, decision, reason, ran_with):
        support = agent(ASKED, says("done"), capabilities=[self.handler(approvals=answer)], **way())

        with capture() as cap:
            run_sync(support)

        assert (cap.invocation.status, decided(cap)) == (Status.COMPLETED, [("cancel_booking", NUMBER, decision, reason)])
        assert [one.arguments for one in cap.invocation.tool_executions] == ran_with

    def test_results_from_elsewhere_are_executions(self):
        support = agent(ASKED_ELSEWHERE, says("done"), tools=[book], capabilities=[self.handler(calls="booked")])

        with capture() as cap:
            run_sync(support)

        assert_that(cap).has_succeeded().has_tool_executed("book").results_of("book").is_equal_to(["booked"])

    def test_what_nobody_answers_is_waited_for(self):
        nobody = capabilities.HandleDeferredToolCalls(handler=lambda ctx, requests: None)

        with capture() as cap:
            run_sync(gated(ASKED, capabilities=[nobody], **always()))

        assert (cap.invocation.status, decided(cap)[0][2]) == (Status.AWAITING_APPROVAL, Decision.PENDING)
