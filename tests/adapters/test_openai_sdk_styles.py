"""Every way to call a model over the `openai` SDK is one model call, with what was asked, answered and reported."""

from __future__ import annotations

import importlib

import pytest

pytest.importorskip("openai")

import openai
from pydantic import BaseModel

from agentassert import ChatModelCall, EmbeddingModelCall, FinishReason, ModerationModelCall, TokenUsage, assert_that, capture
from tests.adapters.sdk_styles import exhaust, run, talking
from tests.scripted.openai_sdk import chat, completion, embedding, failure, message, moderation, response

ASKED = {"model": "gpt-test", "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"}]}
GIVEN = {"model": "gpt-test", "instructions": "Be brief.", "input": "Hi?"}


class Verdict(BaseModel):
    sure: bool


def _exhausted(call):
    def exhausted(client):
        return list(call(client))

    return exhausted


def _in_block(call, use):
    def used(client):
        with call(client) as opened:
            return use(opened)

    return used


CHATS = {
    "create": lambda client: client.chat.completions.create(**ASKED),
    "create a stream": _exhausted(lambda client: client.chat.completions.create(**ASKED, stream=True)),
    "create a stream, read in a block": _in_block(lambda client: client.chat.completions.create(**ASKED, stream=True), list),
    "stream": _in_block(lambda client: client.chat.completions.stream(**ASKED), lambda stream: stream.get_final_completion()),
    "parse": lambda client: client.chat.completions.parse(**ASKED),
    "beta parse": lambda client: client.beta.chat.completions.parse(**ASKED),
    "raw": lambda client: client.chat.completions.with_raw_response.create(**ASKED),
    "raw, parsed": lambda client: client.chat.completions.with_raw_response.create(**ASKED).parse(),
    "raw parse": lambda client: client.chat.completions.with_raw_response.parse(**ASKED).parse(),
    "raw stream": _exhausted(lambda client: client.chat.completions.with_raw_response.create(**ASKED, stream=True).parse()),
    "streamed body, parsed": _in_block(
        lambda client: client.chat.completions.with_streaming_response.create(**ASKED), lambda raw: raw.parse()
    ),
    "streamed body, read": _in_block(
        lambda client: client.chat.completions.with_streaming_response.create(**ASKED), lambda raw: raw.read()
    ),
    "streamed body of a stream": _in_block(
        lambda client: client.chat.completions.with_streaming_response.create(**ASKED, stream=True), lambda raw: list(raw.parse())
    ),
    "with options": lambda client: client.with_options(timeout=5).chat.completions.create(**ASKED),
    "post": lambda client: client.post("/chat/completions", cast_to=object, body=ASKED),
}
RESPONSES = {
    "create": lambda client: client.responses.create(**GIVEN),
    "create a stream": _exhausted(lambda client: client.responses.create(**GIVEN, stream=True)),
    "stream": _in_block(lambda client: client.responses.stream(**GIVEN), lambda stream: stream.get_final_response()),
    "parse": lambda client: client.responses.parse(**GIVEN),
    "raw": lambda client: client.responses.with_raw_response.create(**GIVEN),
    "streamed body, read": _in_block(
        lambda client: client.responses.with_streaming_response.create(**GIVEN), lambda raw: raw.read()
    ),
}


async def _async_stream(client):
    await exhaust(await client.chat.completions.create(**ASKED, stream=True))


async def _async_helper(client):
    async with client.chat.completions.stream(**ASKED) as stream:
        await stream.get_final_completion()


async def _async_raw(client):
    assert (await client.chat.completions.with_raw_response.create(**ASKED)).parse()


async def _async_streamed_body(client):
    async with client.chat.completions.with_streaming_response.create(**ASKED) as raw:
        await raw.parse()


async def _async_read_body(client):
    async with client.chat.completions.with_streaming_response.create(**ASKED) as raw:
        await raw.read()


async def _async_responses_stream(client):
    await exhaust(await client.responses.create(**GIVEN, stream=True))


async def _async_responses_helper(client):
    async with client.responses.stream(**GIVEN) as stream:
        await stream.get_final_response()


