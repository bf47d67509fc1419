"""Assertions on one chat model call."""

from __future__ import annotations

import pytest

from agentassert import AmbiguousError, NotRecordedError, assert_that, soft_assertions
from tests.factories import captured, chat, failed_chat, invocation, message

SENT = (
    {"role": "system", "content": "Be polite."},
    {"role": "user", "content": "Hello"},
    {"role": "assistant", "content": None},
    {"role": "user", "content": [{"type": "text", "text": "Cancel "}, "MS-777", {"type": "image"}, 3]},
)
SHOWN = "  system: 'Be polite.'\n  user: 'Hello'\n  assistant: ''\n  user: 'Cancel MS-777'"


def support(**fields):
    return captured(
        invocation("support", calls=[chat("Done.", messages=SENT, tools_offered=("pay", "refund"), **fields), failed_chat()])
    )


def test_each_call_can_be_asserted_on():
    call = assert_that(support()).chat_model_call(0)

    assert call.has_system_message_containing("polite") is call
    call.has_user_message_containing("Hello").has_user_message_containing("Cancel MS-777")
    call.has_last_user_message_containing("MS-777").has_tool_offered("refund").has_response_containing("Done")
    assert_that(support()).chat_model_call(-2).has_response_containing("Done")


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("has_system_message_containing", f"a system message containing 'x',\nbut it is not in it:\n{SHOWN}"),
        ("has_user_message_containing", f"a user message containing 'x',\nbut none of 2 does:\n{SHOWN}"),
        ("has_last_user_message_containing", f"a last user message containing 'x',\nbut it is not in it:\n{SHOWN}"),
        ("has_response_containing", "a response containing 'x',\nbut it was 'Done.'."),
    ],
)
def test_what_was_sent_and_answered_instead_is_shown(method, text):
    shown = message(getattr(assert_that(support()).chat_model_call(0), method), "x")

    assert shown == f"Expected chat model call 0 of invocation 'support' to have {text}"


def test_only_the_last_message_of_the_user_is_the_last_one():
    assert "\nbut it is not in it:\n" in message(
        assert_that(support()).chat_model_call(0).has_last_user_message_containing, "Hello"
    )


def test_an_answer_is_one_whatever_was_not_recorded_beside_it():
    cap = captured(invocation("support", calls=[chat("Done.", completed=False)]))

    assert "\nbut it was 'Done.'." in message(assert_that(cap).chat_model_call(0).has_response_containing, "x")


def test_other_tools_offered_are_shown():
    assert message(assert_that(support()).chat_model_call(0).has_tool_offered, "ship") == (
        "Expected chat model call 0 of invocation 'support' to have offered the tool 'ship',\nbut it offered 'pay', 'refund'."
    )


def test_no_tool_offered_is_not_the_same_as_tools_not_recorded():
    cap = captured(invocation("support", calls=[chat(tools_offered=()), chat()]))

    assert "\nbut it offered no tool." in message(assert_that(cap).chat_model_call(0).has_tool_offered, "pay")
    with pytest.raises(NotRecordedError) as caught:
        assert_that(cap).chat_model_call(1).has_tool_offered("pay")
    assert str(caught.value) == (
        "Expected chat model call 1 of invocation 'support' to have offered the tool 'pay',\n"
        "but the tools offered were not recorded."
    )


def test_a_message_that_was_not_sent_is_said_to_be_missing():
    cap = captured(invocation("support", calls=[chat(messages=SENT[:1])]))

    for method in ("has_user_message_containing", "has_last_user_message_containing"):
        assert "\nbut there is no user message:\n  system: 'Be polite.'" in message(
            getattr(assert_that(cap).chat_model_call(0), method), "x"
        )


@pytest.mark.parametrize(
    ("sent", "method"),
    [
        ({"role": "human", "content": "x"}, "has_user_message_containing"),
        ({"type": "human", "content": "x"}, "has_last_user_message_containing"),
        ({"role": "developer", "content": "x"}, "has_system_message_containing"),
    ],
)
def test_roles_have_other_names_elsewhere(sent, method):
    cap = captured(invocation("support", calls=[chat(messages=[sent])]))

    getattr(assert_that(cap).chat_model_call(0), method)("x")


