"""Agents and pipelines of Haystack, run by us: answered, with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("haystack")

from haystack import Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.dataclasses import ChatMessage
from haystack.tools import ComponentTool, Tool, Toolset

from agentassert import Decision, Outcome, Status, assert_that, fails, returns, run
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.haystack_parts import agent, executed, gates, get_booking, humans, refund
from tests.scripted.haystack import ScriptedChatGenerator, asks_for

PAY = asks_for(("refund", {"amount": 50}, "c1"))


def cashier(amount=50, **options):
    """An agent that refunds an amount."""
    return agent(asks_for(("refund", {"amount": amount}, "c1")), "done", tools=[refund], **options)


def gated(policy=None):
    """The same, where a person has to confirm it, who is not there."""
    return cashier(**gates(["refund"], lambda *_: pytest.fail("a person was asked"), policy))


def in_a_pipeline(part, name="cashier"):
    pipeline = Pipeline()
    pipeline.add_component(name, part)
    return pipeline


def test_an_agent_is_run():
    cap = run(cashier(), "Refund the lamp", name="till")

    assert_that(cap).has_succeeded().has_tool_executed_with("refund", {"amount": 50})
    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("till", "Refund the lamp", "done")


def test_a_mapping_is_the_users_message_as_json_text():
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


def test_a_mapping_of_what_the_agent_takes_is_given_as_it_is():
    writer = agent("done", user_prompt="{% message role='user' %}About {{ topic }}{% endmessage %}")

    cap = run(writer, {"topic": "lamps"})

    assert cap.invocation.input == {"topic": "lamps"}
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("About lamps")


def test_a_text_goes_to_the_only_input_that_a_pipeline_needs():
    cap = run(in_a_pipeline(cashier()), "Refund the lamp", name="desk")

    assert (cap.invocation.name, cap.output_text) == ("desk", "done")
    assert_that(cap).nested_invocation("cashier").has_tool_executed_with("refund", {"amount": 50})


def test_a_pipeline_that_needs_more_is_given_a_mapping():
    pipeline = Pipeline()
    template = [ChatMessage.from_user("{{ what }} of {{ whom }}")]
    pipeline.add_component("prompt", ChatPromptBuilder(template=template, required_variables=["what", "whom"]))
    pipeline.add_component("llm", ScriptedChatGenerator("done"))
    pipeline.connect("prompt.prompt", "llm.messages")

    with pytest.raises(ValueError, match=r"this one needs prompt\.\w+, prompt\.\w+; give it a mapping"):
        run(pipeline, "The news")
    cap = run(pipeline, {"prompt": {"what": "News", "whom": "Ann"}})
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("News of Ann")
    assert cap.output_text == "done"


@pytest.mark.parametrize(("decision", "ran"), [("approve", [50]), ("reject", []), ("timeout", [])])
def test_confirmations_are_answered(decision, ran):
    cap = run(gated(), "Refund", approvals=[{"tool": "refund", "decision": decision, "reason": "so it is"}])

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert [(one.decision, one.reason) for one in cap.invocation.approvals] == [(Decision(decision), "so it is")]
    assert [one.arguments["amount"] for one in cap.invocation.tool_executions] == ran


def test_without_a_decision_the_run_waits():
    cap = run(gated(), "Refund")

    assert_that(cap).has_approval_requested("refund", {"amount": 50}).has_no_tool_executions("refund")
    assert cap.invocation.status is Status.AWAITING_APPROVAL


@pytest.mark.parametrize("decided", [True, False])
def test_an_agent_that_waits_within_a_tool_is_answered_too(decided):
    inner = gated()

    def delegate() -> str:
        """Ask another agent."""
        return inner.run(messages=[ChatMessage.from_user("Refund")])["last_message"].text

    outer = agent(asks_for(("delegate", {}, "d1")), "done", tools=[delegate])
    cap = run(outer, "Refund", approvals=[{"tool": "refund", "decision": "approve"}] if decided else [])

    ended = Status.COMPLETED if decided else Status.AWAITING_APPROVAL
    assert [one.status for one in cap.invocation.with_nested()] == [ended, ended]
    assert executed(cap) == [("delegate", Outcome.SUCCEEDED if decided else Outcome.UNFINISHED)]


def test_a_policy_that_asks_nobody_needs_no_decision():
    cap = run(gated(humans.NeverAskPolicy()), "Refund")

    assert (cap.invocation.status, cap.invocation.approvals) == (Status.COMPLETED, ())
    assert_that(cap).has_tool_executed("refund")


def test_an_approval_that_tells_more_is_refused():
    cap = run(gated(), "Refund", approvals=[{"tool": "refund", "decision": "approve", "response": "the red one"}])

    assert_that(cap).has_failed_with(ValueError).has_failed_with_message_containing("no response to the approval of 'refund'")


def test_a_double_stands_in_for_a_tool():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_replaced_tool_that_needs_a_confirmation_needs_it_still():
    mocks, approvals = {"refund": returns("mocked")}, [{"tool": "refund", "decision": "approve"}]

    assert executed(run(gated(), "Refund", mocks=mocks)) == []
    assert_that(run(gated(), "Refund", mocks=mocks, approvals=approvals)).results_of("refund").is_equal_to(["mocked"])


@pytest.mark.parametrize("raises", [False, True])
def test_a_double_fails_as_the_tool_would(raises):
    driven = cashier(raise_on_tool_invocation_failure=raises)
    cap = run(driven, "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    assert executed(cap) == [("refund", Outcome.FAILED)]
    assert isinstance(cap.invocation.tool_executions[0].error, TimeoutError)
    assert cap.invocation.status is (Status.FAILED if raises else Status.COMPLETED)


def test_a_call_that_the_real_tool_does_not_take_fails_the_run():
    driven = drive(cashier("much"), "Refund", mocks={"refund": returns("mocked")})

    assert driven.problems()[0].startswith("'refund' was called in a way that the real tool does not take: 'amount' must be")
    assert "mocked" not in str([one.result for one in driven.capture.invocation.tool_executions])


def test_a_double_stands_in_for_an_agent_that_is_a_tool():
    helper = ComponentTool(
        agent("never asked"), name="helper", description="Help.", parameters={"type": "object", "properties": {}}
    )
    cap = run(agent(asks_for(("helper", {}, "c1")), "done", tools=[helper]), "Help", mocks={"helper": returns("mocked")})

    assert_that(cap).results_of("helper").is_equal_to(["mocked"])
    assert cap.invocation.nested_invocations == ()


def test_tools_are_listed_without_running_the_agent():
    class Remote(Toolset):
        """Tools that only a connection tells."""

    schema = {"type": "object", "properties": {}}
    ship = Tool(name="ship", description="Ship.", parameters=schema, function=lambda: "shipped")
    asking = agent(tools=[get_booking, ship])

    assert tools_of(asking) == ["get_booking", "ship"]
    assert tools_of(in_a_pipeline(asking)) == ["get_booking", "ship"]
    assert tools_of(agent(tools=Toolset([ship]))) == ["ship"]
    assert tools_of(agent(tools=Remote([ship]))) is None


def test_a_conversation_goes_on_where_it_was():
    booking = agent("Which crossing?", "Booked.", system_prompt="You book ferries.")

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    sent = booking.chat_generator.requests[-1]
    assert [one.text for one in sent] == ["You book ferries.", "Book a ferry", "Which crossing?", "Moss"]