ASYNC_CHATS = {
    "create": lambda client: client.chat.completions.create(**ASKED),
    "create a stream": _async_stream,
    "stream": _async_helper,
    "parse": lambda client: client.chat.completions.parse(**ASKED),
    "raw": _async_raw,
    "streamed body, parsed": _async_streamed_body,
    "streamed body, read": _async_read_body,
}
ASYNC_RESPONSES = {
    "create": lambda client: client.responses.create(**GIVEN),
    "create a stream": _async_responses_stream,
    "stream": _async_responses_helper,
    "parse": lambda client: client.responses.parse(**GIVEN),
}


def only_call(cap):
    """The one model call there is."""
    (call,) = cap.invocation.model_calls
    assert cap.health.doubts == ()
    return call


def seen(kind, call, reply):
    """The one model call that making `call` leads to."""
    with talking(kind, reply, path="/v1") as (client, provider):
        with capture() as cap:
            run(client, call)
    assert len(provider.requests) == 1
    return only_call(cap)


@pytest.mark.parametrize(
    ("kind", "call"),
    [*((openai.OpenAI, call) for call in CHATS.values()), *((openai.AsyncOpenAI, call) for call in ASYNC_CHATS.values())],
    ids=[*CHATS, *(f"async {name}" for name in ASYNC_CHATS)],
)
def test_every_way_to_ask_for_a_chat_completion_is_one_call(kind, call):
    recorded = seen(kind, call, chat("Hello there."))

    assert (recorded.model, recorded.tools_offered, recorded.completed, recorded.attempts) == ("gpt-test", (), True, 1)
    assert recorded.messages == ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"})
    assert (recorded.response_text, recorded.raw_finish_reason) == ("Hello there.", "stop")
    assert recorded.token_usage == TokenUsage(input_tokens=9, output_tokens=4, total_tokens=13)


@pytest.mark.parametrize(
    ("kind", "call"),
    [*((openai.OpenAI, call) for call in RESPONSES.values()), *((openai.AsyncOpenAI, call) for call in ASYNC_RESPONSES.values())],
    ids=[*RESPONSES, *(f"async {name}" for name in ASYNC_RESPONSES)],
)
def test_every_way_to_ask_for_a_response_is_one_call(kind, call):
    recorded = seen(kind, call, response(message("Hello there.")))

    assert (recorded.model, recorded.tools_offered, recorded.completed) == ("gpt-test", (), True)
    assert recorded.messages == ({"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi?"})
    assert (recorded.response_text, recorded.finish_reason) == ("Hello there.", FinishReason.STOP)
    assert recorded.token_usage == TokenUsage(input_tokens=3, output_tokens=2, total_tokens=5)


@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
def test_embeddings_moderations_and_completions_are_calls_of_their_kind(kind):
    embedded = seen(kind, lambda client: client.embeddings.create(model="e", input=["a", "b"]), embedding(4))
    judged = seen(kind, lambda client: client.moderations.create(input="a"), moderation())
    completed = seen(kind, lambda client: client.completions.create(model="c", prompt="Once"), completion("upon a"))

    assert (type(embedded), embedded.model, embedded.inputs) == (EmbeddingModelCall, "e", ("a", "b"))
    assert embedded.token_usage == TokenUsage(input_tokens=4, total_tokens=4)
    assert (type(judged), judged.inputs, judged.token_usage, judged.completed) == (ModerationModelCall, ("a",), None, True)
    assert (type(completed), completed.messages) == (ChatModelCall, ({"role": "user", "content": "Once"},))
    assert (completed.response_text, completed.finish_reason) == ("upon a", FinishReason.LENGTH)
    assert completed.token_usage == TokenUsage(input_tokens=2, output_tokens=1, total_tokens=3)


def test_a_streamed_completion_is_one_call_and_token_numbers_are_one_input():
    streamed = seen(
        openai.OpenAI,
        lambda client: list(client.completions.create(model="c", prompt="Once", stream=True)),
        completion("upon a"),
    )
    embedded = seen(openai.OpenAI, lambda client: client.embeddings.create(model="e", input=[1, 2, 3]), embedding())

    assert (streamed.response_text, streamed.token_usage.total_tokens) == ("upon a", 3)
    assert embedded.inputs == ([1, 2, 3],)