def test_roles_are_shown_under_one_name_each():
    sent = [{"role": "developer", "content": "Be polite."}, {"role": "human", "content": "Hi"}, {"role": "ai", "content": "Ho"}]
    cap = captured(invocation("support", calls=[chat(messages=sent)]))

    assert message(assert_that(cap).chat_model_call(0).has_system_message_containing, "x").endswith(
        ":\n  system: 'Be polite.'\n  user: 'Hi'\n  assistant: 'Ho'"
    )


@pytest.mark.parametrize(
    ("call", "method", "text"),
    [
        (chat(), "has_user_message_containing", "a user message containing 'x',\nbut the messages were not recorded."),
        (chat(None), "has_response_containing", "a response containing 'x',\nbut what it answered was not recorded."),
        (
            chat(None, messages=SENT, completed=False),
            "has_response_containing",
            "a response containing 'x',\nbut what it answered was not recorded.",
        ),
    ],
)
def test_what_was_not_recorded_decides_nothing(call, method, text):
    with pytest.raises(NotRecordedError) as caught:
        getattr(assert_that(captured(invocation("support", calls=[call]))).chat_model_call(0), method)("x")
    assert str(caught.value) == f"Expected chat model call 0 of invocation 'support' to have {text}"


def test_a_call_that_failed_has_no_response():
    assert message(assert_that(support()).chat_model_call(1).has_response_containing, "x") == (
        "Expected chat model call 1 of invocation 'support' to have a response containing 'x',\nbut it failed with overloaded."
    )


def test_a_response_without_text():
    cap = captured(invocation("support", calls=[chat(None, messages=SENT)]))

    assert "\nbut it was None." in message(assert_that(cap).chat_model_call(0).has_response_containing, "x")


def test_calls_of_tools_and_retrievers_are_not_among_the_own_ones():
    cap = captured(invocation("support", calls=[chat("a", own=False), chat("b")]))

    assert_that(cap).chat_model_call(0).has_response_containing("b")


@pytest.mark.parametrize(("calls", "index", "made"), [([chat()], 1, "1"), ([chat()], -2, "1"), ([], 0, "none")])
def test_a_call_that_was_not_made(calls, index, made):
    assert message(assert_that(captured(invocation("support", calls=calls))).chat_model_call, index) == (
        f"Expected invocation 'support' to have a chat model call of its own at index {index},\n"
        f"but it made {made}.\nTool executions: none"
    )


def test_nested_invocations_need_a_scope():
    cap = captured(invocation("support", calls=[chat("a")], nested=[invocation("reader", calls=[chat("b")])]))

    with pytest.raises(AmbiguousError):
        assert_that(cap).chat_model_call(0)
    assert_that(cap).including_nested().chat_model_call(1).has_response_containing("b")
    assert_that(cap).top_level_only().chat_model_call(-1).has_response_containing("a")


@pytest.mark.parametrize(("index", "shown"), [("0", "'0'"), (True, "True"), (None, "None")])
def test_an_index_is_a_whole_number(index, shown):
    with pytest.raises(TypeError, match=f"chat_model_call: index must be a whole number, but was {shown}"):
        assert_that(support()).chat_model_call(index)


@pytest.mark.parametrize(
    "method",
    [
        "has_system_message_containing",
        "has_user_message_containing",
        "has_last_user_message_containing",
        "has_response_containing",
        "has_tool_offered",
    ],
)
def test_an_empty_text_is_in_everything(method):
    with pytest.raises(ValueError, match=f"{method}: .* must not be empty"):
        getattr(assert_that(support()).chat_model_call(0), method)("")


def test_a_description_stands_before_the_message():
    call = assert_that(support()).described_as("greeting").chat_model_call(0)

    assert message(call.has_response_containing, "x").startswith("[greeting] Expected chat model call 0")


def test_in_a_soft_block_failures_are_collected_and_what_follows_a_missing_call_is_ignored():
    with pytest.raises(AssertionError) as caught, soft_assertions():
        assert_that(support()).chat_model_call(0).has_response_containing("x").has_tool_offered("ship")
        missing = assert_that(support()).chat_model_call(7).has_response_containing("x").has_tool_offered("x")
        missing.has_user_message_containing("x")

    assert [str(one).splitlines()[0] for one in caught.value.failures] == [
        "Expected chat model call 0 of invocation 'support' to have a response containing 'x',",
        "Expected chat model call 0 of invocation 'support' to have offered the tool 'ship',",
        "Expected invocation 'support' to have a chat model call of its own at index 7,",
    ]
