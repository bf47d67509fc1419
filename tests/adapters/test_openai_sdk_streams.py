"""Streamed responses of the `openai` SDK: they end when they are exhausted, and without an answer when they are left before."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import threading
import time

import pytest

pytest.importorskip("openai")

import openai

from agentassert import Status, TokenUsage, assert_that, capture, record
from tests.adapters.sdk_styles import run, talking
from tests.scripted.loopback import Reply
from tests.scripted.openai_sdk import chat, completion, failure, function_call, message, response

ASKED = {"model": "gpt-test", "messages": [{"role": "user", "content": "Hi?"}]}
CALL = ("pay", {"amount": 5})


def left(client, leave):
    """The call whose stream is left after its second chunk."""
    with capture() as cap:
        leave(client)
    (call,) = cap.invocation.model_calls
    assert cap.health.doubts == ()
    return call


def _closed(client):
    stream = client.chat.completions.create(**ASKED, stream=True)
    next(stream)
    next(stream)
    stream.close()


def _left_in_block(client):
    with client.chat.completions.create(**ASKED, stream=True) as stream:
        next(stream)
        next(stream)


def _dropped(client):
    stream = client.chat.completions.create(**ASKED, stream=True)
    next(stream)
    next(stream)
    del stream
    gc.collect()


def _left_in_helper(client):
    with client.chat.completions.stream(**ASKED) as stream:
        for event in stream:
            if event.type == "content.delta" and event.delta:
                return


def _left_by_an_error(client):
    with pytest.raises(ZeroDivisionError):
        with client.chat.completions.create(**ASKED, stream=True) as stream:
            next(stream)
            next(stream)
            raise ZeroDivisionError


@pytest.mark.parametrize("leave", [_closed, _left_in_block, _dropped, _left_in_helper, _left_by_an_error])
def test_a_stream_that_is_left_has_its_text_so_far_and_no_answer(leave):
    with talking(openai.OpenAI, chat("Hello there."), path="/v1") as (client, _):
        call = left(client, leave)

    assert (call.completed, call.response_text, call.finish_reason, call.token_usage, call.error) == (
        False,
        "Hel",
        None,
        None,
        None,
    )
    assert call.duration is not None


def test_an_asynchronous_stream_that_is_left_has_no_answer_either():
    async def leave(client):
        stream = await client.chat.completions.create(**ASKED, stream=True)
        async with stream:
            await anext(stream)
            await anext(stream)

    async def leave_helper(client):
        async with client.chat.completions.stream(**ASKED) as stream:
            async for event in stream:
                if event.type == "content.delta" and event.delta:
                    return

    for way in (leave, leave_helper):
        with talking(openai.AsyncOpenAI, chat("Hello there."), path="/v1") as (client, _):
            call = left(client, lambda client, way=way: run(client, way))
        assert (call.completed, call.response_text) == (False, "Hel")


def test_a_stream_that_nobody_reads_keeps_no_capture_waiting():
    with talking(openai.OpenAI, chat("Hello there."), path="/v1") as (client, _):
        with capture(wait=30) as cap:
            stream = client.chat.completions.create(**ASKED, stream=True)
            raw = client.chat.completions.with_raw_response.create(**ASKED, stream=True)
        stream.close()
        raw.parse().close()

    assert [call.completed for call in cap.invocation.model_calls] == [False, False]


def test_a_stream_that_was_left_after_the_model_had_stopped_was_answered():
    def leave(client):
        for chunk in client.chat.completions.create(**ASKED, stream=True):
            if chunk.choices[0].finish_reason:
                return

    with talking(openai.OpenAI, chat(None, CALL), path="/v1") as (client, _):
        call = left(client, leave)

    assert (call.completed, call.token_usage) == (True, None)
    assert [request.arguments for request in call.tool_execution_requests] == [{"amount": 5}]


def test_what_a_streamed_response_asks_for_is_put_together():
    reply = chat("Let me see.", CALL, ("look", {}), ids=["a", "b"])
    with talking(openai.OpenAI, reply, path="/v1") as (client, _):
        with capture() as cap:
            list(client.chat.completions.create(**ASKED, stream=True))

    (call,) = cap.invocation.model_calls
    asked = [(request.name, request.arguments, request.call_id) for request in call.tool_execution_requests]
    assert asked == [("pay", {"amount": 5}, "a"), ("look", {}, "b")]
    assert (call.response_text, call.raw_finish_reason) == ("Let me see.", "tool_calls")
    assert call.token_usage == TokenUsage(input_tokens=9, output_tokens=4)


def test_calls_that_share_an_index_are_told_apart_by_their_ids():
    head = '{"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [{"index": 0, "delta": '
    parts = [
        f'{{"tool_calls": [{{"index": 0, "id": "{name}", "function": {{"name": "{name}", "arguments": "{{}}"}}}}]}}'
        for name in "ab"
    ]
    events = [f"data: {head}{part}}}]}}\n\n" for part in parts]
    with talking(openai.OpenAI, Reply({}, events), path="/v1") as (client, _):
        with capture() as cap:
            list(client.chat.completions.create(**ASKED, stream=True))

    assert [request.name for request in cap.invocation.model_calls[0].tool_execution_requests] == ["a", "b"]


def test_a_stream_that_breaks_is_a_failed_call():
    reply = Reply({}, [*chat("Hello there.").events[:2], 'data: {"error": {"message": "kaput"}}\n\n'])
    with talking(openai.OpenAI, reply, path="/v1") as (client, _):
        with capture() as cap, pytest.raises(openai.APIError) as raised:
            list(client.chat.completions.create(**ASKED, stream=True))

    (call,) = cap.invocation.model_calls
    assert call.error is raised.value


def test_several_streams_read_in_turns_are_several_calls():
    with talking(openai.OpenAI, chat("One one."), chat("Two two."), path="/v1") as (client, _):
        with capture() as cap:
            streams = [client.chat.completions.create(**ASKED, stream=True) for _ in range(2)]
            for _ in zip(*streams, strict=True):
                pass

    assert [call.response_text for call in cap.invocation.model_calls] == ["One one.", "Two two."]


def test_concurrent_streams_and_captures_stay_apart():
    async def ask(client):
        async with capture() as cap:
            async for _ in await client.chat.completions.create(**ASKED, stream=True):
                await asyncio.sleep(0)
        return [call.response_text for call in cap.invocation.model_calls]

    async def all_of_them(client):
        return await asyncio.gather(*(ask(client) for _ in range(5)))

    with talking(openai.AsyncOpenAI, *(chat(f"Answer {number}") for number in range(5)), path="/v1") as (client, _):
        texts = run(client, all_of_them)

    assert sorted(texts) == [[f"Answer {number}"] for number in range(5)]


def test_a_stream_read_in_another_thread_belongs_to_where_it_was_asked_for():
    with talking(openai.OpenAI, response(message("Hello there.")), path="/v1") as (client, _):

        @record.agent
        def support(question):
            stream = client.responses.create(model="m", input=question, stream=True)
            reader = threading.Thread(target=list, args=(stream,))
            reader.start()
            reader.join()

        with capture() as cap:
            support("Hi?")

    (call,) = cap.invocation.own_chat_model_calls
    assert (cap.invocation.name, call.response_text) == ("support", "Hello there.")


def test_a_request_of_a_task_that_is_cancelled_did_not_fail():
    async def cancelled(client):
        task = asyncio.ensure_future(client.chat.completions.create(**ASKED))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with talking(openai.AsyncOpenAI, chat("Hello there."), path="/v1") as (client, _):
        with capture() as cap:
            run(client, cancelled)

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.error) == (False, None)


def test_a_stream_that_outlives_its_capture_is_read_as_ever():
    with talking(openai.OpenAI, chat("Hello there."), path="/v1") as (client, _):
        with capture() as cap:
            stream = client.chat.completions.create(**ASKED, stream=True)
            next(stream)
        rest = list(stream)

    (call,) = cap.invocation.model_calls
    assert (len(rest), call.completed, call.response_text) == (4, False, None)


def test_a_streamed_response_of_items_ends_with_the_event_that_says_so():
    reply = response(message("Hello there."), function_call("pay", {"amount": 5}, "c"))
    with talking(openai.OpenAI, reply, path="/v1") as (client, _):
        with capture() as cap:
            for event in client.responses.create(model="m", input="Hi?", stream=True):
                if event.type == "response.completed":
                    break

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.response_text, call.token_usage.total_tokens) == (True, "Hello there.", 5)
    assert [(one.name, one.call_id) for one in call.tool_execution_requests] == [("pay", "c")]


def test_a_streamed_response_of_items_that_is_left_has_its_text_so_far():
    with talking(openai.OpenAI, response(message("Hello there.")), path="/v1") as (client, _):
        with capture() as cap, client.responses.stream(model="m", input="Hi?") as stream:
            for event in stream:
                if event.type == "response.output_text.delta":
                    break

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.response_text, call.duration is not None) == (False, "Hel", True)


def test_a_request_still_under_way_in_a_thread_is_waited_for():
    with talking(openai.OpenAI, failure(), chat("Hello there."), path="/v1", max_retries=1) as (client, _):
        with capture(wait=20) as cap:
            threading.Thread(target=client.chat.completions.create, kwargs=ASKED).start()
            deadline = time.monotonic() + 10
            while not cap.invocations and time.monotonic() < deadline:
                time.sleep(0.001)

    assert cap.invocation.status is Status.COMPLETED
    assert_that(cap).has_model_call_count(1)
    assert cap.invocation.model_calls[0].response_text == "Hello there."


def test_a_task_that_is_cancelled_in_the_middle_of_a_stream_did_not_fail():
    async def cancelled(client):
        stream = await client.chat.completions.create(**ASKED, stream=True)

        async def read():
            await anext(stream)
            await anext(stream)
            task.cancel()
            await anext(stream)

        task = asyncio.ensure_future(read())
        with pytest.raises(asyncio.CancelledError):
            await task
        await stream.close()

    with talking(openai.AsyncOpenAI, Reply({}, chat("Hello there." * 5000).events), path="/v1") as (client, _):
        with capture() as cap:
            run(client, cancelled)

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.error) == (False, None)


def test_an_asynchronous_stream_that_breaks_is_a_failed_call():
    async def read(client):
        async for _ in await client.chat.completions.create(**ASKED, stream=True):
            pass

    reply = Reply({}, [*chat("Hello there.").events[:2], 'data: {"error": {"message": "kaput"}}\n\n'])
    with talking(openai.AsyncOpenAI, reply, path="/v1") as (client, _):
        with capture() as cap, pytest.raises(openai.APIError) as raised:
            run(client, read)

    (call,) = cap.invocation.model_calls
    assert call.error is raised.value


def test_functions_and_custom_tools_are_put_together_too():
    def streamed(*deltas):
        choices = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas]
        head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        return Reply({}, [f"data: {json.dumps(head | {'choices': [choice]})}\n\n" for choice in choices])

    called = ({"name": "look", "arguments": '{"a"'}, {"arguments": ": 1}"})
    functions = streamed(*({"function_call": part} for part in called))
    asked = (
        {"index": 0, "id": "c", "type": "custom", "custom": {"name": "sql", "input": "sel"}},
        {"index": 0, "custom": {"input": "ect"}},
    )
    custom = streamed(*({"tool_calls": [part]} for part in asked))
    with talking(openai.OpenAI, functions, custom, path="/v1") as (client, _):
        with capture() as cap:
            for _ in range(2):
                list(client.chat.completions.create(**ASKED, stream=True))

    requests = [(one.name, one.arguments, one.call_id) for one in cap.invocation.tool_execution_requests]
    assert requests == [("look", {"a": 1}, None), ("sql", {"input": "select"}, "c")]


def test_a_completion_that_is_left_has_its_text_so_far():
    with talking(openai.OpenAI, completion("upon a time"), path="/v1") as (client, _):
        with capture() as cap:
            stream = client.completions.create(model="c", prompt="Once", stream=True)
            next(stream)
            stream.close()

    (call,) = cap.invocation.model_calls
    assert (call.completed, call.response_text) == (False, "upo")


def test_items_that_the_last_event_leaves_out_are_those_that_came_before_it():
    whole = response(message("Hello there."), function_call("pay", {"amount": 5}, "c"))
    *before, last = whole.events
    event = json.loads(last.partition("data: ")[2])
    event["response"]["output"] = []
    events = [*before, f"event: response.completed\ndata: {json.dumps(event)}\n\n"]
    with talking(openai.OpenAI, Reply({}, events), path="/v1") as (client, _):
        with capture() as cap:
            list(client.responses.create(model="m", input="Hi?", stream=True))

    (call,) = cap.invocation.model_calls
    assert (call.response_text, call.token_usage.total_tokens) == ("Hello there.", 5)
    assert [one.name for one in call.tool_execution_requests] == ["pay"]


def test_an_error_among_the_events_is_a_failed_call():
    broken = {"type": "error", "code": "server_error", "message": "kaput", "param": None, "sequence_number": 1}
    events = [response(message("x")).events[0], f"event: error\ndata: {json.dumps(broken)}\n\n"]
    with talking(openai.OpenAI, Reply({}, events), path="/v1") as (client, _):
        with capture() as cap:
            with contextlib.suppress(openai.APIError):  # some releases raise it, some hand it on
                list(client.responses.create(model="m", input="Hi?", stream=True))

    (call,) = cap.invocation.model_calls
    assert (call.completed, "kaput" in str(call.error)) == (False, True)


def test_a_stream_where_there_should_be_none_is_a_call_without_an_answer():
    with talking(openai.OpenAI, chat("Hello there."), path="/v1") as (client, _):
        with capture() as cap:
            body = {"model": "e", "input": "a", "stream": True}
            stream = client.post("/embeddings", cast_to=object, body=body, stream=True, stream_cls=openai.Stream[object])
            assert len(list(stream)) == 5

    (call,) = cap.invocation.model_calls
    assert (call.kind, call.completed) == ("embedding", False)
