"""What requests and responses of the `openai` SDK say, as records."""

from __future__ import annotations

import gc
import weakref

import pytest

pytest.importorskip("openai")

import openai
from pydantic import BaseModel, ValidationError

from agentassert import (
    FinishReason,
    NotRecordedError,
    Outcome,
    TokenUsage,
    assert_that,
    capture,
    recorder,
)
from agentassert.recording.events import ModelCallEvent
from agentassert.recording.exchanges import SentRequest, SentResult
from tests.adapters.sdk_styles import exhaust, run, talking
from tests.scripted.loopback import Reply
from tests.scripted.openai_sdk import chat, failure, function_call, message, response

TOOLS = [
    {"type": "function", "function": {"name": "get_booking", "parameters": {"type": "object", "properties": {}}}},
    {"type": "custom", "custom": {"name": "run_sql"}},
]


def asked(*requests, reply=None, api="chat"):
    """The calls that requests with these parameters lead to, and the exchange of each."""
    reply = reply or (chat("Done.") if api == "chat" else response(message("Done.")))
    with talking(openai.OpenAI, reply, path="/v1") as (client, _):
        create = client.chat.completions.create if api == "chat" else client.responses.create
        with capture() as cap:
            for request in requests:
                create(**{"model": "m", **request})
            exchanges = [event.exchange for event in recorder.open_captures[-1].events if isinstance(event, ModelCallEvent)]
    assert cap.health.doubts == ()
    return cap, exchanges


def test_messages_are_recorded_by_role_with_their_requests_and_results():
    history = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "MS-777"}, {"type": "text", "text": " please"}]},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "get_booking", "arguments": '{"number": "MS-777"}'}},
                {"id": "b", "type": "custom", "custom": {"name": "run_sql", "input": "select 1"}},
            ],
        },
        {"role": "tool", "tool_call_id": "a", "content": [{"type": "text", "text": "con"}, {"type": "text", "text": "firmed"}]},
        {"role": "tool", "tool_call_id": "b", "content": "1"},
    ]
    cap, (exchange,) = asked({"messages": history, "tools": TOOLS})

    (call,) = cap.invocation.own_chat_model_calls
    assert call.tools_offered == ("get_booking", "run_sql")
    assert [one["role"] for one in call.messages] == ["developer", "user", "assistant", "tool", "tool"]
    assert call.messages[2]["tool_calls"] == [
        {"name": "get_booking", "arguments": '{"number": "MS-777"}', "call_id": "a"},
        {"name": "run_sql", "arguments": {"input": "select 1"}, "call_id": "b"},
    ]
    assert call.messages[4] == {"role": "tool", "content": "1", "tool_call_id": "b"}
    assert_that(cap).chat_model_call(0).has_system_message_containing("brief").has_last_user_message_containing("MS-777 please")
    assert_that(cap).chat_model_call(0).has_tool_offered("run_sql")
    assert [one.requests for one in exchange.sent][2] == (
        SentRequest("get_booking", '{"number": "MS-777"}', "a"),
        SentRequest("run_sql", {"input": "select 1"}, "b"),
    )
    assert [one.results for one in exchange.sent][3:] == [
        (SentResult("a", "confirmed", failed=None),),
        (SentResult("b", "1", failed=None),),
    ]
    assert exchange.response_id.startswith("chatcmpl-")


def test_functions_which_came_before_tools_are_read_too():
    called = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    history = [{"role": "user", "content": "hi"}, called, {"role": "function", "name": "look", "content": "nothing"}]
    body = dict(chat("x").body)
    body["choices"] = [{"index": 0, "finish_reason": "function_call", "message": called}]
    cap, (exchange,) = asked({"messages": history, "functions": [{"name": "look", "parameters": {}}]}, reply=Reply(body))

    (call,) = cap.invocation.own_chat_model_calls
    assert (call.tools_offered, call.finish_reason) == (("look",), FinishReason.TOOL_EXECUTION)
    assert [(one.name, one.arguments, one.call_id) for one in call.tool_execution_requests] == [("look", {}, None)]
    assert exchange.sent[1].requests == (SentRequest("look", "{}", None),)
    assert exchange.sent[2].results == (SentResult(None, "nothing", failed=None),)


