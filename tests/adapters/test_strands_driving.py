"""Agents of Strands, run by us: answered, with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("strands")

from strands import ToolContext, tool
from strands.multiagent import Swarm
from strands.types.tools import AgentTool

from agentassert import Decision, Outcome, Status, assert_that, fails, returns, run
from agentassert.adapters.strands.driving import StrandsDriver
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.strands_parts import Gate, agent, executed, get_booking, graph_of, refund
from tests.scripted.strands import asks_for


def cashier(amount=50, *, gated=False, runs=1, function=refund, **options):
    """An agent that refunds an amount."""
    script = [asks_for(("refund", {"amount": amount}, "c1")), "done"] * runs
    return agent(*script, tools=[function], name="cashier", hooks=[Gate("refund")] if gated else [], **options)


@pytest.mark.parametrize(
    ("driven", "name"),
    [
        (cashier, "cashier"),
        (lambda: Swarm([cashier()]), "default_swarm"),
        (lambda: graph_of(cashier()), "default_graph"),
    ],
)
def test_agents_swarms_and_graphs_are_run(driven, name):
    cap = run(driven(), "Refund the lamp")

    assert_that(cap).has_succeeded().including_nested().has_tool_executed_with("refund", {"amount": 50})
    assert (cap.invocation.name, cap.output_text) == (name, "done")


def test_a_mapping_is_the_users_message_as_json_text():
    cap = run(cashier(), {"article": "lamp"})

    assert cap.invocation.input == '{"article": "lamp"}'


@pytest.mark.parametrize(("decision", "ran"), [("approve", [50]), ("reject", []), ("timeout", [])])
@pytest.mark.parametrize("team", [lambda one: one, lambda one: Swarm([one]), graph_of])
def test_interrupts_are_answered(decision, ran, team):
    cap = run(team(cashier(gated=True)), "Refund", approvals=[{"tool": "refund", "decision": decision}])

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    (worker,) = [one for one in cap.invocation.with_nested() if one.name == "cashier"]
    assert [one.decision for one in worker.approvals] == [Decision(decision)]
    assert [one.arguments["amount"] for one in worker.tool_executions] == ran


def test_without_a_decision_the_run_waits_and_the_next_one_is_as_if_there_had_been_none():
    asking = cashier(gated=True, runs=2)
    first = run(asking, "Refund")
    assert_that(first).has_approval_requested("refund", {"amount": 50}).has_no_tool_executions("refund")
    assert first.invocation.status is Status.AWAITING_APPROVAL

    asking.model._steps.pop(0)
    assert run(asking, "Refund again").invocation.approvals[0].decision is Decision.PENDING
    assert [block["text"] for message in asking.model.requests[-1] for block in message["content"]] == ["Refund again"]


def test_a_run_leaves_the_conversation_of_the_agent_as_it_was():
    known = [{"role": "user", "content": [{"text": "Hi"}]}, {"role": "assistant", "content": [{"text": "Hello"}]}]
    greeted = cashier(runs=2, messages=known)
    greeted.state.set("mood", "good")

    for _ in range(2):
        assert_that(run(greeted, "Refund")).has_own_chat_model_call_count(2)
        assert [message["content"][0]["text"] for message in greeted.messages] == ["Hi", "Hello"]
        assert greeted.messages is known
        assert greeted.state.get() == {"mood": "good"}


def test_a_run_that_fails_leaves_it_so_too():
    failing = agent(ConnectionError("no answer"), "done")

    assert_that(run(failing, "Hi")).has_failed_with(ConnectionError)
    assert failing.messages == []
    assert_that(run(failing, "Hi")).has_succeeded()


def test_what_was_told_with_a_decision_answers_the_tool_that_asked():
    told = []

    @tool(context=True)
    def ask(tool_context: ToolContext) -> str:
        """Ask a person."""
        told.append(tool_context.interrupt("which", reason="Which one?"))
        return "asked"

    asking = agent(asks_for(("ask", {}, "c1")), "done", tools=[ask])
    cap = run(asking, "Hi", approvals=[{"tool": "ask", "decision": "approve", "response": "the red one"}])

    assert told == ["the red one"]
    assert_that(cap).has_succeeded().has_tool_executed("ask").has_no_pending_approvals().has_no_more_tool_executions()


def test_a_double_stands_in_for_a_function():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_replaced_tool_that_needs_an_approval_needs_it_still():
    mocks, approvals = {"refund": returns("mocked")}, [{"tool": "refund", "decision": "approve"}]

    assert executed(run(cashier(gated=True), "Refund", mocks=mocks)) == []
    cap = run(cashier(gated=True), "Refund", mocks=mocks, approvals=approvals)
    assert_that(cap).results_of("refund").is_equal_to(["mocked"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    assert executed(cap) == [("refund", Outcome.FAILED)]
    assert isinstance(cap.invocation.tool_executions[0].error, TimeoutError)
    assert cap.output_text == "done"


def test_a_double_gets_what_strands_injects():
    @tool(context=True)
    def refund(amount: int, tool_context: ToolContext) -> str:
        """Pay money back."""
        raise NotImplementedError

    def double(amount, tool_context):
        return f"{amount} by {tool_context.agent.name}"

    cap = run(cashier(function=refund), "Refund", mocks={"refund": double})

    assert_that(cap).results_of("refund").is_equal_to(["50 by cashier"])


def test_a_call_that_the_real_function_does_not_take_fails_the_run():
    driven = drive(cashier("much"), "Refund", mocks={"refund": returns("mocked")})

    assert driven.problems()[0].startswith(
        "'refund' was called in a way that the real tool does not take: 'amount' must be integer"
    )
    assert "mocked" not in str([one.result for one in driven.capture.invocation.tool_executions])


class Shipping(AgentTool):
    """A tool that is no function."""

    tool_name = "ship"
    tool_type = "shipping"
    tool_spec = {  # noqa: RUF012  # as the base has it
        "name": "ship",
        "description": "Ship.",
        "inputSchema": {"json": {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}},
    }

    async def stream(self, tool_use, invocation_state, **kwargs):
        yield "on its way"
        yield {
            "toolUseId": tool_use["toolUseId"],
            "status": "success",
            "content": [{"json": {"shipped": tool_use["input"]["to"]}}],
        }


def shipper(**arguments):
    return agent(asks_for(("ship", arguments, "c1")), "done", tools=[Shipping()])


def test_a_double_stands_in_for_a_tool_of_any_class():
    cap = run(shipper(to="Oslo"), "Ship", mocks={"ship": lambda to: {"mocked": to}})

    assert_that(cap).results_of("ship").is_equal_to([{"mocked": "Oslo"}])
    assert_that(run(shipper(to="Oslo"), "Ship")).results_of("ship").is_equal_to([{"shipped": "Oslo"}])
    assert "'to' is missing" in drive(shipper(), "Ship", mocks={"ship": returns(1)}).problems()[0]


def test_tools_are_listed_without_running_the_agent():
    first, second = agent(tools=[get_booking]), agent(name="second", tools=[Shipping()])
    swarm = Swarm([first, second])

    assert tools_of(agent(tools=[get_booking, refund])) == ["get_booking", "refund"]
    assert tools_of(swarm) == []
    assert set(StrandsDriver().tools_in_reach_of(swarm)) == {"get_booking", "ship", "handoff_to_agent"}


def test_a_conversation_is_the_agents_own():
    booking = agent("Which crossing?", "Booked.", "Hello.")

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    run(booking, "Hi")
    texts = [[block["text"] for message in sent for block in message["content"]] for sent in booking.model.requests]
    assert texts[1:] == [["Book a ferry", "Which crossing?", "Moss"], ["Hi"]]


def test_a_swarm_holds_no_conversation():
    with pytest.raises(NotImplementedError, match="hold no conversation"), conversation(Swarm([agent("hi")])) as talk:
        talk.say("Hi")
