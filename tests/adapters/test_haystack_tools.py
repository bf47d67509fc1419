"""The tools of Haystack's agents: what is recorded of them is what was asked for, what they did, and the error itself."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("haystack")

from haystack.components.agents import State
from haystack.dataclasses import ChatMessage
from haystack.tools import Tool, create_tool_from_function
from haystack.tools.errors import ToolInvocationError

from agentassert import Decision, Outcome, Status, assert_that, capture
from agentassert.adapters.base import HookMissingError
from agentassert.adapters.haystack.adapter import HaystackAdapter
from tests.adapters.haystack_parts import IS_OLD, agent, executed, gated_by, gates, get_booking, humans, refund, said
from tests.adapters.scenarios.parts import fragile, recording
from tests.scripted.haystack import ScriptedChatGenerator, asks_for

FRAGILE = asks_for(("fragile", {"x": 1}, "c1"))
PAY = asks_for(("refund", {"amount": 50}, "c1"))


def test_what_the_model_is_told_of_a_failure_stands_beside_the_error():
    with recording() as cap:
        agent(FRAGILE, "sorry", tools=[fragile]).run(**said())

    (execution,) = cap.invocation.tool_executions
    assert (repr(execution.error), execution.outcome) == ("ValueError('kaput')", Outcome.FAILED)
    assert execution.result == "Failed to invoke Tool `fragile` with parameters {'x': 1}. Error: kaput"
    assert cap.invocation.model_calls[1].messages[-1]["status"] == "error"


def test_a_tool_of_a_class_of_its_own_is_recorded():
    class Own(Tool):
        def invoke(self, **kwargs):
            if kwargs["x"] > 1:
                raise ToolInvocationError("too much", tool_name=self.name)
            return {"x": kwargs["x"]}

    own = Own(name="own", description="d", parameters={"type": "object", "properties": {"x": {}}}, function=lambda x: x)
    asked = asks_for(("own", {"x": 1}, "c1"), ("own", {"x": 2}, "c2"))
    with recording() as cap:
        agent(asked, "done", tools=[own]).run(**said())

    good, bad = cap.invocation.tool_executions
    assert (good.result, good.raw_result, bad.outcome, repr(bad.error)) == (
        {"x": 1},
        {"x": 1},
        Outcome.FAILED,
        "ToolInvocationError('too much')",
    )


def test_what_the_state_adds_is_no_argument_of_the_model():
    def book(seats, state, user="nobody"):
        state.set("booked", seats)
        return f"{seats} for {user}"

    book.__annotations__ = {"seats": int, "state": State, "user": str}  # as they are where no annotation is put off
    tool = create_tool_from_function(book, description="Book.", inputs_from_state={"customer": "user"})
    booking = agent(
        asks_for(("book", {"seats": 2}, "c1")),
        "done",
        tools=[tool],
        state_schema={"customer": {"type": str}, "booked": {"type": int}},
    )
    with recording() as cap:
        booking.run(**said(), customer="Ann")

    assert_that(cap).has_tool_executed_with_exactly("book", {"seats": 2}).results_of("book").is_equal_to(["2 for Ann"])
    assert_that(cap).output_at("$.booked").is_equal_to(2)


def test_parameters_may_have_any_name():
    def ask(tool: str, call: str) -> str:
        """Ask about a tool."""
        return f"{tool}: {call}"

    arguments = {"tool": "hammer", "call": "Ann"}
    asking = agent(
        asks_for(("ask", arguments, "c1")), "done", tools=[ask], state_schema={"agent": {"type": str}, "event": {"type": str}}
    )
    with recording() as cap:
        asking.run(**said(), agent="007", event="gala")

    assert cap.invocation.input == {"messages": "hi", "agent": "007", "event": "gala"}
    assert_that(cap).has_tool_executed_with_exactly("ask", arguments).results_of("ask").is_equal_to(["hammer: Ann"])


def test_an_unknown_tool_beside_a_known_one_was_only_requested():
    asked = asks_for(("nope", {}, "c1"), ("get_booking", {"number": "1"}, "c2"))
    with recording() as cap:
        agent(asked, "done", tools=[get_booking]).run(**said())

    assert [(one.name, one.call_id) for one in cap.invocation.tool_executions] == [("get_booking", "c2")]
    assert [one.answered for one in cap.invocation.tool_execution_requests] == [False, True]


def test_requests_without_ids_are_told_apart():
    asked = asks_for(("get_booking", {"number": "1"}, None), ("get_booking", {"number": "2"}, None))
    with recording() as cap:
        agent(asked, "done", tools=[get_booking]).run(**said())

    assert [one.arguments for one in cap.invocation.tool_executions] == [{"number": "1"}, {"number": "2"}]
    assert_that(cap).has_tools_executed_exactly_in_order("get_booking", "get_booking")


def test_a_failure_among_parallel_tools_leaves_the_others_as_they_ended():
    asked = asks_for(("fragile", {"x": 1}, "c1"), ("get_booking", {"number": "1"}, "c2"))
    failing = agent(asked, "never", tools=[fragile, get_booking], raise_on_tool_invocation_failure=True)
    with recording(expecting_failure=True) as cap:
        failing.run(**said())

    assert executed(cap) == [("fragile", Outcome.FAILED), ("get_booking", Outcome.SUCCEEDED)]
    assert_that(cap).has_failed_with(ToolInvocationError).has_failed_with(ValueError)


def test_a_tool_waits_for_a_worker_before_it_starts():
    asked = asks_for(("get_booking", {"number": "1"}, "c1"), ("refund", {"amount": 5}, "c2"))
    limit = (
        {"tool_concurrency_limit": 1}
        if hasattr(agent(), "tool_concurrency_limit")
        else {"tool_invoker_kwargs": {"max_workers": 1}}
    )
    with recording() as cap:
        agent(asked, "done", tools=[get_booking, refund], **limit).run(**said())

    assert_that(cap).has_tool_finished_before("get_booking", "refund")


def test_a_tool_that_a_program_calls_is_an_execution_too():
    tool, broken = create_tool_from_function(refund), create_tool_from_function(fragile)
    with recording() as cap:
        (call,) = ScriptedChatGenerator(PAY).run([ChatMessage.from_user("hi")], tools=[tool])["replies"][0].tool_calls
        tool.invoke(**call.arguments)
        with pytest.raises(ToolInvocationError):
            broken.invoke(x=1)
        if not IS_OLD:
            asyncio.run(tool.invoke_async(amount=60))

    first, second, *others = cap.invocation.tool_executions
    assert (first.arguments, first.result, first.outcome) == ({"amount": 50}, "paid 50", Outcome.SUCCEEDED)
    assert (second.name, second.outcome) == ("fragile", Outcome.FAILED)
    assert [one.result for one in others] == ([] if IS_OLD else ["paid 60"])
    assert_that(cap).has_tool_execution_failed("fragile")


def test_outside_of_a_capture_tools_are_called_as_they_are():
    met = []

    class Own(Tool):
        def invoke(self, **kwargs):
            met.append(type(self).__name__)
            return "done"

    own = Own(name="own", description="d", parameters={"type": "object", "properties": {}}, function=lambda: None)
    asking = agent(asks_for(("own", {}, "c1")), "done", tools=[own])
    with capture():
        pass
    assert asking.run(**said())["last_message"].text == "done"
    assert met == ["Own"]


def person(*answers):
    """One who gives these answers, and what was asked."""
    left, asked = list(answers), []

    def ask(tool, arguments):
        asked.append((tool, arguments))
        return left.pop(0)

    return ask, asked


def test_a_policy_that_remembers_asks_once():
    ask, asked = person(("confirm", None, None))
    asking = agent(PAY, PAY, "done", tools=[refund], **gates(["refund"], ask, humans.AskOncePolicy()))
    with recording() as cap:
        asking.run(**said())

    assert asked == [("refund", {"amount": 50})]
    assert [one.decision for one in cap.invocation.approvals] == [Decision.APPROVE]
    assert_that(cap).has_tool_executed_times("refund", 2)


def test_a_person_is_asked_in_async_code_too():
    ask, _ = person(("reject", "not now", None))
    asking = agent(PAY, "done", tools=[refund], **gates(["refund"], ask))

    async def run():
        with recording() as cap:
            await asking.run_async(**said())
        return cap

    cap = asyncio.run(run())
    assert [(one.decision, one.reason) for one in cap.invocation.approvals] == [(Decision.REJECT, "not now")]
    assert cap.invocation.status is Status.COMPLETED
    assert executed(cap) == []


def test_an_error_of_what_asks_is_the_runs_own():
    def ask(tool, arguments):
        raise ConnectionError("no terminal")

    with recording(expecting_failure=True) as cap:
        agent(PAY, "done", tools=[refund], **gates(["refund"], ask)).run(**said())

    assert_that(cap).has_failed_with(ConnectionError).has_approval_requested("refund", {"amount": 50})


def test_the_strategy_of_an_agent_is_left_as_it_is():
    ask, _ = person(("confirm", None, None))
    made = gates(["refund"], ask)
    with recording():
        agent(PAY, "done", tools=[refund], **made).run(**said())

    strategies = made.get("confirmation_strategies") or made["hooks"]["before_tool"][0].confirmation_strategies
    assert type(strategies["refund"].confirmation_ui).__name__ == "Person"


def test_an_agent_that_asks_within_a_tool_keeps_the_outer_one_waiting():
    seen = []
    with recording() as cap:

        def ask(tool, arguments):
            seen.extend(one.status for top in cap.invocations for one in top.with_nested())
            return "confirm", None, None

        inner = agent(PAY, "paid", tools=[refund], **gates(["refund"], ask))

        def delegate() -> str:
            """Ask another agent."""
            return inner.run(**said())["last_message"].text

        agent(asks_for(("delegate", {}, "d1")), "done", tools=[delegate]).run(**said())

    assert seen == [Status.AWAITING_APPROVAL, Status.AWAITING_APPROVAL]
    assert [one.status for one in cap.invocation.with_nested()] == [Status.COMPLETED, Status.COMPLETED]


class Desk:
    """A strategy of the program's own, which decides by the amount."""

    def run(self, *, tool_name, tool_description, tool_params, tool_call_id=None, confirmation_strategy_context=None):
        if tool_params["amount"] > 100:
            return humans.ToolExecutionDecision(tool_name, execute=False, tool_call_id=tool_call_id, feedback="too much")
        amount = min(tool_params["amount"], 50)
        return humans.ToolExecutionDecision(
            tool_name, execute=True, tool_call_id=tool_call_id, final_tool_params={"amount": amount}
        )

    async def run_async(self, **inputs):
        return self.run(**inputs)