def test_methods_and_raw_responses_taken_before_the_capture_are_recorded_in_it_and_not_after_it():
    with talking(openai.OpenAI, chat("Hello."), path="/v1") as (client, provider):
        create, raw = client.chat.completions.create, client.chat.completions.with_raw_response.create
        with capture() as cap:
            create(**ASKED)
            raw(**ASKED)
        create(**ASKED)

    assert len(provider.requests) == 3
    assert_that(cap).has_model_call_count(ChatModelCall, 2).has_model_call_count(2)


def test_an_sdk_that_is_imported_in_the_block_is_recorded():
    import subprocess
    import sys

    program = """
from agentassert import capture
from tests.scripted.loopback import serving
from tests.scripted.openai_sdk import chat
with serving(chat("Hello.")) as provider, capture() as cap:
    import openai
    client = openai.OpenAI(api_key="k", base_url=provider.url + "/v1")
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "hi"}]) as stream:
        next(iter(stream))
    client.close()
print([call.completed for call in cap.invocation.model_calls], cap.health.doubts)
"""
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (shown.stdout, shown.stderr) == ("[True, False] ()\n", "")


def test_azure_clients_are_recorded():
    with talking(openai.AzureOpenAI, chat("Hello."), api_version="2024-10-21") as (client, provider):
        with capture() as cap:
            client.chat.completions.create(**ASKED)

    assert "/gpt-test/" in provider.requests[0][0] or provider.requests[0][0].startswith("/chat")
    assert only_call(cap).response_text == "Hello."


def test_other_routes_are_no_model_calls():
    with talking(openai.OpenAI, chat("Hello."), path="/v1") as (client, provider):
        with capture() as cap:
            client.models.list()
            client.files.list()
            client.chat.completions.retrieve("chatcmpl-1")
            client.chat.completions.create(**ASKED)

    assert len(provider.requests) == 4
    assert_that(cap).has_model_call_count(1)


def test_retries_are_attempts_at_one_call():
    with talking(openai.OpenAI, failure(), failure(), chat("Hello."), path="/v1") as (client, provider):
        with capture() as cap:
            client.chat.completions.create(**ASKED)

    assert len(provider.requests) == 3
    assert (only_call(cap).attempts, only_call(cap).response_text) == (3, "Hello.")


@pytest.mark.parametrize("kind", [openai.OpenAI, openai.AsyncOpenAI])
def test_a_call_that_fails_has_the_very_exception_and_all_attempts(kind):
    with talking(kind, failure(), path="/v1", max_retries=2) as (client, provider):
        with capture() as cap, pytest.raises(openai.InternalServerError) as raised:
            run(client, lambda client: client.chat.completions.create(**ASKED))

    call = only_call(cap)
    assert len(provider.requests) == call.attempts == 3
    assert call.error is raised.value
    assert (call.completed, call.response_text, call.token_usage) == (False, None, None)


def test_a_provider_that_cannot_be_reached_is_a_failed_call():
    client = openai.OpenAI(api_key="k", base_url="http://127.0.0.1:9/v1", max_retries=0)
    with capture() as cap, pytest.raises(openai.APIConnectionError) as raised:
        client.chat.completions.create(**ASKED)
    client.close()

    assert only_call(cap).error is raised.value


def test_an_error_of_a_clients_own_code_is_a_failed_call():
    class OddError(Exception):
        @property
        def request(self):
            raise RuntimeError("there is none")

    class Client(openai.OpenAI):
        def _prepare_options(self, options):
            raise OddError

    with Client(api_key="k") as client, capture() as cap, pytest.raises(OddError) as raised:
        client.chat.completions.create(**ASKED)

    assert (only_call(cap).error, only_call(cap).attempts) == (raised.value, 1)


