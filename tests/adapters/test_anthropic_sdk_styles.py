"""Every way to call a model over the `anthropic` SDK is one model call, with what was asked, answered and reported."""

from __future__ import annotations

import gc

import pytest

pytest.importorskip("anthropic")

import anthropic

from agentassert import TokenUsage, assert_that, capture
from tests.adapters.sdk_styles import exhaust, run, talking
from tests.scripted.anthropic_sdk import failure, message, text, tool_use
from tests.scripted.loopback import Reply, serving

ASKED = {
    "model": "claude-test",
    "max_tokens": 50,
    "system": "Be brief.",
    "messages": [{"role": "user", "content": "Hi?"}],
    "tools": [{"name": "pay", "input_schema": {"type": "object", "properties": {}}}],
}
REPLY = message(text("Hello there."), tool_use("pay", {"amount": 5}))


def _stream_of(resource):
    def read(client):
        with resource(client).stream(**ASKED) as stream:
            return stream.get_final_message()

    return read


def _streamed_body(client):
    with client.messages.with_streaming_response.create(**ASKED) as raw:
        raw.parse()


def _read_body(client):
    with client.messages.with_streaming_response.create(**ASKED) as raw:
        raw.read()


STYLES = {
    "create": lambda client: client.messages.create(**ASKED),
    "create a stream": lambda client: list(client.messages.create(**ASKED, stream=True)),
    "stream": _stream_of(lambda client: client.messages),
    "raw": lambda client: client.messages.with_raw_response.create(**ASKED),
    "raw, parsed": lambda client: client.messages.with_raw_response.create(**ASKED).parse(),
    "raw stream": lambda client: list(client.messages.with_raw_response.create(**ASKED, stream=True).parse()),
    "streamed body, parsed": _streamed_body,
    "streamed body, read": _read_body,
    "beta": lambda client: client.beta.messages.create(**ASKED),
    "beta stream": _stream_of(lambda client: client.beta.messages),
}


async def _async_events(client):
    await exhaust(await client.messages.create(**ASKED, stream=True))


async def _async_stream(client):
    async with client.messages.stream(**ASKED) as stream:
        await stream.get_final_message()


async def _async_beta_stream(client):
    async with client.beta.messages.stream(**ASKED) as stream:
        await stream.get_final_message()


async def _async_raw(client):
    await (await client.messages.with_raw_response.create(**ASKED)).parse()


async def _async_streamed_body(client):
    async with client.messages.with_streaming_response.create(**ASKED) as raw:
        await raw.parse()


ASYNC_STYLES = {
    "create": lambda client: client.messages.create(**ASKED),
    "create a stream": _async_events,
    "stream": _async_stream,
    "streamed body, parsed": _async_streamed_body,
    "beta": lambda client: client.beta.messages.create(**ASKED),
    "beta stream": _async_beta_stream,
}


def only_call(cap):
    """The one model call there is."""
    (call,) = cap.invocation.model_calls
    assert cap.health.doubts == ()
    return call


def seen(kind, call, reply):
    """The one model call that making `call` leads to."""
    with talking(kind, reply) as (client, provider):
        with capture() as cap:
            run(client, call)
    assert len(provider.requests) == 1
    return only_call(cap)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        *((anthropic.Anthropic, call) for call in STYLES.values()),
        *((anthropic.AsyncAnthropic, call) for call in ASYNC_STYLES.values()),
    ],
    ids=[*STYLES, *(f"async {name}" for name in ASYNC_STYLES)],
)
def test_every_way_to_ask_for_a_message_is_one_call(kind, call):
    recorded = seen(kind, call, REPLY)

    assert (recorded.model, recorded.tools_offered, recorded.completed, recorded.attempts) == ("claude-test", ("pay",), True, 1)
    assert recorded.messages == ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"})
    assert (recorded.response_text, recorded.finish_reason) == ("Hello there.", "tool_execution")
    assert recorded.token_usage == TokenUsage(input_tokens=7, output_tokens=5, total_tokens=12)
    asked = [(one.name, one.arguments, one.call_id) for one in recorded.tool_execution_requests]
    assert asked == [("pay", {"amount": 5}, "toolu_0")]


def test_clients_of_other_clouds_are_recorded():
    options = {"region": "r", "project_id": "p", "access_token": "t"}
    with serving(REPLY) as provider, anthropic.AnthropicVertex(base_url=provider.url, **options) as client:
        with capture() as cap:
            client.messages.create(**ASKED)
            STYLES["stream"](client)

    assert "publishers/anthropic/models/claude-test" in provider.requests[0][0]
    assert [(call.model, call.response_text) for call in cap.invocation.model_calls] == [("claude-test", "Hello there.")] * 2


