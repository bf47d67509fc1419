"""Model calls: what was sent, what came back, and how they failed."""

from __future__ import annotations

from agentassert import ChatModelCall, Status, assert_that
from tests.adapters.kits import QUESTION, Ask, Break, Kit, Request, Say, Tool
from tests.adapters.scenarios.parts import booker, get_booking, only, recording


def model_calls(kit: Kit) -> None:
    """Model calls: messages, tools offered, requests and the text of each response"""
    with recording() as cap:
        kit.run(booker(kit))

    assert len(cap.invocation.own_chat_model_calls) == 2
    first, second = cap.invocation.own_chat_model_calls
    assert [(one.name, one.arguments, one.call_id) for one in first.tool_execution_requests] == [
        ("get_booking", {"number": "MS-777"}, "c1")
    ]
    assert (second.response_text, second.tool_execution_requests) == ("found MS-777", ())
    assert (first.tools_offered, second.tools_offered) == (("get_booking",), ("get_booking",))
    assert [one.completed and not one.failed for one in cap.invocation.model_calls] == [True, True]
    assert len(second.messages) > len(first.messages)
    assert_that(cap).has_own_chat_model_call_count(2).has_model_call_count(ChatModelCall, 2)
    assert_that(cap).chat_model_call(0).has_last_user_message_containing(QUESTION).has_tool_offered("get_booking")


def input_and_output(kit: Kit) -> None:
    """The invocation's name, input, output and status"""
    with recording() as cap:
        result = kit.run(booker(kit))

    invocation = cap.invocation
    assert (invocation.name, invocation.framework, invocation.status) == ("support", kit.framework, Status.COMPLETED)
    assert (cap.output_text, kit.text_of(result)) == ("found MS-777", "found MS-777")
    assert QUESTION in str(invocation.input)
    assert "found MS-777" in str(invocation.output)
    assert (invocation.error, invocation.awaited, invocation.implicit) == (None, None, False)


def token_usage(kit: Kit) -> None:
    """Token usage, per call and in sum"""
    with recording() as cap:
        kit.run(booker(kit))

    calls = [one.token_usage for one in cap.invocation.own_chat_model_calls]
    assert [one and (one.input_tokens, one.output_tokens, one.total_tokens) for one in calls] == [(11, 3, 14), (11, 3, 14)]
    assert_that(cap).has_total_tokens_at_most(28)


def finish_reason(kit: Kit) -> None:
    """The finish reason of the final response"""
    with recording() as cap:
        kit.run(kit.agent(Say("bye")))

    assert_that(cap).has_finish_reason("stop")


def model_error(kit: Kit) -> None:
    """A model call that fails: a failed call of a failed invocation"""
    with recording(expecting_failure=True) as cap:
        kit.run(kit.agent(Break(ConnectionError("no answer"))))

    call = only(cap.invocation.own_chat_model_calls)
    assert (call.failed, repr(call.error)) == (True, "ConnectionError('no answer')")
    assert_that(cap).has_failed_with(ConnectionError).has_failed_with_message_containing("no answer")
    assert_that(cap).has_own_chat_model_call_count(1).has_no_tool_executions()


def model_error_after_a_tool(kit: Kit) -> None:
    """A model call that fails after tools ran: those stay as they ended"""
    with recording(expecting_failure=True) as cap:
        kit.run(
            kit.agent(
                Ask(Request("get_booking", {"number": "1"})), Break(ConnectionError("no answer")), tools=[Tool(get_booking)]
            )
        )

    assert [one.failed for one in cap.invocation.own_chat_model_calls] == [False, True]
    assert_that(cap).has_failed_with(ConnectionError).has_tools_executed_exactly_in_order("get_booking")