def test_parsing_a_raw_response_gives_the_same_object_again():
    with talking(openai.OpenAI, chat('{"sure": true}'), path="/v1") as (client, _):
        with capture() as cap:
            raw = client.chat.completions.with_raw_response.parse(**ASKED, response_format=Verdict)
            parsed = raw.parse()
            assert raw.parse() is parsed
            assert parsed.choices[0].message.parsed == Verdict(sure=True)

    assert only_call(cap).response_text == '{"sure": true}'


def test_a_body_that_goes_past_as_bytes_is_a_call_without_an_answer():
    with talking(openai.OpenAI, chat("Hello."), path="/v1") as (client, _):
        with capture() as cap:
            with client.chat.completions.with_streaming_response.create(**ASKED) as raw:
                assert b"Hello." in b"".join(raw.iter_bytes())

    call = only_call(cap)
    assert (call.completed, call.response_text, call.token_usage, call.error) == (False, None, None, None)
    assert call.duration is not None


def test_nothing_of_the_sdk_stays_replaced():
    from openai import _base_client, _response, _streaming

    places = [
        (_base_client.SyncAPIClient, "request"),
        (_base_client.AsyncAPIClient, "request"),
        (_response.BaseAPIResponse, "_parse"),
        (_streaming.Stream, "close"),
        (_streaming.AsyncStream, "close"),
    ]
    before = [vars(kind)[name] for kind, name in places]
    with capture():
        assert all(vars(kind)[name] is not there for (kind, name), there in zip(places, before, strict=True))
    assert [vars(kind)[name] for kind, name in places] == before


def test_what_somebody_puts_over_our_wrapper_stays_and_ours_below_it_is_inert():
    from openai import _base_client

    with talking(openai.OpenAI, chat("Hello."), path="/v1") as (client, _):
        original = _base_client.SyncAPIClient.request
        with capture():
            ours = _base_client.SyncAPIClient.request
            seen = []

            def theirs(self, *args, **kwargs):
                seen.append(True)
                return ours(self, *args, **kwargs)

            _base_client.SyncAPIClient.request = theirs
        try:
            assert _base_client.SyncAPIClient.request is theirs
            assert client.chat.completions.create(**ASKED).choices[0].message.content == "Hello."
            with capture() as cap:
                client.chat.completions.create(**ASKED)
        finally:
            _base_client.SyncAPIClient.request = original

    assert (len(seen), len(cap.invocation.model_calls)) == (2, 1)


def test_a_response_of_the_http_client_itself_is_read():
    with talking(openai.OpenAI, chat("Hello."), path="/v1") as (client, _):
        kind = type(client.models.with_raw_response.list().http_response)
        with capture() as cap:
            assert client.post("/chat/completions", cast_to=kind, body=ASKED).status_code == 200

    assert only_call(cap).response_text == "Hello."


@pytest.mark.parametrize(
    ("module", "name"),
    [("_base_client", "SyncAPIClient"), ("_response", "BaseAPIResponse"), ("_streaming", "AsyncStream")],
)
def test_a_place_that_is_not_there_is_said(monkeypatch, module, name):
    from agentassert.adapters.base import HookMissingError
    from agentassert.adapters.openai_sdk.adapter import OpenAIAdapter

    monkeypatch.delattr(importlib.import_module(f"openai.{module}"), name)
    with pytest.raises(HookMissingError, match=name):
        OpenAIAdapter().attach()


def test_helpers_that_are_not_there_are_said(monkeypatch):
    from agentassert.adapters.base import HookMissingError
    from agentassert.adapters.openai_sdk.adapter import OpenAIAdapter, OpenAIChatStreamAdapter

    monkeypatch.setattr(OpenAIAdapter, "hooks", None)
    with pytest.raises(HookMissingError, match="requests are not recorded"):
        OpenAIChatStreamAdapter().attach()

    monkeypatch.undo()
    with capture():
        monkeypatch.delattr("openai.lib.streaming.chat._completions.AsyncChatCompletionStream")
        with pytest.raises(HookMissingError, match="AsyncChatCompletionStream"):
            OpenAIChatStreamAdapter().attach()