@pytest.mark.parametrize(
    ("amount", "decision", "ran"), [(20, Decision.APPROVE, [20]), (80, Decision.EDIT, [50]), (500, Decision.REJECT, [])]
)
@pytest.mark.parametrize("is_async", [False, True])
def test_a_strategy_of_the_programs_own_decides(amount, decision, ran, is_async):
    asking = agent(asks_for(("refund", {"amount": amount}, "c1")), "done", tools=[refund], **gated_by({"refund": Desk()}))
    with recording() as cap:
        asyncio.run(asking.run_async(**said())) if is_async else asking.run(**said())

    assert [(one.arguments, one.decision) for one in cap.invocation.approvals] == [({"amount": amount}, decision)]
    assert [one.arguments["amount"] for one in cap.invocation.tool_executions] == ran
    assert cap.invocation.status is Status.COMPLETED


@pytest.mark.skipif(IS_OLD, reason="Haystack 2 runs its tools elsewhere")
@pytest.mark.parametrize("change", [lambda: None, lambda: lambda tool, args: None])
def test_another_way_to_run_tools_is_said(monkeypatch, change):
    from haystack.components.agents import tool_calling

    monkeypatch.setattr(tool_calling, "_make_context_bound_invoke", change())
    with pytest.raises(HookMissingError, match=r"has no function '_make_context|makes the calls of tools in another way"):
        HaystackAdapter().attach()