def test_a_request_for_a_tool_without_arguments_has_none_streamed_or_not():
    for style in ("create", "create a stream"):
        recorded = seen(anthropic.Anthropic, STYLES[style], message(tool_use("look", {})))
        assert [one.arguments for one in recorded.tool_execution_requests] == [{}]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("refusal", "content_filter"),
        ("pause_turn", "other"),
    ],
)
def test_stop_reasons_are_translated(raw, reason):
    recorded = seen(anthropic.Anthropic, STYLES["create"], message(text("x"), stop=raw))
    assert (recorded.finish_reason, recorded.raw_finish_reason) == (reason, raw)


@pytest.mark.parametrize("style", ["create", "create a stream"])
def test_tokens_that_came_out_of_a_cache_were_read_all_the_same(style):
    plain = message(text("x"))
    cached = {"cache_read_input_tokens": 100, "cache_creation_input_tokens": 10}
    body = plain.body | {"usage": plain.body["usage"] | cached}
    events = [event.replace('"input_tokens": 7', '"input_tokens": 7, "cache_read_input_tokens": 110') for event in plain.events]
    recorded = seen(anthropic.Anthropic, STYLES[style], Reply(body, events))
    assert recorded.token_usage == TokenUsage(input_tokens=117, output_tokens=5)


def test_other_routes_are_no_model_calls():
    with talking(anthropic.Anthropic, Reply({"input_tokens": 3}), REPLY) as (client, provider):
        with capture() as cap:
            client.messages.count_tokens(model="m", messages=[{"role": "user", "content": "hi"}])
            client.messages.batches.list()
            client.models.list()
            client.messages.create(**ASKED)

    assert len(provider.requests) == 4
    assert_that(cap).has_model_call_count(1)


@pytest.mark.parametrize("kind", [anthropic.Anthropic, anthropic.AsyncAnthropic])
def test_a_call_that_fails_has_the_very_exception_and_all_attempts(kind):
    with talking(kind, failure(), max_retries=2) as (client, provider):
        with capture() as cap, pytest.raises(anthropic.InternalServerError) as raised:
            run(client, lambda client: client.messages.create(**ASKED))

    call = only_call(cap)
    assert len(provider.requests) == call.attempts == 3
    assert call.error is raised.value


def test_retries_are_attempts_at_one_call():
    with talking(anthropic.Anthropic, failure(), REPLY) as (client, provider):
        with capture() as cap:
            client.messages.create(**ASKED)

    assert len(provider.requests) == only_call(cap).attempts == 2
    assert only_call(cap).completed


def _closed(client):
    stream = client.messages.create(**ASKED, stream=True)
    for event in stream:
        if event.type == "content_block_delta":
            break
    stream.close()


def _left_in_helper(client):
    with client.messages.stream(**ASKED) as stream:
        next(iter(stream.text_stream))


def _dropped(client):
    stream = client.messages.create(**ASKED, stream=True)
    for _ in range(3):
        next(stream)
    del stream
    gc.collect()


@pytest.mark.parametrize("leave", [_closed, _left_in_helper, _dropped])
def test_a_stream_that_is_left_has_its_text_so_far_and_no_answer(leave):
    recorded = seen(anthropic.Anthropic, leave, REPLY)
    assert (recorded.completed, recorded.response_text, recorded.token_usage) == (False, "Hel", None)
    assert recorded.duration is not None


def test_an_asynchronous_stream_that_is_left_has_no_answer_either():
    async def leave(client):
        async with client.messages.stream(**ASKED) as stream:
            async for _ in stream.text_stream:
                return

    recorded = seen(anthropic.AsyncAnthropic, leave, REPLY)
    assert (recorded.completed, recorded.response_text) == (False, "Hel")


def test_a_stream_that_breaks_is_a_failed_call():
    broken = 'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}\n\n'
    with talking(anthropic.Anthropic, Reply({}, [*REPLY.events[:3], broken])) as (client, _):
        with capture() as cap, pytest.raises(anthropic.APIStatusError) as raised:
            list(client.messages.create(**ASKED, stream=True))

    assert only_call(cap).error is raised.value


def test_nothing_of_the_sdk_stays_replaced():
    from anthropic import _base_client, _response, _streaming
    from anthropic.lib.tools import _beta_functions

    places = [
        (_base_client.SyncAPIClient, "request"),
        (_base_client.AsyncAPIClient, "request"),
        (_response.BaseAPIResponse, "_parse"),
        (_streaming.Stream, "close"),
        (_beta_functions.BetaFunctionTool, "call"),
        (_beta_functions.BetaAsyncFunctionTool, "call"),
    ]
    before = [vars(kind)[name] for kind, name in places]
    with capture():
        assert all(vars(kind)[name] is not there for (kind, name), there in zip(places, before, strict=True))
    assert [vars(kind)[name] for kind, name in places] == before
