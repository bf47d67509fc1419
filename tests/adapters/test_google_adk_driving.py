"""Agents of ADK, run by us: answered, with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("google.adk")

from google.adk.apps.app import App
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, BaseTool, FunctionTool, ToolContext
from google.adk.tools.base_toolset import BaseToolset
from google.genai import types

from agentassert import Decision, Outcome, Status, assert_that, fails, returns, run
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.google_adk_parts import agent, executed, experimental, get_booking, refund
from tests.scripted.google_adk import ScriptedModel, asks_for

pytestmark = [
    experimental,
    pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated:DeprecationWarning"),  # ADK's own, in an agent tool
]


def cashier(amount=50, *, gated=False, function=refund, **options):
    """An agent that refunds an amount."""
    script = asks_for(("refund", {"amount": amount}, "c1")), "done"
    return agent(*script, tools=[FunctionTool(function, require_confirmation=gated)], name="cashier", **options)


def test_agents_apps_and_runners_are_run():
    for driven in (
        cashier(),
        App(name="tests", root_agent=cashier()),
        InMemoryRunner(agent=cashier(), app_name="tests"),
    ):
        cap = run(driven, "Refund the lamp")

        assert_that(cap).has_succeeded().has_tool_executed_with("refund", {"amount": 50})
        assert (cap.invocation.name, cap.output_text) == ("cashier", "done")


def test_a_mapping_is_the_users_message_as_json_text():
    cap = run(cashier(), {"article": "lamp"})

    assert cap.invocation.input == '{"article": "lamp"}'


@pytest.mark.parametrize(("decision", "ran"), [("approve", [50]), ("reject", []), ("timeout", [])])
def test_confirmations_are_answered(decision, ran):
    cap = run(cashier(gated=True), "Refund", approvals=[{"tool": "refund", "decision": decision}])

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert [one.decision for one in cap.invocation.approvals] == [Decision(decision)]
    assert [one.arguments["amount"] for one in cap.invocation.tool_executions] == ran


def test_without_a_decision_the_run_waits():
    cap = run(cashier(gated=True), "Refund")

    assert_that(cap).has_approval_requested("refund", {"amount": 50}).has_no_tool_executions("refund")
    assert cap.invocation.status is Status.AWAITING_APPROVAL


def test_what_was_told_with_a_decision_is_the_payload_of_the_confirmation():
    told = []

    def ask(tool_context: ToolContext) -> str:
        """Ask a person."""
        if tool_context.tool_confirmation is None:
            tool_context.request_confirmation(hint="Which?")
            return "waiting"
        told.append(tool_context.tool_confirmation.payload)
        return "asked"

    asking = agent(asks_for(("ask", {}, "c1")), "waiting", "done", tools=[ask])
    run(asking, "Hi", approvals=[{"tool": "ask", "decision": "approve", "response": "the red one"}])

    assert told == ["the red one"]


def test_a_double_stands_in_for_a_function():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_replaced_tool_that_needs_a_confirmation_needs_it_still():
    mocks, approvals = {"refund": returns("mocked")}, [{"tool": "refund", "decision": "approve"}]

    assert executed(run(cashier(gated=True), "Refund", mocks=mocks)) == []
    cap = run(cashier(gated=True), "Refund", mocks=mocks, approvals=approvals)
    assert_that(cap).results_of("refund").is_equal_to(["mocked"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    assert_that(cap).has_failed_with(TimeoutError)
    assert executed(cap) == [("refund", Outcome.FAILED)]


def test_a_call_that_the_real_function_does_not_take_fails_the_run():
    driven = drive(cashier("much"), "Refund", mocks={"refund": returns("mocked")})

    assert driven.problems()[0].startswith("'refund' was called in a way that the real tool does not take: 'amount' must be int")
    assert "mocked" not in str([one.result for one in driven.capture.invocation.tool_executions])


class Shipping(BaseTool):
    """A tool that is no function."""

    def _get_declaration(self):
        schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
        return types.FunctionDeclaration(name=self.name, description="Ship.", parameters_json_schema=schema)

    async def run_async(self, *, args, tool_context):
        return {"shipped": args["to"]}


def shipper(**arguments):
    return agent(asks_for(("ship", arguments, "c1")), "done", tools=[Shipping(name="ship", description="Ship.")])


def test_a_double_stands_in_for_a_tool_of_any_class():
    cap = run(shipper(to="Oslo"), "Ship", mocks={"ship": lambda to: {"mocked": to}})

    assert_that(cap).results_of("ship").is_equal_to([{"mocked": "Oslo"}])
    assert "'to' is missing" in drive(shipper(), "Ship", mocks={"ship": returns(1)}).problems()[0]


def test_tools_are_listed_without_running_the_agent():
    class Remote(BaseToolset):
        async def get_tools(self, readonly_context=None):
            return []

        async def close(self):
            return None

    helper = agent(name="helper", tools=[refund])
    asking = agent(
        tools=[get_booking, AgentTool(helper)], sub_agents=[agent(name="second", tools=[Shipping(name="ship", description="")])]
    )

    assert tools_of(asking) == ["get_booking", "helper"]
    assert tools_of(InMemoryRunner(agent=asking, app_name="tests")) == ["get_booking", "helper"]
    assert tools_of(agent(tools=[Remote()])) is None


def test_a_conversation_is_one_session():
    booking = agent("Which crossing?", "Booked.")

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    model: ScriptedModel = booking.model
    assert [part.text for content in model.requests[-1].contents for part in content.parts] == [
        "Book a ferry",
        "Which crossing?",
        "Moss",
    ]
