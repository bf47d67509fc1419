"""Agents, crews and flows of CrewAI, run by us: with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("tests.scripted.crewai")  # which has CrewAI imported as tests want it

from crewai import Crew, Task
from crewai.flow.flow import Flow, start
from crewai.tools import tool

from agentassert import Outcome, assert_that, fails, returns, run
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.crewai_parts import agent, crew, executed, get_booking, refund, task
from tests.adapters.crewai_warnings import quietly
from tests.scripted.crewai import acts, asks_for

pytestmark = quietly

INPUTS = {"customer": "Ann"}


def cashier(amount=50, **options):
    """An agent that refunds an amount."""
    return agent(asks_for(("pay_back", {"amount": amount}, "c1")), "done", tools=[refund], role="cashier", **options)


class Counter(Flow):
    """A flow that runs an agent."""

    _skip_auto_memory: bool = True  # which it makes for itself, and which takes seconds to import

    @start()
    def serve(self):
        return cashier().kickoff("Refund").raw


def test_an_agent_is_run_by_what_a_user_says():
    cap = run(cashier(), "Refund the lamp")

    assert_that(cap).has_succeeded().has_tool_executed_with("pay_back", {"amount": 50})
    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("cashier", "Refund the lamp", "done")
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


@pytest.mark.parametrize("stream", [False, True])
def test_a_crew_is_run_by_its_inputs(stream):
    cap = run(crew(cashier(), stream=stream), INPUTS)

    assert_that(cap).including_nested().has_succeeded().has_tool_executed_with("pay_back", {"amount": 50})
    assert (cap.invocation.name, cap.invocation.input, cap.output_text) == ("crew", INPUTS, "done")


def test_a_text_is_the_one_input_that_a_crew_has():
    assert run(crew(cashier()), "Ann").invocation.input == {"customer": "Ann"}

    worker = cashier()
    two = Crew(agents=[worker], tasks=[Task(description="{a} {b}", expected_output="x", agent=worker)])
    with pytest.raises(TypeError, match=r"exactly one input; pass a mapping of inputs\. It has a, b"):
        run(two, "Ann")


def test_a_flow_is_run_by_its_inputs():
    cap = run(Counter(), {"day": "Friday"})

    assert [one.name for one in cap.invocation.with_nested()] == ["Counter", "cashier"]
    assert cap.invocation.input == {"day": "Friday"}


def test_a_double_stands_in_for_a_tool_and_no_longer_than_the_run():
    cap = run(cashier(), "Refund", mocks={"pay_back": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("pay_back").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("pay_back").is_equal_to(["paid 50"])


def test_a_double_stands_in_for_a_tool_that_is_asked_for_in_words():
    support = agent(acts("Pay Back", {"amount": 5}), "Thought: x\nFinal Answer: done", tools=[refund], native=False)

    assert_that(run(support, "Refund", mocks={"pay_back": returns("mocked")})).results_of("pay_back").is_equal_to(["mocked"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"pay_back": fails(TimeoutError("no answer"))})

    assert executed(cap.invocation) == [("pay_back", Outcome.FAILED)]
    assert repr(cap.invocation.tool_executions[0].error) == "TimeoutError('no answer')"


def test_an_async_double_stands_in_for_a_tool_of_either_kind():
    async def mocked(amount):
        return f"mocked {amount}"

    cap = run(cashier(), "Refund", mocks={"pay_back": mocked})

    assert_that(cap).results_of("pay_back").is_equal_to(["mocked 50"])


def test_a_call_that_the_real_tool_does_not_take_fails_the_run():
    driven = drive(cashier("much"), "Refund", mocks={"pay_back": returns("mocked")})

    assert driven.problems()[0].startswith("'pay_back' was called in a way that the real tool does not take: 'amount' must be")
    assert "mocked" not in str([one.result for one in driven.capture.invocation.tool_executions])


def test_what_a_tool_has_no_parameter_for_is_dropped_as_crewai_does():
    support = agent(asks_for(("pay_back", {"amount": 5, "why": "broken"}, "c1")), "done", tools=[refund])

    cap = run(support, "Refund", mocks={"pay_back": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("pay_back").is_equal_to(["mocked 5"])


def test_what_a_double_returns_stays_out_of_the_cache_of_a_crew():
    asked = asks_for(("pay_back", {"amount": 5}, "c1"))
    worker = agent(asked, "done", asked, "done", asked, "done", tools=[refund])
    cashiers = crew(worker, cache=True)

    results = [
        run(cashiers, INPUTS, mocks=mocks).invocation.nested_invocations[0].tool_executions[0].result
        for mocks in ({"pay_back": returns("mocked")}, {}, {"pay_back": returns("mocked")})
    ]

    assert results == ["mocked", "paid 5", "mocked"]


def test_tools_are_listed_without_running():
    @tool
    def look(number: str) -> str:
        """Look."""
        return number

    worker = agent(tools=[get_booking, refund])
    assert tools_of(worker) == ["get_booking", "pay_back"]
    assert tools_of(crew(worker, tasks=[task(worker, tools=[look, refund])])) == ["get_booking", "look", "pay_back"]
    assert tools_of(Counter()) is None


def test_a_conversation_tells_an_agent_what_was_said_before():
    booking = agent("Which crossing?", "Booked.")

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    told = str(booking.llm.requests[-1])
    assert told.index("Book a ferry") < told.index("Which crossing?") < told.index("Moss")


def test_a_crew_is_no_partner_in_a_conversation():
    with pytest.raises(NotImplementedError, match="an agent can"), conversation(crew(cashier())) as talk:
        talk.say("Book a ferry")
