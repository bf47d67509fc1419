"""What the model asked for."""

from __future__ import annotations

import pytest

from agentassert import (
    EmbeddingModelCall,
    NotRecordedError,
    ToolExecutionRequest,
    UnknownToolWarning,
    assert_that,
    capture,
    record,
)
from tests.factories import captured, chat, execution, failed_chat, invocation, message

NONE = "Tool executions: none"


def asking(*requests):
    return captured(invocation("support", calls=[chat(requests=requests)]))


def test_a_request_counts_whether_it_ran_or_not():
    cap = asking(ToolExecutionRequest(name="pay", answered=True), "refund")

    assert_that(cap).has_tool_requested("pay").has_tool_requested("refund")
    assert_that(cap).has_no_tool_requested("delete_account", "refuse")
    assert_that(asking()).has_no_tool_requested()


@pytest.mark.parametrize(
    ("method", "arguments", "text"),
    [
        ("has_tool_requested", ("refund",), "to have requested 'refund',\nbut the model requested 'ask', 'pay'."),
        ("has_no_tool_requested", (), "to have requested no tool,\nbut the model requested 'ask', 'pay'."),
        ("has_no_tool_requested", ("x", "pay"), "to have requested none of 'x', 'pay',\nbut the model requested 'ask', 'pay'."),
    ],
)
def test_what_was_requested_instead_is_shown(method, arguments, text):
    shown = message(getattr(assert_that(asking("pay", "ask", "pay")), method), *arguments)

    assert shown == f"Expected invocation 'support' {text}\n{NONE}\nRequested, never executed: pay(...), pay(...), ask(...)"


def test_what_was_requested_and_never_ran_is_shown_with_its_arguments_below_the_executions():
    answered = ToolExecutionRequest(name="look", answered=True)
    misspelt = ToolExecutionRequest(name="find_ordr", arguments={"order_id": "A1"})
    calls = [chat(requests=[answered, misspelt], tools_offered=("find_order", "look"))]
    cap = captured(invocation("support", execution("look"), calls=calls))
    listed = "Tool executions:\n  [1] look() -> 'ok'\nRequested, never executed: find_ordr(order_id='A1')"

    assert message(assert_that(cap).has_tool_executed, "find_order") == (
        f"Expected invocation 'support' to have executed 'find_order',\nbut it was never executed.\n{listed}"
    )
    assert message(assert_that(cap).has_tool_executed, "find_ordr") == (
        "Expected invocation 'support' to have executed 'find_ordr',\nbut it was never executed.\n"
        f"The model requested 'find_ordr', which it was not offered. Did you mean 'find_order'?\n{listed}"
    )


def test_a_name_that_the_model_made_up_is_not_taken_for_a_typing_error_of_the_test():
    cap = captured(invocation("support", calls=[chat(requests=["find_ordr"], tools_offered=("find_order",))]))

    assert_that(cap).has_no_tool_executions("find_ordr")
    with pytest.warns(UnknownToolWarning):
        assert_that(cap).has_no_tool_executions("find_odr")


@pytest.mark.parametrize(
    ("written", "ran"),
    [
        ("delete_acount", "delete_account"),
        ("delete_acccount", "delete_account"),
        ("delete_accuont", "delete_account"),
        ("delete_accounts", "delete_account"),
        ("deleteAccount", "delete_account"),
        ("Delete-Account", "delete_account"),
        ("pay!", "pay"),
    ],
)
def test_where_nobody_saw_what_was_offered_a_name_a_slip_away_from_one_that_ran_is_called_out(written, ran):
    cap = captured(invocation("support", execution("look"), execution(ran)))

    with pytest.warns(UnknownToolWarning, match=f"No tool '{written}' was executed, but '{ran}' was.$"):
        assert_that(cap).has_no_tool_executions(written)
    assert cap.health.doubts == (
        f"No tool '{written}' was executed, but '{ran}' was. A misspelt name would make a negative assertion pass for ever.",
    )


