"""What ADK tells of its tools, and what it does not."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("google.adk")

from google.adk.plugins.base_plugin import BasePlugin
from google.adk.tools import BaseTool, FunctionTool, LongRunningFunctionTool, ToolContext
from google.genai import types

from agentassert import Decision, Outcome, Status, assert_that, capture, record
from tests.adapters.google_adk_parts import agent, answers, executed, experimental, get_booking, refund, run
from tests.scripted.google_adk import asks_for

pytestmark = experimental


def test_a_request_gets_the_id_that_adk_makes_where_the_model_gave_none():
    support = agent(
        asks_for(("get_booking", {"number": "1"}, None), ("get_booking", {"number": "2"}, None)), "done", tools=[get_booking]
    )

    with capture(on_doubt="fail") as cap:
        run(support)

    executions, requests = cap.invocation.tool_executions, cap.invocation.tool_execution_requests
    assert [one.arguments["number"] for one in executions] == ["1", "2"]
    assert [one.call_id for one in executions] == [one.call_id for one in requests]
    assert all(one.call_id.startswith("adk-") and one.answered for one in requests)


def test_missing_arguments_are_a_failure_though_adk_raises_nothing():
    with capture() as cap:
        run(agent(asks_for(("get_booking", {}, "c1")), "sorry", tools=[get_booking]))

    assert executed(cap) == [("get_booking", Outcome.FAILED)]
    assert "mandatory" in str(cap.invocation.tool_executions[0].error)


def test_a_result_that_tells_of_an_error_is_a_failure():
    def find(number: str) -> dict[str, str]:
        """Find a booking."""
        return {"error": f"no booking {number}"} if number == "1" else {"error": "", "found": number}

    asked = asks_for(("find", {"number": "1"}, "c1"), ("find", {"number": "2"}, "c2"))
    with capture() as cap:
        run(agent(asked, "sorry", tools=[find]))

    failed, succeeded = cap.invocation.tool_executions
    assert (failed.outcome, failed.error, failed.result) == (Outcome.FAILED, "no booking 1", {"error": "no booking 1"})
    assert succeeded.outcome is Outcome.SUCCEEDED


def test_a_tool_that_a_callback_answers_for_did_not_run():
    def cached(tool, args, tool_context):
        return {"number": "from the cache"}

    with capture() as cap:
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[get_booking], before_tool_callback=cached))

    assert_that(cap).has_tool_requested("get_booking").has_no_tool_executions("get_booking")


def test_the_result_is_the_tools_own_whatever_callbacks_make_of_it():
    def changed(tool, args, tool_context, tool_response):
        return {"number": "changed"}

    with capture() as cap:
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[get_booking], after_tool_callback=changed))

    assert_that(cap).results_of("get_booking").is_equal_to([{"number": "1", "customer": "Ann"}])


class Doubled(FunctionTool):
    """A class of the user's own, whose method calls the one that it overrides."""

    async def run_async(self, *, args, tool_context):
        first = await super().run_async(args=args, tool_context=tool_context)
        return {"twice": [first, await super().run_async(args=args, tool_context=tool_context)]}


def test_a_method_that_calls_the_one_that_it_overrides_is_one_execution():
    with capture() as cap:
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[get_booking]))  # its class is wrapped now
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[Doubled(get_booking)]))

    assert [len(one.tool_executions) for one in cap.invocations] == [1, 1]
    assert set(cap.invocations[1].tool_executions[0].result) == {"twice"}


def test_a_tool_that_a_program_calls_without_an_agent_is_an_execution():
    with capture() as cap, record.invocation("mine"):
        asyncio.run(FunctionTool(get_booking).run_async(args={"number": "1"}, tool_context=None))

    assert_that(cap).results_of("get_booking").is_equal_to([{"number": "1", "customer": "Ann"}])


class Answering:
    """No tool by itself: it runs those that are made with it."""

    async def run_async(self, *, args, tool_context):
        return {"number": args["number"]}


class Mixed(Answering, FunctionTool):
    pass


def test_a_tool_whose_method_comes_from_a_mixin_is_one_execution():
    with capture() as cap:
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[Mixed(get_booking)]))

    assert_that(cap).results_of("get_booking").is_equal_to([{"number": "1"}])


def test_a_long_running_tool_ran_when_it_was_started():
    def order(item: str) -> dict[str, str]:
        """Order something, which takes a while."""
        return {"status": "pending"}

    with capture() as cap:
        run(agent(asks_for(("order", {"item": "lamp"}, "c1")), "ordered", tools=[LongRunningFunctionTool(order)]))

    assert_that(cap).has_succeeded().results_of("order").is_equal_to([{"status": "pending"}])


def test_a_plugin_of_the_users_sees_what_it_sees_without_us():
    heard = []

    class Plugin(BasePlugin):
        async def after_tool_callback(self, *, tool, tool_args, tool_context, result):
            heard.append((tool.name, result))

    plugin = Plugin("mine")
    with capture():
        run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "done", tools=[get_booking]), plugins=[plugin])

    assert heard == [("get_booking", {"number": "1", "customer": "Ann"})]


def test_a_tool_that_asks_whether_it_may_go_on_did_not_run_until_it_was_told():
    def pay(amount: int, tool_context: ToolContext) -> dict[str, str]:
        """Pay, once somebody has agreed."""
        if tool_context.tool_confirmation is None:
            tool_context.request_confirmation(hint="Pay?")
            return {"status": "waiting"}
        return {"status": "paid" if tool_context.tool_confirmation.confirmed else "not paid"}

    with capture() as cap:
        run(agent(asks_for(("pay", {"amount": 5}, "p1")), "waiting", "done", tools=[pay]), "pay", answers(True))

    assert [one.decision for one in cap.invocation.approvals] == [Decision.APPROVE]
    assert_that(cap).results_of("pay").is_equal_to([{"status": "paid"}])


def test_a_confirmation_may_come_as_json_text():
    gated = FunctionTool(refund, require_confirmation=True)

    with capture() as cap:
        run(agent(asks_for(("refund", {"amount": 5}, "p1")), "done", tools=[gated]), "pay", answers(True, as_text=True))

    assert_that(cap).has_tool_approved("refund").has_tool_executed_with("refund", {"amount": 5})


def test_a_new_question_leaves_what_was_asked_unanswered():
    gated = FunctionTool(refund, require_confirmation=True)

    with capture() as cap:
        run(agent(asks_for(("refund", {"amount": 5}, "p1")), "something else", tools=[gated]), "pay", "never mind")

    assert [one.status for one in cap.invocations] == [Status.AWAITING_APPROVAL, Status.COMPLETED]


class Echo(BaseTool):
    """A tool that is no function."""

    def _get_declaration(self):
        return types.FunctionDeclaration(name=self.name, description=self.description)

    async def run_async(self, *, args, tool_context):
        return {"echo": args}


def test_a_tool_of_any_class_is_recorded():
    with capture() as cap:
        run(agent(asks_for(("echo", {"a": 1}, "c1")), "done", tools=[Echo(name="echo", description="Echo.")]))

    assert_that(cap).results_of("echo").is_equal_to([{"echo": {"a": 1}}])
