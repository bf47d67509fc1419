"""Modules of DSPy, run by us: with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("dspy")

import dspy

from agentassert import Outcome, assert_that, fails, returns, run
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.dspy_parts import FINISH, executed, get_booking, predict, quietly, react, refund
from tests.scripted.dspy import ScriptedLM, calls, chooses

pytestmark = quietly
DONE = {"reasoning": "", "answer": "done"}


def cashier(amount=50, **options):
    """An agent that refunds an amount."""
    return react(chooses("refund", {"amount": amount}), FINISH, DONE, tools=[refund], **options)


class Desk(dspy.Module):
    """A program with but a `forward`."""

    def __init__(self, agent):
        super().__init__()
        self.agent = agent

    def forward(self, question, language="English"):
        return self.agent(question=f"{question} In {language}.")


INPUTS = {"question": "Refund the lamp.", "language": "German"}


@pytest.mark.parametrize(
    ("driven", "payload"), [(cashier(), "Refund the lamp."), (Desk(cashier()), INPUTS), (Desk(cashier()), "Refund the lamp.")]
)
def test_modules_are_run_with_a_text_or_with_their_inputs(driven, payload):
    cap = run(driven, payload)

    assert (cap.invocation.input, cap.output_text) == (payload, "done")
    assert_that(cap).including_nested().has_tool_executed_with("refund", {"amount": 50})


def test_a_text_for_a_module_with_several_inputs_is_refused():
    with pytest.raises(ValueError, match=r"Predict takes question, language, but was given '\?': give it a mapping of those"):
        run(predict(signature="question, language -> answer"), "?")


def test_a_chain_of_thought_is_run():
    cap = run(predict({"reasoning": "", "answer": "yes"}, kind=dspy.ChainOfThought), "Really?")

    assert (cap.invocation.input, cap.output_text) == ("Really?", "yes")


def test_a_mapping_of_anything_else_is_json_text():
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


def test_a_double_stands_in_for_a_tool():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert executed(cap) == [("refund", Outcome.SUCCEEDED)]
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "TimeoutError('no answer')")


def test_an_async_tool_has_an_async_double():
    async def ship(to: str) -> str:
        """Ship."""
        raise AssertionError("the real one ran")

    async def mocked(to):
        return f"mocked {to}"

    agent = react(chooses("ship", {"to": "Oslo"}), FINISH, DONE, tools=[ship])

    assert_that(run(agent, "Ship", mocks={"ship": mocked})).results_of("ship").is_equal_to(["mocked Oslo"])


def test_a_call_that_the_real_tool_does_not_take():
    driven = drive(react(chooses("refund", {}), FINISH, DONE, tools=[refund]), "Refund", mocks={"refund": returns("mocked")})

    assert "'refund' was called in a way that the real tool does not take" in driven.problems()[0]


def test_tools_are_listed_without_running_the_agent():
    assert tools_of(Desk(react(tools=[get_booking, refund]))) == ["get_booking", "refund"]
    assert tools_of(dspy.ReActV2("question -> answer", tools=[refund])) == ["refund"]
    assert tools_of(predict()) == []


def test_a_conversation_with_an_agent_that_keeps_its_history():
    agent = dspy.ReActV2("question -> answer", tools=[refund])
    model = ScriptedLM(*(calls(("submit", {"answer": text}, None)) for text in ("Which lamp?", "Refunded.")))
    agent.set_lm(model)

    with conversation(agent) as talk:
        assert talk.say("Refund it").bot_messages[0].text == "Which lamp?"
        assert talk.say("The red one").bot_messages[0].text == "Refunded."

    assert "Refund it" in str(model.messages[1])


def test_a_conversation_with_a_module_that_takes_a_history():
    chat = predict({"answer": "Hi Ann."}, {"answer": "Ann."}, signature="question, history: dspy.History -> answer")

    with conversation(chat) as talk:
        talk.say("I am Ann.")
        assert talk.say("Who am I?").bot_messages[0].text == "Ann."

    sent = str(chat.lm.messages[1])
    assert "I am Ann." in sent
    assert "Hi Ann." in sent


def test_a_module_without_a_history_has_no_conversation():
    with conversation(cashier()) as talk, pytest.raises(Exception, match=r"ReAct takes no `dspy\.History`"):
        talk.say("Hi")
