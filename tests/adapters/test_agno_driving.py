"""Agents of Agno, run by us: answered, with doubles in the place of their tools, and over several turns."""

from __future__ import annotations

import pytest

pytest.importorskip("agno")

from agno.db.in_memory import InMemoryDb
from agno.team import Team
from agno.tools.function import Function
from agno.tools.toolkit import Toolkit

from agentassert import Decision, Outcome, Status, assert_that, fails, returns, run
from agentassert.conversations import conversation
from agentassert.driving import drive, tools_of
from tests.adapters.agno_parts import agent, executed, gated, get_booking, refund
from tests.scripted.agno import asks_for, scripted


def cashier(amount=50, *, needs=None, **options):
    """An agent that refunds an amount."""
    tool = refund if needs is None else gated(refund, **needs)
    return agent(asks_for(("refund", {"amount": amount}, "c1")), "done", tools=[tool], name="cashier", **options)


CONFIRMED = {"requires_confirmation": True}


def test_agents_and_teams_are_run():
    team = Team(
        name="desk",
        model=scripted(asks_for(("delegate_task_to_member", {"member_id": "cashier", "task": "Refund"}, "d1")), "done"),
        members=[cashier()],
        telemetry=False,
    )
    for driven, name in ((cashier(), "cashier"), (team, "desk")):
        cap = run(driven, "Refund the lamp")

        assert_that(cap).has_succeeded().including_nested().has_tool_executed_with("refund", {"amount": 50})
        assert (cap.invocation.name, cap.output_text) == (name, "done")


def test_a_mapping_is_the_users_message_as_json_text():
    assert run(cashier(), {"article": "lamp"}).invocation.input == '{"article": "lamp"}'


@pytest.mark.parametrize(("decision", "ran"), [("approve", [50]), ("reject", []), ("timeout", [])])
def test_confirmations_are_answered(decision, ran):
    cap = run(cashier(needs=CONFIRMED), "Refund", approvals=[{"tool": "refund", "decision": decision}])

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert [one.decision for one in cap.invocation.approvals] == [Decision(decision)]
    assert [one.arguments["amount"] for one in cap.invocation.tool_executions] == ran


def test_without_a_decision_the_run_waits():
    cap = run(cashier(needs=CONFIRMED), "Refund")

    assert_that(cap).has_approval_requested("refund", {"amount": 50}).has_no_tool_executions("refund")
    assert cap.invocation.status is Status.AWAITING_APPROVAL


def test_what_a_member_of_a_team_waits_for_is_answered_through_the_team():
    team = Team(
        name="desk",
        model=scripted(asks_for(("delegate_task_to_member", {"member_id": "cashier", "task": "Refund"}, "d1")), "done"),
        members=[cashier(needs=CONFIRMED)],
        telemetry=False,
    )
    cap = run(team, "Refund", approvals=[{"tool": "refund", "decision": "approve"}])

    nested = cap.invocation.nested_invocations[0]
    assert [(one.tool, one.decision) for one in nested.approvals] == [("refund", Decision.APPROVE)]
    assert (cap.invocation.status, nested.status, cap.output_text) == (Status.COMPLETED, Status.COMPLETED, "done")
    assert [(one.name, one.outcome) for one in nested.tool_executions] == [("refund", Outcome.SUCCEEDED)]


def test_what_the_user_fills_in_is_an_edit():
    asking = agent(
        asks_for(("refund", {}, "c1")),
        "done",
        tools=[gated(refund, requires_user_input=True, user_input_fields=["amount"])],
    )
    cap = run(asking, "Refund", approvals=[{"tool": "refund", "decision": "approve", "response": '{"amount": 7}'}])

    assert [(one.decision, one.arguments) for one in cap.invocation.approvals] == [(Decision.EDIT, {})]
    assert_that(cap).has_tool_executed_with("refund", {"amount": 7}).has_succeeded()


def test_the_result_of_a_tool_that_runs_elsewhere_is_the_response():
    asking = cashier(needs={"external_execution": True})
    cap = run(asking, "Refund", approvals=[{"tool": "refund", "decision": "approve", "response": "wired"}])

    assert_that(cap).has_succeeded().results_of("refund").is_equal_to(["wired"])
    assert [(one.call_id, one.inferred) for one in cap.invocation.tool_executions] == [("c1", True)]


def test_a_double_stands_in_for_a_function():
    cap = run(cashier(), "Refund", mocks={"refund": lambda amount: f"mocked {amount}"})

    assert_that(cap).results_of("refund").is_equal_to(["mocked 50"])
    assert_that(run(cashier(), "Refund")).results_of("refund").is_equal_to(["paid 50"])


def test_a_double_may_be_async_and_the_function_too():
    async def wire(amount: int) -> str:
        """Pay money back."""
        return f"wired {amount}"

    async def mocked(amount):
        return f"mocked {amount}"

    wiring = agent(asks_for(("wire", {"amount": 5}, "c1")), "done", tools=[wire])

    assert_that(run(wiring, "Go", mocks={"wire": mocked})).results_of("wire").is_equal_to(["mocked 5"])
    assert_that(run(cashier(), "Go", mocks={"refund": mocked})).results_of("refund").is_equal_to(["mocked 50"])


def test_a_replaced_tool_that_needs_a_confirmation_needs_it_still():
    mocks, approvals = {"refund": returns("mocked")}, [{"tool": "refund", "decision": "approve"}]

    assert executed(run(cashier(needs=CONFIRMED), "Refund", mocks=mocks)) == []
    cap = run(cashier(needs=CONFIRMED), "Refund", mocks=mocks, approvals=approvals)
    assert_that(cap).results_of("refund").is_equal_to(["mocked"])


def test_a_double_fails_as_the_tool_would():
    cap = run(cashier(), "Refund", mocks={"refund": fails(TimeoutError("no answer"))})

    assert_that(cap).has_succeeded()
    assert executed(cap) == [("refund", Outcome.FAILED)]
    assert isinstance(cap.invocation.tool_executions[0].error, TimeoutError)


def test_a_call_that_the_real_function_does_not_take_fails_the_run():
    driven = drive(cashier("much"), "Refund", mocks={"refund": returns("mocked")})

    assert driven.problems()[0].startswith("'refund' was called in a way that the real tool does not take: 'amount' must be")
    assert "mocked" not in str([one.result for one in driven.capture.invocation.tool_executions])


def test_tools_are_listed_without_running_the_agent():
    kit = Toolkit(name="kit", tools=[get_booking])
    asking = agent(
        tools=[refund, kit, Function(name="ship", entrypoint=refund), {"type": "function", "function": {"name": "find"}}]
    )

    assert tools_of(asking) == ["find", "get_booking", "refund", "ship"]
    assert tools_of(agent(tools=[Toolkit(name="not connected")])) is None
    assert tools_of(agent(read_chat_history=True)) is None


@pytest.mark.parametrize("database", [None, "own"])
def test_a_conversation_is_one_session(database):
    own = {"db": InMemoryDb(), "add_history_to_context": True} if database else {}
    booking = agent("Which crossing?", "Booked.", **own)

    with conversation(booking) as talk:
        assert talk.say("Book a ferry").bot_messages[0].text == "Which crossing?"
        assert talk.say("Moss").bot_messages[0].text == "Booked."

    assert [message.content for message in booking.model.requests[-1]] == ["Book a ferry", "Which crossing?", "Moss"]
    assert (booking.db is None) is (database is None)
