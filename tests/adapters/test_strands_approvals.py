"""Interrupts of Strands: whoever asks, and however deep."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("strands")

from strands import Agent, ToolContext, tool
from strands.hooks import BeforeNodeCallEvent
from strands.multiagent import Swarm

from agentassert import Decision, Outcome, Status, assert_that
from agentassert.adapters.strands.driving import StrandsDriver
from tests.adapters.scenarios.parts import recording
from tests.adapters.strands_parts import Gate, agent, answers, executed, refund
from tests.scripted.strands import asks_for


def cashier(**options):
    return agent(asks_for(("refund", {"amount": 5}, "c1")), "done", tools=[refund], name="cashier", **options)


def decided(invocation):
    return [(one.tool, one.arguments, one.decision) for one in invocation.approvals]


def go_on(asking, response):
    """Run to the interrupts, and to the end."""
    return asking(answers(asking("Refund"), response))


@pytest.mark.parametrize(
    ("response", "decision", "ran"),
    [("yes", Decision.APPROVE, True), (True, Decision.APPROVE, True), ("No", Decision.REJECT, True), ("tomorrow", None, True)],
)
def test_a_tool_that_asks_itself_has_not_run_until_it_was_answered(response, decision, ran):
    @tool(context=True)
    def pay(tool_context: ToolContext) -> str:
        """Pay."""
        return f"answered {tool_context.interrupt('sure', reason='Really?')}"

    paying = agent(asks_for(("pay", {}, "c1")), "done", tools=[pay])
    with recording() as cap:
        result = paying("Pay")
        assert (cap.invocation.status, executed(cap)) == (Status.AWAITING_APPROVAL, [])
        assert decided(cap.invocation) == [("pay", {}, Decision.PENDING)]
        paying(answers(result, response))

    assert [one.result for one in cap.invocation.tool_executions] == [f"answered {response}"] * ran
    assert decided(cap.invocation) == ([] if decision is None else [("pay", {}, decision)])


def test_an_answer_is_asked_for_again_and_the_run_goes_on_each_time():
    @tool(context=True)
    def pay(tool_context: ToolContext) -> str:
        """Pay."""
        return f"{tool_context.interrupt('first')} {tool_context.interrupt('second')}"

    paying = agent(asks_for(("pay", {}, "c1")), "done", tools=[pay])
    with recording() as cap:
        result = paying("Pay")
        result = paying(answers(result, "once"))
        paying(answers(result, "twice"))

    assert (cap.invocation.status, len(cap.invocation.own_chat_model_calls)) == (Status.COMPLETED, 2)
    assert_that(cap).results_of("pay").is_equal_to(["once twice"])
    assert_that(cap).has_no_pending_approvals()


def test_an_interrupt_in_a_swarm_belongs_to_the_member_and_suspends_both():
    swarm = Swarm([cashier(hooks=[Gate("refund")])])
    with recording() as cap:
        result = swarm("Refund")
        assert [one.status for one in cap.invocation.with_nested()] == [Status.AWAITING_APPROVAL] * 2
        swarm(answers(result, "y"))

    assert [one.status for one in cap.invocation.with_nested()] == [Status.COMPLETED] * 2
    (member,) = cap.invocation.nested_invocations
    assert (decided(member), executed(member)) == ([("refund", {"amount": 5}, Decision.APPROVE)], [("refund", Outcome.SUCCEEDED)])


def test_a_stream_that_is_left_at_its_interrupts_waits_all_the_same():
    asking = cashier(hooks=[Gate("refund")])

    async def interrupted():
        parts = asking.stream_async("Refund")
        async for part in parts:
            if "result" in part:
                break
        await parts.aclose()
        return part["result"]

    with recording() as cap:
        result = asyncio.run(interrupted())
        assert cap.invocation.status is Status.AWAITING_APPROVAL
        asking(answers(result, "y"))

    assert_that(cap).has_succeeded().has_tool_approved("refund").has_tool_executed("refund")


class AskFirst:
    """Asks before a member of a swarm works."""

    def register_hooks(self, registry, **kwargs):
        registry.add_callback(BeforeNodeCallEvent, self.ask)

    def ask(self, event):
        if event.interrupt("start", reason={"member": event.node_id}) != "y":
            event.cancel_node = "not now"


def test_what_a_swarm_in_a_tool_asks_is_no_question_of_the_tool():
    @tool
    def delegate() -> str:
        """Have others work."""
        return Swarm([agent("done", name="worker")], hooks=[AskFirst()])("Work").status.value

    with recording() as cap:
        agent(asks_for(("delegate", {}, "c1")), "done", tools=[delegate])("hi")

    (swarm,) = cap.invocation.nested_invocations
    assert decided(swarm) == [("start", {"member": "worker"}, Decision.PENDING)]
    assert (decided(cap.invocation), executed(cap)) == ([], [("delegate", Outcome.SUCCEEDED)])


@pytest.mark.parametrize(("response", "decision"), [("y", Decision.APPROVE), ("n", Decision.REJECT)])
def test_an_interrupt_before_a_member_works_is_an_approval_of_what_it_is_called(response, decision):
    swarm = Swarm([agent("done", name="worker")], hooks=[AskFirst()])
    with recording() as cap:
        swarm(answers(swarm("Work"), response))

    assert decided(cap.invocation) == [("start", {"member": "worker"}, decision)]
    assert len(cap.invocation.nested_invocations) == (response == "y")


@pytest.mark.skipif(not hasattr(Agent, "as_tool"), reason="this release has no agents as tools")
def test_an_interrupt_in_an_agent_that_is_a_tool():
    outer = agent(asks_for(("cashier", {"input": "go"}, "c1")), "thanks", tools=[cashier(hooks=[Gate("refund")]).as_tool()])
    with recording() as cap:
        result = outer("Refund")
        assert [one.status for one in cap.invocation.with_nested()] == [Status.AWAITING_APPROVAL] * 2
        outer(answers(result, "y"))

    (nested,) = cap.invocation.nested_invocations
    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.outcome, nested.started_by) == ("cashier", Outcome.SUCCEEDED, execution.id)
    assert (decided(cap.invocation), decided(nested)) == ([], [("refund", {"amount": 5}, Decision.APPROVE)])
    assert executed(nested) == [("refund", Outcome.SUCCEEDED)]


@pytest.mark.skipif(not hasattr(Agent, "as_tool"), reason="this release has no agents as tools")
def test_the_innermost_tool_is_what_is_decided():
    asking = agent(asks_for(("cashier", {"input": "go"}, "c1")), "thanks", tools=[cashier(hooks=[Gate("refund")]).as_tool()])

    pause = asyncio.run(StrandsDriver().start(asking, "Refund", name=None))

    assert [(one.tool, one.arguments) for one in pause.pending] == [("refund", {"amount": 5})]


def test_middleware_that_asks():
    stages = pytest.importorskip("strands.middleware.stages", reason="this release has no middleware")
    from strands.types._events import ToolResultEvent

    async def gate(context, go_on):
        if context.interrupt("sure", reason="Really?").response == "y":
            async for event in go_on(context):
                yield event
        else:
            yield ToolResultEvent({"toolUseId": "c1", "status": "error", "content": [{"text": "no way"}]})

    for response, decision in (("y", Decision.APPROVE), ("n", Decision.REJECT)):
        asking = cashier()
        asking.add_middleware(stages.ExecuteToolStage, gate)
        with recording() as cap:
            go_on(asking, response)
        assert decided(cap.invocation) == [("refund", {"amount": 5}, decision)]
        assert len(cap.invocation.tool_executions) == (response == "y")
    assert cap.invocation.approvals[0].reason == "no way"


def test_a_hook_on_all_tools_of_a_response_asks_by_its_own_name():
    hooks = pytest.importorskip("strands.hooks")
    if not hasattr(hooks, "BeforeToolsEvent"):
        pytest.skip("this release has no such hook")

    def ask(event: hooks.BeforeToolsEvent) -> None:
        if event.interrupt("batch", reason="All of them?") != "y":
            event.cancel = True

    asking = cashier()
    asking.hooks.add_callback(hooks.BeforeToolsEvent, ask)
    with recording() as cap:
        go_on(asking, "n")

    assert decided(cap.invocation) == [("batch", {"reason": "All of them?"}, Decision.REJECT)]
    assert executed(cap) == []


def test_strands_own_human_in_the_loop():
    hitl = pytest.importorskip("strands.vended_interventions.hitl", reason="this release has none")

    with recording() as cap:
        go_on(cashier(interventions=[hitl.HumanInTheLoop()]), "yes")
    assert decided(cap.invocation) == [("refund", {"amount": 5}, Decision.APPROVE)]

    with recording() as cap:
        cashier(interventions=[hitl.HumanInTheLoop(ask=lambda prompt: "no")])("Refund")
    assert decided(cap.invocation) == [("refund", {"amount": 5}, Decision.REJECT)]
    assert executed(cap) == []


def test_a_question_that_is_open_still_when_others_are_answered_is_one_question():
    twice = asks_for(("refund", {"amount": 1}, "c1"), ("refund", {"amount": 2}, "c2"))
    asking = agent(twice, "done", tools=[refund], name="cashier", hooks=[Gate("refund")])

    with recording() as cap:
        result = asking("hi")
        result = asking(answers(result, "y")[:1])
        assert decided(cap.invocation)[1:] == [("refund", {"amount": 2}, Decision.PENDING)]
        asking(answers(result, "n"))

    expected = [("refund", {"amount": 1}, Decision.APPROVE), ("refund", {"amount": 2}, Decision.REJECT)]
    assert decided(cap.invocation) == expected
    assert executed(cap) == [("refund", Outcome.SUCCEEDED)]
