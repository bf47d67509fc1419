"""Agents of smolagents, run by us: with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

from typing import ClassVar

import pytest

pytest.importorskip("smolagents")

from smolagents.tools import PipelineTool

from agentassert import Outcome, assert_that, fails, returns, run
from agentassert.adapters.smolagents.driving import SmolagentsDriver
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.smolagents_parts import agent, coder, done, executed, get_booking, refund
from tests.scripted.smolagents import answers, asks_for


def cashier(amount=50, *, writes_code=False):
    """An agent that refunds an amount."""
    if writes_code:
        return coder(f"refund({amount!r})", "final_answer('done')", tools=[refund], name="cashier")
    return agent(*done(asks_for(("refund", {"amount": amount}, "c1"))), tools=[refund], name="cashier")


both = pytest.mark.parametrize("writes_code", [False, True])


@both
def test_agents_are_run(writes_code):
    cap = run(cashier(writes_code=writes_code), "Refund the lamp")

    assert_that(cap).has_succeeded().has_tool_executed_with("refund", {"amount": 50})
    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("cashier", "Refund the lamp", "done")


def test_a_mapping_is_the_task_as_json_text():
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


@both
def test_a_double_stands_in_for_a_tool(writes_code):
    cap = run(cashier(writes_code=writes_code), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert executed(cap) == [("refund", Outcome.SUCCEEDED)]
    assert_that(run(cashier(writes_code=writes_code), "Refund")).results_of("refund").is_equal_to(["paid 50 EUR"])


@both
def test_a_double_fails_as_the_tool_would(writes_code):
    cap = run(cashier(writes_code=writes_code), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error)) == (Outcome.FAILED, "TimeoutError('no answer')")


@both
def test_a_call_that_the_real_tool_does_not_take_fails_the_run(writes_code):
    driven = drive(cashier("much", writes_code=writes_code), "Refund", mocks={"refund": returns("mocked")})

    assert driven.problems()[0].startswith(
        "'refund' was called in a way that the real tool does not take: Argument amount has type"
    )
    assert executed(driven.capture) == [("refund", Outcome.FAILED)]


def test_a_double_of_a_coroutine_function_is_refused():
    async def refund_later(amount):
        return "mocked"

    assert "synchronous" in drive(cashier(), "Refund", mocks={"refund": refund_later}).problems()[0]


@both
def test_a_double_stands_in_for_an_agent_that_another_manages(writes_code):
    clerk = agent(answers("real"), name="clerk")
    if writes_code:
        desk = coder("clerk(task='look')", "final_answer('done')", managed_agents=[clerk])
    else:
        desk = agent(*done(asks_for(("clerk", {"task": "look", "additional_args": {}}, "m1"))), managed_agents=[clerk])

    cap = run(desk, "?", mocks={"clerk": lambda task, additional_args=None: f"mocked {task}"})

    assert_that(cap).top_level_only().results_of("clerk").is_equal_to(["mocked look"])
    assert cap.invocation.nested_invocations == ()


def test_a_tool_that_has_a_double_is_not_set_up():
    class Heavy(PipelineTool):
        """One that would load a model."""

        name, description, output_type = "heavy", "Think.", "string"
        inputs: ClassVar = {"question": {"type": "string", "description": "What to think about."}}
        default_checkpoint = "none"

        def __init__(self):
            self.is_initialized = False

        def setup(self):
            raise AssertionError("it was set up")

    thinker = agent(*done(asks_for(("heavy", {"question": "why"}, "c1"))), tools=[Heavy()])

    assert_that(run(thinker, "?", mocks={"heavy": lambda question: "because"})).results_of("heavy").is_equal_to(["because"])


def test_tools_are_listed_without_running_the_agent():
    clerk = agent(tools=[get_booking], name="clerk")
    desk = coder(tools=[refund], managed_agents=[clerk])

    assert tools_of(desk) == ["clerk", "refund"]
    assert SmolagentsDriver().tools_in_reach_of(desk) == ["refund", "clerk", "get_booking"]


def test_a_conversation_goes_on_in_the_memory_of_the_agent():
    booking = agent(answers("Which crossing?"), answers("Booked."), answers("Which crossing?"))

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."
    with conversation(booking) as talk:
        talk.say("Book a train")

    sent = [[text for one in request if "New task" in (text := str(one.content))] for request in booking.model.requests]
    assert [len(tasks) for tasks in sent] == [1, 2, 1]


def test_a_double_stands_in_for_a_tool_by_the_name_that_the_agent_knows():
    support = agent(*done(asks_for(("look_up", {"number": "1"}, "c1"))), tools=[get_booking])
    support.tools["look_up"] = support.tools.pop("get_booking")

    assert_that(run(support, "?", mocks={"look_up": returns("mocked")})).results_of("look_up").is_equal_to(["mocked"])