@pytest.mark.parametrize(
    ("written", "ran"),
    [
        ("get_booking", "set_booking"),
        ("get_booking", "cancel_booking"),
        ("search_1", "search_2"),
        ("search", "search2"),
        ("search", "research2"),
        ("read_a_file", "read_the_file"),
        ("pay", "pray"),
        ("log", "lgo"),
        ("delete_account", "delete_accounts_of"),
    ],
)
def test_a_name_of_another_tool_is_not(written, ran):
    cap = captured(invocation("support", execution(ran)))

    assert_that(cap).has_no_tool_executions(written)
    assert cap.health.doubts == ()


def test_nor_is_one_that_the_model_asked_for_or_of_a_function_that_would_have_been_seen():
    @record.tool
    def look_it_up():
        raise NotImplementedError

    with capture() as cap, record.invocation("support"):
        record.tool_execution("look_it_upp", {}, result=1)

    assert_that(cap).has_no_tool_executions("look_it_up")
    asked = captured(invocation("support", execution("refund"), calls=[chat(requests=["refnd"])]))
    assert_that(asked).has_no_tool_executions("refnd")
    assert (*cap.health.doubts, *asked.health.doubts) == ()


def test_nor_is_one_that_ran_as_often_as_it_might():
    cap = captured(invocation("support", execution("refund"), execution("refunds")))

    assert_that(cap).has_tool_executed_times_at_most("refund", 1)
    assert cap.health.doubts == ()


def test_while_the_block_is_open_a_request_may_still_be_answered():
    with capture() as cap, record.invocation("support"):
        with record.model_call("small", messages="Pay") as call:
            call.respond(tool_execution_requests=[{"name": "pay", "arguments": {"amount": 5}}])
        shown = message(assert_that(cap).has_tool_requested, "refund")

    assert shown.endswith("\nRequested, not executed so far: pay(amount=5)")


def test_a_model_that_requested_nothing():
    assert "\nbut the model requested no tool." in message(assert_that(asking()).has_tool_requested, "pay")


@pytest.mark.parametrize("calls", [(), (chat(own=False, requests=["pay"]),)])
@pytest.mark.parametrize(("method", "expected"), [("has_tool_requested", "'pay'"), ("has_no_tool_requested", "none of 'pay'")])
def test_without_a_chat_model_call_of_its_own_nobody_knows_what_was_requested(calls, method, expected):
    cap = captured(invocation("support", calls=calls))

    with pytest.raises(NotRecordedError) as caught:
        getattr(assert_that(cap), method)("pay")
    assert str(caught.value) == (
        f"Expected invocation 'support' to have requested {expected},\n"
        "but no chat model call was recorded, so nobody knows.\n"
        "Requests are seen where the model answers, and nowhere else: "
        f"by an adapter of its SDK or framework, or by `record.model_call(...)`.\n{NONE}"
    )


def test_a_failed_call_requested_nothing():
    assert_that(captured(invocation("support", calls=[failed_chat()]))).has_no_tool_requested()


def test_of_a_call_whose_answer_nobody_saw_nobody_knows_what_it_requested():
    silent = chat(completed=False, requests=())
    cap = captured(invocation("support", calls=[chat(requests=["pay"]), silent]))

    assert_that(cap).has_tool_requested("pay")
    with pytest.raises(NotRecordedError, match="\nbut a chat model call ended without an answer that was seen"):
        assert_that(cap).has_no_tool_requested("refund")


@pytest.mark.parametrize("other", [chat(None, own=False, completed=False), EmbeddingModelCall(id="", completed=False)])
def test_an_answer_to_somebody_else_requested_nothing_of_the_agent(other):
    assert_that(captured(invocation("support", calls=[chat(), other]))).has_no_tool_requested()


def test_an_adapter_that_cannot_see_requests_does_not_say_that_there_were_none():
    cap = captured(invocation("support", calls=[chat()], recorded_by=("blind",)), visibility={"blind": frozenset({"chat"})})

    with pytest.raises(
        NotRecordedError, match=r"\nbut the 'blind' adapter cannot see requests\.\nRequests are seen where the model"
    ):
        assert_that(cap).has_no_tool_requested("pay")


@pytest.mark.parametrize("method", ["has_tool_requested", "has_no_tool_requested"])
def test_the_name_of_a_requested_tool_is_text(method):
    with pytest.raises(TypeError, match=f"{method}: name must be a string, but was None"):
        getattr(assert_that(asking()), method)(None)
