"""What type checkers know about chains; read by them, never run."""

from __future__ import annotations

from typing import Any, assert_type

from agentassert import Capture, ChatModelCall, Invocation, InvocationAssertion, assert_that, capture, execution_of, result_of
from agentassert.assertions.conversation import ConversationAssertion
from agentassert.assertions.model_call import ChatModelCallAssertion
from agentassert.assertions.values import ValueAssertion
from agentassert.conversations import Conversation, rasa


def is_refund(arguments: dict[str, Any]) -> None:
    assert arguments["reason"] == "refund"


def every_assertion_gives_the_chain(cap: Capture, invocation: Invocation) -> None:
    chain = assert_that(cap)
    assert_type(chain, InvocationAssertion)
    assert_type(assert_that(invocation), InvocationAssertion)
    assert_type(chain.including_nested().top_level_only().whole_capture().described_as("flow"), InvocationAssertion)
    assert_type(chain.includingNested().topLevelOnly(), InvocationAssertion)
    assert_type(chain.has_no_tool_executions("a", "b").has_tool_executed("a"), InvocationAssertion)
    assert_type(chain.has_tool_executed_times("a", 1).has_tool_executed_times_at_least("a", 1), InvocationAssertion)
    assert_type(chain.has_tool_executed_with("a", {"id": 1}).has_tool_executed_with("a", is_refund), InvocationAssertion)
    assert_type(chain.has_tool_executed_with("a", lambda arguments: arguments["id"] > 3), InvocationAssertion)
    assert_type(chain.has_tool_executed_with_exactly("a", {"id": result_of("b")}), InvocationAssertion)
    assert_type(chain.has_tools_executed_in_order("a", execution_of("b", {"id": 1})), InvocationAssertion)
    assert_type(chain.has_tools_executed_exactly_in_any_order("a").has_no_more_tool_executions(), InvocationAssertion)
    assert_type(chain.has_model_call_count(1).has_model_call_count(ChatModelCall, 1), InvocationAssertion)
    assert_type(chain.has_failed_with(TimeoutError).was_cancelled().was_blocked().has_succeeded(), InvocationAssertion)
    assert_type(chain.has_nested_invocation_satisfying("a", lambda nested: nested.has_succeeded()), InvocationAssertion)
    assert_type(chain.satisfies("output.id == context.id", {"id": 1}).satisfies("output", context=None), InvocationAssertion)
    assert_type(chain.meets(expected_result="output", expected_tool_calls=["a", {"b": "params.id == 1"}]), InvocationAssertion)
    assert_type(chain.meets(expected_child_agents={"a": {"expected_triggered": 2}}, context={"id": 1}), InvocationAssertion)
    assert_type(chain.matches_snapshot("a", ignoring=["$.id"], mode="subset", results=True), InvocationAssertion)
    assert_type(chain.has_approval_requested("a", {"id": 1}).has_tool_approved("a"), InvocationAssertion)


def navigation_gives_another_chain(cap: Capture) -> None:
    chain = assert_that(cap)
    assert_type(chain.nested_invocation("a"), InvocationAssertion)
    assert_type(chain.chat_model_call(0).has_tool_offered("a").has_response_containing("a"), ChatModelCallAssertion)
    assert_type(chain.output(), ValueAssertion)
    assert_type(chain.arguments_of("a"), ValueAssertion)
    assert_type(assert_that([1, 2]), ValueAssertion)


def a_turn_and_a_conversation_have_a_chain_of_their_own(conversation: Conversation) -> None:
    assert_type(assert_that(conversation), ConversationAssertion)
    chain = assert_that(conversation.turn(0))
    assert_type(chain.in_order().has_flow_started("a").has_flow_completed("a", step="b"), ConversationAssertion)
    assert_type(chain.has_bot_uttered(text_matching="a", buttons=["a", ("b", None), {"title": "c"}]), ConversationAssertion)
    assert_type(rasa.check(conversation, {"flow_started": "a"}, user="a"), rasa.TurnFailure | None)


def blocks_give_the_capture() -> None:
    with capture("name", wait=1, on_doubt="fail") as cap:
        assert_type(cap, Capture)


def wrong_arguments_are_errors(cap: Capture) -> None:
    chain = assert_that(cap)
    chain.has_tool_executed(3)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    chain.has_tool_executed()  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    chain.has_tool_executed_times("a", "1")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    chain.has_tool_executed_with("a", ["id"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    chain.has_tools_executed_in_order(["a", "b"])  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    chain.has_failed_with("TimeoutError")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    chain.has_tool_exceuted("a")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    chain.hasToolExecuted("a")  # type: ignore[attr-defined]  # pyright: ignore[reportAttributeAccessIssue]
    chain.meets(expected_tool_call=["a"])  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]
    chain.chat_model_call("0")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    capture(on_doubt="ignore")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