def test_a_message_has_one_key_as_received_and_written_by_hand():
    with talking(openai.OpenAI, chat("Hi.", ("look", {})), chat("Done."), path="/v1") as (client, _):
        with capture():
            said = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}]).choices[0].message
            by_hand = {
                "role": "assistant",
                "content": "Hi.",
                "tool_calls": [{"type": "function", "id": "call_0", "function": {"arguments": "{}", "name": "look"}}],
            }
            for sent in (said, said.model_dump(), by_hand, by_hand | {"content": "Ho."}):
                client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}, sent])
            events = list(recorder.open_captures[-1].events)

    users = {event.exchange.sent[0].key for event in events}
    keys = [event.exchange.sent[1].key for event in events[1:]]
    assert len(users) == 1
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_what_a_model_refuses_says_or_leaves_out_is_its_text():
    refusal = {"role": "assistant", "content": None, "refusal": "I cannot."}
    spoken = {"role": "assistant", "content": None, "audio": {"id": "a", "data": "", "expires_at": 1, "transcript": "Hello"}}
    parts = {"role": "assistant", "content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]}
    for said, text in ((parts, "Hello"), (refusal, "I cannot."), (spoken, "Hello"), ({"role": "assistant", "content": None}, "")):
        body = dict(chat("x").body)
        body["choices"] = [{"index": 0, "finish_reason": "stop", "message": said}]
        cap, _ = asked({"messages": []}, reply=Reply(body))
        assert cap.invocation.own_chat_model_calls[0].response_text == text


@pytest.mark.parametrize(
    ("raw", "reason"),
    [("stop", "stop"), ("length", "length"), ("tool_calls", "tool_execution"), ("content_filter", "content_filter")],
)
def test_finish_reasons_are_translated(raw, reason):
    cap, _ = asked({"messages": []}, reply=chat("x", stop=raw))
    assert cap.invocation.own_chat_model_calls[0].finish_reason == reason


def test_every_choice_may_ask_for_tools():
    body = dict(chat(None, ("look", {})).body)
    body["choices"] = [*body["choices"], *(choice | {"index": 1} for choice in chat(None, ("pay", {})).body["choices"])]
    cap, _ = asked({"messages": [], "n": 2}, reply=Reply(body))
    assert [one.name for one in cap.invocation.own_chat_model_calls[0].tool_execution_requests] == ["look", "pay"]


def test_tokens_that_are_not_reported_are_not_zero():
    body = {key: value for key, value in chat("x").body.items() if key != "usage"}
    cap, _ = asked({"messages": []}, reply=Reply(body))
    assert cap.invocation.own_chat_model_calls[0].token_usage is None
    with pytest.raises(NotRecordedError, match="reported no token usage"):
        assert_that(cap).has_total_tokens_at_most(100)


def test_an_error_in_the_place_of_an_answer_is_a_failed_call():
    cap, _ = asked({"messages": []}, reply=Reply({"id": "x", "error": {"message": "no credit", "code": 402}}))
    (call,) = cap.invocation.own_chat_model_calls
    assert (call.error, call.completed) == ("no credit", False)


def test_an_answer_that_is_not_what_was_asked_for_is_a_failed_call_that_used_its_tokens():
    class Booking(BaseModel):
        number: int

    replies = failure(), chat('{"number": "seven"}'), chat('{"nu', stop="length")
    errors = ValidationError, openai.LengthFinishReasonError
    with talking(openai.OpenAI, *replies, path="/v1") as (client, _), capture() as cap:
        for expected in errors:
            with pytest.raises(expected):
                client.chat.completions.parse(model="m", messages=[], response_format=Booking)

    calls = cap.invocation.model_calls
    assert [(type(call.error), call.completed, call.attempts) for call in calls] == [
        (errors[0], False, 2),
        (errors[1], False, 1),
    ]
    assert [call.finish_reason for call in calls] == [FinishReason.STOP, FinishReason.LENGTH]
    with pytest.raises(AssertionError, match="but it used 26"):
        assert_that(cap).has_total_tokens_at_most(25)


def test_a_finish_reason_that_is_no_word_is_kept_as_one():
    reply = chat("Done.")
    reply.body["choices"][0]["finish_reason"] = 3
    call = asked({"messages": []}, reply=reply)[0].invocation.model_calls[0]
    assert (call.finish_reason, call.raw_finish_reason) == (FinishReason.OTHER, "3")


def test_what_is_added_to_the_body_is_part_of_the_request():
    cap, _ = asked({"messages": [], "extra_body": {"tools": TOOLS}})
    assert cap.invocation.own_chat_model_calls[0].tools_offered == ("get_booking", "run_sql")


def test_items_are_recorded_as_messages_and_what_they_continue_is_known():
    items = [
        {"role": "user", "content": [{"type": "input_text", "text": "MS-777"}]},
        {"type": "reasoning", "id": "r", "summary": []},
        {"type": "function_call", "call_id": "a", "name": "get_booking", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "confirmed"},
        {"type": "custom_tool_call", "call_id": "b", "name": "run_sql", "input": "select 1"},
        {"type": "custom_tool_call_output", "call_id": "b", "output": [{"type": "input_text", "text": "1"}]},
        {"type": "shell_call", "call_id": "c", "action": {"commands": ["ls"]}, "status": "completed"},
    ]
    tools = [{"type": "function", "name": "get_booking", "parameters": {}}, {"type": "web_search_preview"}]
    cap, (first, second, third) = asked(
        {"input": items, "instructions": "Be brief.", "tools": tools},
        {"input": "And now?", "previous_response_id": "resp_0"},
        {"input": "And then?", "conversation": {"id": "conv_1"}},
        api="responses",
    )

    call = cap.invocation.own_chat_model_calls[0]
    assert call.tools_offered == ("get_booking", "web_search")
    assert [one["role"] for one in call.messages] == [
        "system",
        "user",
        "assistant",
        "assistant",
        "tool",
        "assistant",
        "tool",
        "assistant",
    ]
    assert call.messages[3]["tool_calls"] == [{"name": "get_booking", "arguments": "{}", "call_id": "a"}]
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("MS-777")
    assert [one.requests for one in first.sent if one.requests] == [
        (SentRequest("get_booking", "{}", "a"),),
        (SentRequest("run_sql", {"input": "select 1"}, "b"),),
        (SentRequest("shell", {"commands": ["ls"]}, "c"),),
    ]
    assert [one.results for one in first.sent if one.results] == [
        (SentResult("a", "confirmed", failed=None),),
        (SentResult("b", "1", failed=None),),
    ]
    assert (second.continues, second.conversation, third.conversation) == ("resp_0", None, "conv_1")
    assert [exchange.response_id[:5] for exchange in (first, second, third)] == ["resp_"] * 3


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (response(message("x")), "stop"),
        (response(function_call("look", {})), "tool_execution"),
        (response(message("x"), status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (response(message("x"), status="incomplete", incomplete_details={"reason": "content_filter"}), "content_filter"),
        (
            response(message("x") | {"content": [{"type": "refusal", "refusal": "No."}]}),
            "content_filter",
        ),
    ],
)
def test_how_a_response_ended_is_a_finish_reason(reply, reason):
    cap, _ = asked({"input": "hi"}, reply=reply, api="responses")
    assert cap.invocation.own_chat_model_calls[0].finish_reason == reason


def test_a_response_that_failed_is_a_failed_call_with_its_tokens():
    reply = response(status="failed", error={"code": "server_error", "message": "kaput"})
    cap, _ = asked({"input": "hi"}, reply=reply, api="responses")
    (call,) = cap.invocation.own_chat_model_calls
    assert (call.error, call.completed, call.token_usage.total_tokens) == ("kaput", False, 5)


def test_a_response_in_the_background_is_one_call_that_ends_when_it_is_ready():
    waiting = response(status="queued")
    ready = response(message("Done."), id=waiting.body["id"], usage=(7, 3))
    with talking(openai.OpenAI, waiting, waiting, ready, ready, path="/v1") as (client, _):
        with capture() as cap:
            begun = client.responses.create(model="m", input="hi", background=True)
            while begun.status != "completed":
                assert [call.completed for call in cap.invocation.model_calls] == [False]
                begun = client.responses.retrieve(begun.id)
            client.responses.retrieve(begun.id)

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.response_text) == (True, "Done.")
    assert call.token_usage == TokenUsage(input_tokens=7, output_tokens=3)


