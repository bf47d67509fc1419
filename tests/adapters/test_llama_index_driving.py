"""Agents of LlamaIndex, run by us: answered, with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.agent.workflow import AgentWorkflow, ReActAgent
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.objects import ObjectRetriever
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import get_response_synthesizer
from llama_index.core.tools import FunctionTool, QueryEngineTool

from agentassert import Decision, Outcome, Status, assert_that, fails, returns, run
from agentassert.adapters.llama_index.driving import LlamaIndexDriver
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.llama_index_parts import Finder, agent, executed, gated_refund, get_booking, refund
from tests.adapters.llama_index_warnings import quietly
from tests.scripted.llama_index import ScriptedModel, asks_for

pytestmark = quietly


def cashier(*amounts, gated=False):
    """An agent that refunds amounts."""
    asked = [("refund", {"amount": amount}, f"c{place}") for place, amount in enumerate(amounts or (50,), 1)]
    return agent(asks_for(*asked), "done", tools=[gated_refund if gated else refund], name="cashier")


def engine(*steps):
    """A query engine whose model follows the script."""
    model = ScriptedModel(*steps)
    return RetrieverQueryEngine(Finder(refunds=0.9), response_synthesizer=get_response_synthesizer(llm=model))


def test_agents_and_workflows_of_agents_are_run():
    for driven in (cashier(), AgentWorkflow([cashier()])):
        cap = run(driven, "Refund the lamp")

        assert_that(cap).has_succeeded().has_tool_executed_with("refund", {"amount": 50})
        assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("cashier", "Refund the lamp", "done")


def test_a_mapping_is_the_users_message_as_json_text():
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


def test_a_chat_engine_is_run():
    cap = run(SimpleChatEngine(ScriptedModel("hello"), ChatMemoryBuffer.from_defaults(), []), "hi")

    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("SimpleChatEngine", "hi", "hello")


@pytest.mark.parametrize(
    ("decision", "told"),
    [("approve", "paid 50"), ("reject", "not paid: rejected"), ("timeout", "not paid: nobody decided in time")],
)
def test_questions_of_tools_are_answered(decision, told):
    cap = run(cashier(gated=True), "Refund", approvals=[{"tool": "refund", "decision": decision}])

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert [one.decision for one in cap.invocation.approvals] == [Decision(decision)]
    assert [one.result for one in cap.invocation.tool_executions] == [told]


def test_each_question_of_a_response_is_answered_once():
    decisions = [
        {"tool": "refund", "decision": "approve", "params": "params.amount == 1"},
        {"tool": "refund", "decision": "reject", "reason": "too much", "params": "params.amount == 2"},
    ]
    cap = run(cashier(1, 2, gated=True), "Refund", approvals=decisions)

    assert [one.result for one in cap.invocation.tool_executions] == ["paid 1", "not paid: too much"]
    assert [(one.arguments["amount"], one.decision, one.reason) for one in cap.invocation.approvals] == [
        (1, Decision.APPROVE, None),
        (2, Decision.REJECT, "too much"),
    ]


def test_without_a_decision_the_run_waits():
    cap = run(cashier(gated=True), "Refund")

    assert_that(cap).has_approval_requested("refund", {"amount": 50}).has_no_tool_executions("refund")
    assert cap.invocation.status is Status.AWAITING_APPROVAL


def test_what_a_person_tells_reaches_the_tool():
    cap = run(cashier(gated=True), "Refund", approvals=[{"tool": "refund", "decision": "approve", "response": "perhaps"}])

    assert [one.result for one in cap.invocation.tool_executions] == ["not paid: perhaps"]


def test_a_run_that_fails_ends():
    cap = run(agent(ConnectionError("no answer")), "hi")

    assert_that(cap).has_failed_with(ConnectionError)


def test_a_double_stands_in_for_a_function():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_double_stands_in_for_a_tool_that_asks():
    cap = run(cashier(gated=True), "Refund", mocks={"refund": lambda amount, ctx: f"mocked {amount} {type(ctx).__name__}"})

    assert_that(cap).has_succeeded().results_of("refund").is_equal_to(["mocked 50 Context"])


def test_a_double_stands_in_for_a_tool_of_any_class_and_in_a_workflow_of_agents():
    tool = QueryEngineTool.from_defaults(engine(), name="manual", description="The manual.")
    reader = agent(asks_for(("manual", {"input": "refunds"}, "c1")), "done", tools=[tool])
    cap = run(AgentWorkflow([reader]), "Read", mocks={"manual": lambda **given: f"mocked {given['input']}"})

    assert_that(cap).results_of("manual").is_equal_to(["mocked refunds"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    assert_that(cap).has_succeeded()
    assert executed(cap) == [("refund", Outcome.FAILED)]
    assert "no answer" in str(cap.invocation.tool_executions[0].error)


def test_a_call_that_the_real_tool_does_not_take_fails_the_run():
    driven = drive(cashier("much"), "Refund", mocks={"refund": returns("mocked")})

    assert driven.problems()[0].startswith("'refund' was called in a way that the real tool does not take: 'amount' must be int")
    assert "mocked" not in str([one.result for one in driven.capture.invocation.tool_executions])


def test_tools_are_listed_without_running_the_agent():
    helper = agent(name="helper", tools=[refund])
    workflow = AgentWorkflow([agent(tools=[get_booking]), helper], root_agent="support")

    assert tools_of(agent(tools=[get_booking, FunctionTool.from_defaults(refund, name="pay")])) == ["get_booking", "pay"]
    assert tools_of(ReActAgent(llm=ScriptedModel())) == []
    assert tools_of(workflow) == ["get_booking"]
    assert LlamaIndexDriver().tools_in_reach_of(workflow) == ["get_booking", "refund"]
    assert tools_of(engine()) is None
    assert tools_of(agent(tool_retriever=ObjectRetriever(Finder(), None))) is None


def test_a_conversation_is_one_context():
    booking = agent("Which crossing?", "Booked.")

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    assert [one.content for one in booking.llm.requests[-1]] == ["Book a ferry", "Which crossing?", "Moss"]
