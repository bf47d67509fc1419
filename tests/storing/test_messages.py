"""Captures of message lists: what each kind of messages tells."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentassert import Capture, FinishReason, MessageError, NotRecordedError, Outcome, Status, assert_that
from agentassert.turns import Conversation

USER = {"role": "user", "content": "MS-777?"}


def call(name, arguments, call_id="call_0"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def asks(*calls):
    return {"role": "assistant", "content": None, "tool_calls": list(calls)}


def returns(content, call_id="call_0"):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def says(text):
    return {"role": "assistant", "content": text}


def told(messages, **options):
    """The executions of a list, as far as they differ."""
    executions = Capture.from_messages(messages, **options).invocation.tool_executions
    assert all(one.inferred for one in executions)
    return [(one.name, one.arguments, one.result, one.outcome) for one in executions]


def test_a_list_is_one_invocation_with_what_ran_between_the_answers():
    messages = [
        {"role": "system", "content": "Be kind."},
        USER,
        asks(call("look", {"id": 7})),
        returns('{"fee": 12}'),
        says("12."),
    ]

    cap = Capture.from_messages(messages, name="support")
    invocation = cap.invocation

    assert (cap.name, invocation.name, invocation.status, invocation.output) == ("support", "support", Status.COMPLETED, "12.")
    assert told(messages) == [("look", {"id": 7}, {"fee": 12}, Outcome.UNKNOWN)]
    assert [one.response_text for one in invocation.own_chat_model_calls] == ["", "12."]
    assert [len(one.messages) for one in invocation.own_chat_model_calls] == [2, 4]
    assert (cap.health.doubts, cap.is_open) == ((), False)
    assert_that(cap).chat_model_call(1).has_last_user_message_containing("MS-777").has_system_message_containing("kind")


def test_a_result_without_a_flag_means_success_only_if_the_user_says_so():
    messages = [USER, asks(call("pay", {"amount": 5})), returns("paid"), says("Done.")]

    with pytest.raises(NotRecordedError, match="unreported_tools"):
        assert_that(Capture.from_messages(messages)).has_tool_executed("pay")
    assert_that(Capture.from_messages(messages, unreported_tools="succeeded")).has_tool_executed_with("pay", {"amount": 5})


def test_what_no_message_tells_is_not_recorded():
    chain = assert_that(Capture.from_messages([USER, says("Hi")]))
    for check in (
        lambda: chain.has_model_call_count(1),
        lambda: chain.has_own_chat_model_call_count_at_most(5),
        lambda: chain.has_total_tokens_at_most(10),
        lambda: chain.has_duration_at_most(10),
        lambda: chain.has_finish_reason(FinishReason.STOP),
        chain.has_no_retrieved_sources,
        chain.has_no_pending_approvals,
    ):
        with pytest.raises(NotRecordedError):
            check()
    invocation = Capture.from_messages([USER, asks(call("pay", {})), returns("ok")]).invocation
    assert {one.started_at for one in (invocation, *invocation.tool_executions, *invocation.model_calls)} == {None}


def test_ids_that_repeat_are_joined_by_their_place():
    messages = [
        USER,
        asks(call("a", {"n": 1}), call("b", {"n": 2})),
        returns("one"),
        returns("two"),
        asks(call("a", {"n": 3})),
        returns("three"),
        says("Done."),
    ]
    assert [(name, result) for name, _, result, _ in told(messages)] == [("a", "one"), ("b", "two"), ("a", "three")]


def test_results_in_another_order_are_joined_by_their_ids():
    messages = [USER, asks(call("a", {}, "1"), call("b", {}, "2")), returns("two", "2"), returns("one", "1"), says("Done.")]
    assert [(name, result) for name, _, result, _ in told(messages)] == [("a", "one"), ("b", "two")]


def test_a_result_that_comes_late_answers_the_request_that_still_waits_for_it():
    messages = [USER, asks(call("a", {}, "1"), call("b", {}, "2")), returns("one", "1"), asks(call("c", {}, "3"))]
    messages += [returns("two", "2"), returns("three", "3"), says("Done.")]
    assert [(name, result) for name, _, result, _ in told(messages)] == [("a", "one"), ("b", "two"), ("c", "three")]


def test_a_result_that_came_twice_answers_nothing_a_second_time():
    messages = [
        USER,
        asks(call("a", {}, "1")),
        returns("one", "1"),
        asks(call("b", {}, "2")),
        returns("again", "1"),
        returns("two", "2"),
    ]
    cap = Capture.from_messages([*messages, says("Done.")])
    assert [one.result for one in cap.invocation.tool_executions] == ["one", "two"]
    assert "which are not recorded: 1" in cap.health.doubts[0]


def test_a_request_that_nothing_answers_may_have_run_and_the_end_that_is_missing_is_told():
    cap = Capture.from_messages([USER, asks(call("pay", {}))], unreported_tools="succeeded")

    (execution,) = cap.invocation.tool_executions
    assert execution.outcome is Outcome.UNKNOWN
    assert "the messages end before the model's last answer" in cap.health.doubts[0]
    assert_that(cap).has_tool_requested("pay")
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_no_tool_executions("pay")


def test_a_result_whose_request_was_cut_off_is_told_and_answers_nothing():
    cap = Capture.from_messages(
        [returns("paid", "gone"), says("Hm."), asks(call("look", {}, "1")), returns("x", "gone"), says("Done.")]
    )

    assert [one.result for one in cap.invocation.tool_executions] == [None]
    assert cap.health.doubts == ("results of tools whose request is not in the messages, which are not recorded: 2",)


def test_functions_and_custom_tools_are_read_too():
    silent = [
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": ""}},
        {"role": "function", "name": "look"},
    ]
    assert told([USER, *silent, says("Done.")]) == [("look", {}, None, Outcome.UNKNOWN)]
    old = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": '{"id": 7}'}}
    custom = {"id": "c", "type": "custom", "custom": {"name": "sql", "input": "select 1"}}
    messages = [USER, old, {"role": "function", "name": "look", "content": "ok"}, asks(custom), returns("1", "c"), says("Done.")]
    assert [(name, arguments, result) for name, arguments, result, _ in told(messages)] == [
        ("look", {"id": 7}, "ok"),
        ("sql", {"input": "select 1"}, 1),
    ]


ANTHROPIC = [
    {"role": "user", "content": "MS-777?"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "look", "input": {"id": 7}},
            {"type": "tool_use", "id": "t2", "name": "pay", "input": {"amount": 5}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "found"}]},
            {"type": "tool_result", "tool_use_id": "t2", "content": "no money", "is_error": True},
        ],
    },
    {"role": "assistant", "content": "Sorry."},
]


def test_anthropic_messages_say_themselves_whether_a_tool_failed():
    assert told(ANTHROPIC) == [
        ("look", {"id": 7}, "found", Outcome.SUCCEEDED),
        ("pay", {"amount": 5}, "no money", Outcome.FAILED),
    ]
    cap = Capture.from_messages(ANTHROPIC)
    assert [one.response_text for one in cap.invocation.model_calls] == ["I look.", "Sorry."]
    assert_that(cap).has_tool_execution_failed("pay").has_tool_executed("look").has_no_more_tool_executions()


def test_tools_that_anthropic_ran_itself_are_executions():
    use = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "weather"}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "text", "text": "rain"}]}
    cap = Capture.from_messages([USER, {"role": "assistant", "content": [use, found, {"type": "text", "text": "Rain."}]}])

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.result, execution.outcome) == ("web_search", "rain", Outcome.SUCCEEDED)


ITEMS = [
    {"role": "user", "content": "MS-777?"},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"id": 7}'},
    {"type": "function_call", "call_id": "c2", "name": "pay", "arguments": '{"amount": 5}'},
    {"type": "function_call_output", "call_id": "c1", "output": "found"},
    {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "paid"}]},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
]


def test_items_of_one_response_are_one_answer_of_the_model():
    assert [(name, result) for name, _, result, _ in told(ITEMS)] == [("look", "found"), ("pay", "paid")]
    invocation = Capture.from_messages(ITEMS).invocation
    assert [len(one.tool_execution_requests) for one in invocation.model_calls] == [2, 0]
    assert invocation.output == "Done."


def test_tools_that_openai_ran_itself_are_executions_and_its_file_search_retrieves():
    search = {
        "type": "file_search_call",
        "id": "f",
        "status": "completed",
        "queries": ["fee"],
        "results": [{"text": "12", "score": 0.5}],
    }
    cap = Capture.from_messages([USER, search, says("12.")])

    assert_that(cap).has_tool_executed("file_search").has_retrieved_source_containing("12")


LANGCHAIN = [
    {"type": "human", "content": "MS-777?"},
    {"type": "ai", "content": "", "tool_calls": [{"name": "look", "args": {"id": 7}, "id": "c1", "type": "tool_call"}]},
    {"type": "tool", "content": "boom", "tool_call_id": "c1", "status": "error"},
    {"type": "ai", "content": "Sorry.", "response_metadata": {"finish_reason": "stop", "model_name": "m"}},
]


def test_langchain_messages_say_themselves_whether_a_tool_failed_and_how_the_model_ended():
    assert told(LANGCHAIN) == [("look", {"id": 7}, "boom", Outcome.FAILED)]
    cap = Capture.from_messages(LANGCHAIN)
    assert_that(cap).has_finish_reason(FinishReason.STOP).has_tool_execution_failed("look")
    assert [one.model for one in cap.invocation.model_calls] == [None, "m"]


def test_a_langchain_result_without_a_status_is_unknown():
    without = [*LANGCHAIN[:2], {"type": "tool", "content": "ok", "tool_call_id": "c1"}, LANGCHAIN[3]]
    assert told(without) == [("look", {"id": 7}, "ok", Outcome.UNKNOWN)]


CHAT = [USER, asks(call("look", {})), returns("ok"), says("Done.")]
LISTS = {"chat": CHAT, "anthropic": ANTHROPIC, "items": ITEMS, "langchain": LANGCHAIN}


@pytest.mark.parametrize("first", LISTS)
@pytest.mark.parametrize("second", LISTS)
def test_a_list_of_two_kinds_is_refused_at_the_first_message_of_the_other_one(first, second):
    if first == second:
        return
    decisive = {"chat": 2, "anthropic": 2, "items": 5, "langchain": 1}[first]
    other = LISTS[second][1]

    with pytest.raises(MessageError, match=rf"^messages\[{decisive}\](\.[\w\[\]]+)+: this is one of .*but those before it are"):
        Capture.from_messages([*LISTS[first][:decisive], other])


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"role": "robot", "content": "x"}, r"messages\[1\]\.role: must be one of 'system', .* but was 'robot'"),
        ({"role": "user"}, r"messages\[1\]\.content: is missing"),
        ({"role": "user", "content": 7}, r"messages\[1\]\.content: must be a text or a list of parts, but was 7"),
        (
            {"role": "user", "content": [{"type": "smell"}]},
            r"messages\[1\]\.content\[0\]\.type: must be one of .*but was 'smell'",
        ),
        ({"role": "tool", "content": "x"}, r"messages\[1\]\.tool_call_id: is missing"),
        ({"role": "assistant", "tool_calls": "pay"}, r"messages\[1\]\.tool_calls: must be a list, but was 'pay'"),
        ({"role": "assistant", "tool_calls": [{"id": "1"}]}, r"messages\[1\]\.tool_calls\[0\]\.function: is missing"),
        (
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"arguments": "{}"}}]},
            r"messages\[1\]\.tool_calls\[0\]\.function\.name: is missing",
        ),
        (
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "input": {}}]},
            r"messages\[1\]\.content\[0\]\.name: is missing",
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "is_error": "yes"}]},
            r"messages\[1\]\.content\[0\]\.is_error: must be true or false, but was 'yes'",
        ),
        ({"type": "function_call", "name": "pay", "arguments": "{}"}, r"messages\[1\]\.call_id: is missing"),
        (
            {"role": "user", "content": [{"type": "tool_use", "id": "1", "name": "pay", "input": {}}]},
            r"messages\[1\]\.content\[0\]\.type: ",
        ),
        (
            {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "pay", "arguments": 7}}]},
            r"messages\[1\]\.tool_calls\[0\]\.function\.arguments: must be JSON text or an object, but was 7",
        ),
        ({"type": "function_call_output", "call_id": "c1"}, r"messages\[1\]\.output: is missing"),
        ({"type": "teleport_call"}, r"messages\[1\]\.type: must be one of 'message', .* but was 'teleport_call'"),
        ("hello", r"messages\[1\]: a message is a mapping or an object of a library, but was 'hello'"),
        (None, r"messages\[1\]: a message is a mapping"),
        (["user", "hi"], r"messages\[1\]: a message is a mapping"),
        ({}, r"messages\[1\]"),
    ],
)
def test_a_message_of_no_kind_is_refused_naming_its_index_and_key(message, problem):
    with pytest.raises(MessageError, match=rf"^{problem}"):
        Capture.from_messages([USER, message])


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ({"type": "tool", "content": "x"}, r"messages\[1\]\.tool_call_id: is missing"),
        ({"type": "ai", "content": "", "tool_calls": [{"args": {}}]}, r"messages\[1\]\.tool_calls\[0\]\.name: is missing"),
        (
            {"type": "ai", "content": "", "tool_calls": ["pay"]},
            r"messages\[1\]\.tool_calls\[0\]: must be an object, but was 'pay'",
        ),
        (
            {"type": "ai", "content": "", "response_metadata": 7},
            r"messages\[1\]\.response_metadata: must be an object, but was 7",
        ),
        ({"type": "ai", "content": "", "role": "assistant"}, r"messages\[1\]\.role: does not belong there"),
        ({"type": "remove", "content": ""}, r"messages\[1\]\.type: must be one of 'human'"),
        ({"type": "ai", "data": {"content": 7}}, r"messages\[1\]\.data\.content: must be a text or a list"),
        (
            {"type": "ai", "content": "", "tool_calls": [{"name": "a", "id": {}}]},
            r"messages\[1\]\.tool_calls\[0\]\.id: must be a text, but was {}",
        ),
        ({"type": "function", "content": "", "tool_call_id": []}, r"messages\[1\]\.tool_call_id: must be a text, but was \[\]"),
    ],
)
def test_the_same_of_langchain(message, problem):
    with pytest.raises(MessageError, match=rf"^{problem}"):
        Capture.from_messages([LANGCHAIN[0], message])


@pytest.mark.parametrize(
    ("messages", "advice"),
    [({"messages": CHAT}, "pass the list under 'messages'"), ("hi", "must be a list"), (None, "must be a list")],
)
def test_only_a_list_holds_messages(messages, advice):
    with pytest.raises(TypeError, match=advice):
        Capture.from_messages(messages)


def test_a_list_without_messages_and_one_without_an_answer_are_told_apart():
    with pytest.raises(MessageError, match="messages: is empty"):
        Capture.from_messages([])
    with pytest.raises(AssertionError, match="Of the 1 message none is the model's"):
        assert_that(Capture.from_messages([USER])).has_succeeded()


@pytest.mark.parametrize("options", [{"name": ""}, {"name": 7}, {"unreported_tools": "failed"}])
def test_wrong_options_are_refused(options):
    with pytest.raises((TypeError, ValueError), match=next(iter(options))):
        Capture.from_messages(CHAT, **options)


def test_records_are_copies_of_the_messages():
    messages = [dict(USER), says("Hi")]
    cap = Capture.from_messages(messages)
    messages[0]["content"] = "changed"
    assert cap.invocation.model_calls[0].messages == (USER,)


VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
KEYS = st.sampled_from(
    ["role", "type", "content", "tool_calls", "tool_call_id", "name", "data", "kwargs", "function", "id", "status"]
)
WORDS = st.sampled_from(["user", "assistant", "tool", "human", "ai", "message", "function_call", "text", "tool_use"]) | VALUES
ANY = st.recursive(WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=12)


@given(st.lists(ANY, min_size=1, max_size=4))
def test_whatever_stands_in_a_list_it_is_read_or_refused_with_its_index(messages):
    try:
        kept = Capture.from_messages(messages).to_json()
    except MessageError as error:
        kept, refused = None, str(error)
    assert Capture.from_json(kept).to_json() == kept if kept is not None else refused.startswith("messages[")


@given(st.lists(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=3), max_size=5), st.randoms())
def test_whatever_ids_repeat_every_result_that_was_sent_back_in_order_belongs_to_its_request(rounds, random):
    messages, expected = [USER], []
    for number, calls in enumerate(rounds):
        messages.append(asks(*(call(name, {"n": value}, f"call_{index}") for index, (name, value) in enumerate(calls))))
        results = [(f"call_{index}", f"{number}.{index}") for index in range(len(calls))]
        random.shuffle(results)
        messages += [returns(result, call_id) for call_id, result in results]
        expected += [(name, {"n": value}, float(f"{number}.{index}")) for index, (name, value) in enumerate(calls)]
    messages.append(says("Done."))
    assert [(name, arguments, float(result)) for name, arguments, result, _ in told(messages)] == expected


def test_a_capture_of_messages_is_shown_and_seen_as_a_conversation_like_any_other():
    cap = Capture.from_messages(CHAT, name="support", unreported_tools="succeeded")

    turn = Conversation.from_capture(cap).turn(0)

    assert (turn.user.text, [one.name for one in turn.actions]) == ("MS-777?", ["look"])
    assert "look" in cap.tree()