def test_a_response_in_the_background_that_nobody_asks_for_keeps_no_capture_alive():
    def run(client):
        with capture() as cap:
            client.responses.create(model="m", input="hi", background=True)
        return weakref.ref(cap._source.state)

    with talking(openai.OpenAI, response(status="queued"), path="/v1") as (client, _):
        state = run(client)
        gc.collect()
        assert state() is None


def test_tools_of_the_provider_are_executions_and_what_a_search_found_are_sources():
    found = {"file_id": "f", "filename": "a.md", "text": "Berth 7", "score": 0.5, "attributes": {"page": 1}}
    output = [
        {"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search", "query": "weather"}},
        {"type": "file_search_call", "id": "f", "status": "completed", "queries": ["berth"], "results": [found]},
        {"type": "code_interpreter_call", "id": "c", "status": "failed", "code": "1/0", "container_id": "x", "outputs": None},
        {"type": "mcp_call", "id": "m", "name": "pay", "server_label": "s", "arguments": '{"amount": 5}', "output": "paid"},
        {
            "type": "mcp_call",
            "id": "n",
            "name": "pay",
            "server_label": "s",
            "arguments": "{}",
            "error": "no amount",
            "output": None,
        },
        {"type": "image_generation_call", "id": "i", "status": "generating", "result": None},
        message("Done."),
    ]
    cap, _ = asked({"input": "hi"}, reply=response(*output), api="responses")

    executions = cap.invocation.tool_executions
    assert [(one.name, one.outcome, one.call_id) for one in executions] == [
        ("web_search", Outcome.SUCCEEDED, "w"),
        ("file_search", Outcome.SUCCEEDED, "f"),
        ("code_interpreter", Outcome.FAILED, "c"),
        ("pay", Outcome.SUCCEEDED, "m"),
        ("pay", Outcome.FAILED, "n"),
        ("image_generation", Outcome.UNKNOWN, "i"),
    ]
    assert not any(one.inferred for one in executions)
    assert_that(cap).has_tool_executed_with("pay", {"amount": 5}).has_tool_executed_with("web_search", {"query": "weather"})
    assert_that(cap).has_retrieved_source_containing("Berth 7")
    assert executions[4].error == "no amount"


