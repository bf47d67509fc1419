"""Message lists that tell less than all: nothing passes on the absence of what they leave out."""

from __future__ import annotations

import pytest

from agentassert import Capture, MessageError, NotRecordedError, Outcome, assert_that
from tests.storing.test_messages import USER, asks, call, returns, says

STAND_IN = {
    "reference": {"type": "item_reference", "id": "x"},
    "summary": {"type": "compaction", "id": "x", "encrypted_content": "…"},
    "anthropic summary": {
        "role": "assistant",
        "content": [{"type": "compaction", "content": "…"}, {"type": "text", "text": "Hm."}],
    },
}
INCOMPLETE = {
    "result without its request": [USER, returns("paid"), says("Done.")],
    "result before its request": [USER, returns("paid"), asks(call("look", {})), says("Done.")],
    "function result without its request": [USER, {"role": "function", "name": "pay", "content": "paid"}, says("Done.")],
    "no answer to a result": [USER, asks(call("look", {})), returns("x")],
    "no answer to the user": [USER, says("Hi"), USER],
    **{name: [USER, item, says("Done.")] for name, item in STAND_IN.items()},
}


@pytest.mark.parametrize("messages", INCOMPLETE.values(), ids=INCOMPLETE)
def test_nothing_passes_on_the_absence_of_a_tool_whose_request_may_be_missing(messages):
    chain = assert_that(Capture.from_messages(messages, name="support"))
    for check in (
        lambda: chain.has_no_tool_executions("pay"),
        lambda: chain.has_tool_executed_times_at_most("pay", 1),
        lambda: chain.meets(expected_no_tool_calls=["pay"]),
        lambda: chain.meets(expected_tool_calls=[{"pay": "invocations <= 1"}]),
    ):
        with pytest.raises(NotRecordedError, match="without an answer that was seen") as told:
            check()
        assert "Store the whole list of messages: up to the model's last answer" in str(told.value)
        assert "stream" not in str(told.value)


def test_what_is_missing_changes_nothing_about_what_is_there():
    cap = Capture.from_messages([returns("paid", "gone"), USER, asks(call("look", {})), returns("x"), says("Done.")])
    chain = assert_that(cap)

    assert cap.output == "Done."
    chain.chat_model_call(1).has_last_user_message_containing("MS-777")
    chain.meets(expected_tool_calls=["look"])
    assert cap.health.doubts == ("results of tools whose request is not in the messages, which are not recorded: 1",)


def test_a_result_that_came_twice_hides_no_request():
    cap = Capture.from_messages([USER, asks(call("look", {})), returns("x"), returns("x"), says("Done.")])

    assert cap.health.doubts == ("results of requests that were answered before, which are not recorded: 1",)
    assert_that(cap).has_no_tool_executions("pay")


def test_one_result_for_two_requests_of_the_same_id_answers_neither():
    cap = Capture.from_messages([USER, asks(call("pay", {}), call("look", {})), returns("x"), says("Done.")])

    assert [(one.name, one.outcome, one.may_not_have_run) for one in cap.invocation.tool_executions] == [
        ("pay", Outcome.UNKNOWN, True),
        ("look", Outcome.UNKNOWN, True),
    ]
    assert "requests that share an id and were answered in part" in cap.health.doubts[0]


ASKED_BY_LANGCHAIN = {
    "tool_calls of OpenAI": {"content": "", "additional_kwargs": {"tool_calls": [call("pay", {"n": 1}, "c")]}},
    "function_call of OpenAI": {"content": "", "additional_kwargs": {"function_call": {"name": "pay", "arguments": '{"n": 1}'}}},
    "tool_use of Anthropic": {"content": ["Hm.", {"type": "tool_use", "id": "c", "name": "pay", "input": {"n": 1}}]},
}


@pytest.mark.parametrize("asked", ASKED_BY_LANGCHAIN.values(), ids=ASKED_BY_LANGCHAIN)
def test_requests_that_langchain_has_in_its_providers_words_alone_are_seen(asked):
    by_name = {"type": "function", "name": "pay", "content": "ok"}
    result = by_name if "function_call" in str(asked) else {"type": "tool", "tool_call_id": "c", "content": "ok"}
    cap = Capture.from_messages(
        [{"type": "human", "content": "x"}, {"type": "ai", **asked}, result, {"type": "ai", "content": "y"}]
    )

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.result) == ("pay", {"n": 1}, "ok")
    assert not cap.health.doubts


@pytest.mark.parametrize(
    ("message", "place"),
    [
        (asks(call("", {})), r"tool_calls\[0\]\.function\.name: is empty"),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "", "input": {}}]},
            r"content\[0\]\.name: is empty",
        ),
        ({"type": "function_call", "call_id": "c", "name": "", "arguments": "{}"}, "name: is empty"),
        (
            {"type": "ai", "content": "", "additional_kwargs": {"tool_calls": [{"id": "c"}]}},
            r"additional_kwargs\.tool_calls\[0\]\.function: is missing",
        ),
        ({"type": "ai", "content": [{"type": "tool_use", "id": "c"}]}, r"content\[0\]\.name: is missing"),
        ({"role": "system", "content": "x", "tool_calls": [call("pay", {})]}, "tool_calls: does not belong there"),
    ],
)
def test_a_request_for_a_tool_without_a_name_is_refused(message, place):
    with pytest.raises(MessageError, match=rf"^messages\[0\]\.{place}"):
        Capture.from_messages([message])