class Size(BaseModel):
    width: int


def test_a_fault_of_ours_changes_no_call(monkeypatch):
    from agentassert.adapters.stainless import hooks

    def broken(*_):
        raise RuntimeError("ours")

    with talking(openai.OpenAI, chat('{"width": 3}'), failure(), path="/v1", max_retries=0) as (client, _):
        monkeypatch.setattr(hooks, "route_of", broken)
        with pytest.warns(UserWarning, match="openai adapter broke: RuntimeError: ours"):
            with capture() as cap:
                parsed = client.chat.completions.parse(model="m", messages=[], response_format=Size)
                with pytest.raises(openai.InternalServerError):
                    client.chat.completions.create(model="m", messages=[])

    assert parsed.choices[0].message.parsed == Size(width=3)
    assert len(cap.health.faults) == 2


def test_a_fault_of_ours_changes_no_stream(monkeypatch):
    from agentassert.adapters.openai_api import chat as chats

    def broken(*_, **__):
        raise RuntimeError("ours")

    async def read(client):
        return await exhaust(await client.chat.completions.create(model="m", messages=[], stream=True))

    monkeypatch.setattr(chats.Chunks, "add", broken)
    with talking(openai.AsyncOpenAI, chat("Hello."), path="/v1") as (client, _):
        with pytest.warns(UserWarning, match="openai adapter broke: RuntimeError: ours"):
            with capture():
                chunks = run(client, read)

    assert len(chunks) == 5
