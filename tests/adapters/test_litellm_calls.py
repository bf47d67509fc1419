"""Calls over LiteLLM: each of its functions is one model call, however it is held, retried, routed or answered."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib.util
import inspect
import json
import time
import traceback
import weakref
from contextvars import Context

import pytest

pytest.importorskip("litellm")

import litellm
from litellm import Router, acompletion, completion
from litellm.integrations.custom_logger import CustomLogger

from agentassert import (
    CaptureWarning,
    ChatModelCall,
    EmbeddingModelCall,
    FinishReason,
    ModerationModelCall,
    NotRecordedError,
    Outcome,
    ScoringModelCall,
    assert_that,
    capture,
    record,
)
from agentassert.scripted import reply, scripted_model
from tests.adapters.litellm_parts import quietly
from tests.scripted import openai_sdk
from tests.scripted.litellm import MODEL, asks_for, says, scripted
from tests.scripted.loopback import serving

pytestmark = quietly
QUESTION = [{"role": "user", "content": "Where is MS-777?"}]
TOOLS = [{"type": "function", "function": {"name": "get_booking", "parameters": {"type": "object", "properties": {}}}}]
HELD = functools.partial(completion, MODEL)  # as programs hold it long before any capture
KEY = {"api_key": "none", "max_retries": 0}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(litellm, "suppress_debug_info", True)


@pytest.fixture(autouse=True, scope="module")
def collected():
    """What it leaves behind is to warn here or nowhere."""
    yield
    gc.collect()


def only(cap):
    (call,) = cap.invocation.model_calls
    return call


async def exhaust(stream):
    return [part async for part in stream]


def counts(call):
    usage = call.token_usage
    return None if usage is None else (usage.input_tokens, usage.output_tokens, usage.total_tokens)


def test_a_call_over_no_sdk_is_recorded_with_all_that_litellm_tells():
    with scripted(asks_for(("get_booking", {"number": "MS-777"}, "c1"))), capture() as cap:
        completion(MODEL, QUESTION, tools=TOOLS)

    call = only(cap)
    assert (type(call), call.model, call.tools_offered, call.attempts) == (ChatModelCall, MODEL, ("get_booking",), 1)
    assert [(one.name, one.arguments, one.call_id) for one in call.tool_execution_requests] == [
        ("get_booking", {"number": "MS-777"}, "c1")
    ]
    assert (counts(call), call.finish_reason, call.cached) == ((11, 3, 14), FinishReason.TOOL_EXECUTION, False)
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("MS-777")


def test_what_a_program_holds_since_before_the_capture_is_recorded_too():
    with scripted(says("one"), says("two"), says("three")), capture() as cap:
        HELD(QUESTION)
        litellm.main.completion(model=MODEL, messages=QUESTION)
        asyncio.run(acompletion(model=MODEL, messages=QUESTION))

    assert [call.response_text for call in cap.invocation.model_calls] == ["one", "two", "three"]


def test_functions_stay_the_objects_that_they_are_and_get_their_own_code_back():
    functions = [completion, acompletion, litellm.main.completion, litellm.embedding, litellm.rerank, litellm.aresponses]
    before = [(one, one.__code__, one.__kwdefaults__, inspect.signature(one)) for one in functions]
    with capture():
        assert litellm.completion is completion
        within = [inspect.signature(one) for one in functions]
        assert [inspect.iscoroutinefunction(one) for one in functions] == [False, True, False, False, False, True]
        assert completion.__code__ is not before[0][1]
    after = [(one, one.__code__, one.__kwdefaults__, inspect.signature(one)) for one in functions]

    assert after == before
    assert within == [signature for *_, signature in before]


def test_the_frames_of_a_call_that_failed_can_be_looked_at():
    with scripted(ValueError("kaput")), capture(), pytest.raises(litellm.APIConnectionError) as caught:
        completion(MODEL, QUESTION)

    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert "agentassert_wrapper" in "".join(shown.format())


def test_nothing_is_left_of_us_where_no_capture_listens():
    with capture():
        pass
    with scripted(says("Hi"), ValueError("kaput")):
        assert completion(MODEL, QUESTION).choices[0].message.content == "Hi"
        with pytest.raises(litellm.APIConnectionError) as caught:
            completion(MODEL, QUESTION)
    assert "agentassert" not in "".join(traceback.format_tb(caught.value.__traceback__))


def test_other_instrumentation_over_ours_stays_and_calls_it(monkeypatch):
    heard = []

    def traced(original):
        @functools.wraps(original)
        def call(*args, **kwargs):
            heard.append(kwargs["model"])
            return original(*args, **kwargs)

        return call

    monkeypatch.setattr(litellm, "completion", traced(litellm.completion))
    ours = litellm.completion.__code__
    with scripted(says("Hi")), capture() as cap:
        litellm.completion(model=MODEL, messages=QUESTION)

    assert (heard, only(cap).response_text) == ([MODEL], "Hi")
    assert litellm.completion.__code__ is ours


@pytest.mark.parametrize("asynchronous", [False, True])
def test_embeddings(asynchronous):
    with serving(openai_sdk.embedding(4)) as provider, capture() as cap:
        options = KEY | {"model": "openai/e-1", "input": ["MS-777"], "api_base": provider.url}
        if asynchronous:
            asyncio.run(litellm.aembedding(**options))
        else:
            litellm.embedding(**options)

    call = only(cap)
    assert (type(call), call.inputs, call.token_usage.input_tokens) == (EmbeddingModelCall, ("MS-777",), 4)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_moderations(asynchronous):
    with serving(openai_sdk.moderation()) as provider, capture() as cap:
        client = {"api_key": "none", "api_base": provider.url}
        if asynchronous:
            asyncio.run(litellm.amoderation("Is that nice?", "omni", **client))
        else:
            import openai

            litellm.moderation("Is that nice?", "omni", client=openai.OpenAI(api_key="none", base_url=provider.url))

    call = only(cap)
    assert (type(call), call.inputs) == (ModerationModelCall, ("Is that nice?",))


@pytest.mark.parametrize("asynchronous", [False, True])
def test_reranking(asynchronous):
    body = {"id": "r-1", "results": [{"index": 1, "relevance_score": 0.9}], "meta": {"tokens": {"input_tokens": 6}}}
    with serving(openai_sdk.Reply(body)) as provider, capture() as cap:
        options = {"api_key": "none", "api_base": provider.url, "documents": ["one", "two"]}
        if asynchronous:
            asyncio.run(litellm.arerank("cohere/rerank-1", "Which?", **options))
        else:
            litellm.rerank("cohere/rerank-1", "Which?", **options)

    call = only(cap)
    assert (type(call), call.model, call.inputs) == (ScoringModelCall, "cohere/rerank-1", ("Which?", "one", "two"))
    assert call.token_usage.input_tokens == 6


@pytest.mark.parametrize("streamed", [False, True])
def test_completions_of_a_text(streamed):
    with serving(openai_sdk.completion("Hello")) as provider, capture() as cap:
        given = litellm.text_completion(
            "Say hello", "text-completion-openai/t-1", api_key="none", api_base=provider.url, stream=streamed
        )
        if streamed:
            list(given)

    call = only(cap)
    assert (call.response_text, call.attempts, call.finish_reason) == ("Hello", 1, FinishReason.LENGTH)
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("Say hello")


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_responses(asynchronous, streamed):
    reply = openai_sdk.response(openai_sdk.message("Hello"), usage=(3, 2))
    with serving(reply) as provider, capture() as cap:
        options = KEY | {"model": "openai/r-1", "api_base": provider.url, "stream": streamed}

        async def run():
            given = await litellm.aresponses("Say hello", **options)
            if streamed:
                await exhaust(given)

        if asynchronous:
            asyncio.run(run())
        else:
            given = litellm.responses("Say hello", **options)
            if streamed:
                list(given)

    call = only(cap)
    assert (call.response_text, counts(call), call.attempts) == ("Hello", (3, 2, 5), 1)
    assert_that(cap).chat_model_call(0).has_last_user_message_containing("Say hello")


def test_zeros_in_the_place_of_usage_are_none():
    with scripted(says("Hi", tokens=None)), capture() as cap:
        completion(MODEL, QUESTION)

    assert only(cap).token_usage is None
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_total_tokens_at_most(100)


@pytest.mark.parametrize("error", [ValueError("kaput"), ConnectionError("no answer")])
def test_a_provider_that_fails(error):
    with scripted(error), capture() as cap, pytest.raises(litellm.APIConnectionError) as caught:
        completion(MODEL, QUESTION)

    assert (only(cap).failed, only(cap).error, only(cap).attempts) == (True, caught.value, 1)


def test_a_call_that_is_cancelled_did_not_fail():
    async def run():
        waiting = asyncio.Event()

        async def wait(*args, **kwargs):
            waiting.set()
            await asyncio.Event().wait()

        with scripted() as model, capture(wait=0) as cap:
            model.acompletion = wait
            task = asyncio.create_task(acompletion(MODEL, QUESTION))
            await asyncio.wait_for(waiting.wait(), 10)
            task.cancel()
            await asyncio.wait([task])
        return cap

    call = only(asyncio.run(run()))
    assert (call.completed, call.failed) == (False, False)


class TestAttempts:
    """One call, however often providers are asked."""

    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_retries(self, asynchronous):
        with serving(openai_sdk.failure(), openai_sdk.chat("Hi", usage=(9, 4))) as provider, capture() as cap:
            options = {"model": "openai/g", "messages": QUESTION, "api_base": provider.url, "api_key": "none", "num_retries": 2}
            if asynchronous:
                asyncio.run(acompletion(**options))
            else:
                completion(**options)

        assert (only(cap).attempts, only(cap).response_text, counts(only(cap))) == (2, "Hi", (9, 4, 13))

    def test_fallbacks(self):
        with scripted(ConnectionError("no answer"), says("Hi")) as model, capture() as cap:
            given = completion(MODEL, QUESTION, fallbacks=["scripted/m-2"])

        assert given.choices[0].message.content == "Hi"
        assert len(model.requests) == 2
        assert (only(cap).model, only(cap).response_text, only(cap).failed) == (MODEL, "Hi", False)

    @pytest.mark.parametrize("way", ["plain", "stream", "async", "async stream"])
    def test_deployments_of_a_router(self, way):
        with serving(openai_sdk.failure(), openai_sdk.chat("Hi", usage=(9, 4))) as provider, capture() as cap:
            models = [
                {
                    "model_name": name,
                    "litellm_params": {
                        "model": f"openai/g-{name}",
                        "api_base": provider.url,
                        "api_key": "none",
                        "max_retries": 0,
                    },
                }
                for name in "ab"
            ]
            router = Router(models, fallbacks=[{"a": ["b"]}], num_retries=0)
            options = {"stream": True, "stream_options": {"include_usage": True}} if "stream" in way else {}

            async def run():
                given = await router.acompletion("a", QUESTION, **options)
                if options:
                    await exhaust(given)

            if "async" in way:
                asyncio.run(run())
            else:
                given = router.completion("a", QUESTION, **options)
                if options:
                    list(given)

        assert [body["model"] for _, body in provider.requests] == ["g-a", "g-b"]
        assert (only(cap).model, only(cap).attempts, only(cap).response_text) == ("a", 2, "Hi")
        assert counts(only(cap)) == (9, 4, 13)


class TestStreams:
    """A call that is answered by a stream ends with that."""

    def test_a_stream(self):
        with scripted(says("Hello")), capture() as cap:
            parts = [part.choices[0].delta.content for part in completion(MODEL, QUESTION, stream=True)]

        assert [part for part in parts if part] == ["Hel", "lo"]
        assert (only(cap).response_text, only(cap).finish_reason) == ("Hello", FinishReason.STOP)

    def test_an_async_stream(self):
        async def run():
            return await exhaust(await acompletion(MODEL, QUESTION, stream=True))

        with scripted(says("Hello")), capture() as cap:
            asyncio.run(run())

        assert (only(cap).response_text, only(cap).finish_reason) == ("Hello", FinishReason.STOP)

    def test_a_stream_that_is_read_in_another_context(self):
        with scripted(says("Hello")), capture() as cap:
            stream = completion(MODEL, QUESTION, stream=True)
            Context().run(list, stream)

        assert only(cap).response_text == "Hello"

    def test_a_stream_that_is_dropped(self):
        with scripted(says("Hello")), capture() as cap:
            stream = completion(MODEL, QUESTION, stream=True)
            next(stream)
            alive = weakref.ref(stream)
            del stream
            deadline = time.monotonic() + 30
            while alive() is not None:  # LiteLLM's own thread, which logs the part, holds it for a moment
                assert time.monotonic() < deadline
                time.sleep(0.01)
                gc.collect()

        assert (only(cap).completed, only(cap).failed, only(cap).response_text) == (False, False, "Hel")

    def test_an_async_stream_that_is_closed(self):
        async def run():
            stream = await acompletion(MODEL, QUESTION, stream=True)
            await anext(stream)
            await stream.aclose()
            return stream

        with scripted(says("Hello")), capture() as cap:
            stream = asyncio.run(run())

        assert stream is not None
        assert (only(cap).completed, only(cap).failed, only(cap).response_text) == (False, False, "Hel")

    def test_the_stream_is_the_very_object_that_litellm_gives(self):
        with scripted(says("Hello"), says("Hello")), capture():
            within = completion(MODEL, QUESTION, stream=True)
            list(within)
        without = completion(MODEL, QUESTION, stream=True, mock_response="Hello")
        assert type(within) is type(without)
        assert "agentassert" not in type(without).__next__.__module__

    def test_a_stream_that_breaks(self):
        def breaking(*args, **kwargs):
            yield {"text": "Hel", "tool_use": None, "is_finished": False, "finish_reason": "", "usage": None, "index": 0}
            raise ConnectionError("gone")

        with scripted() as model, capture() as cap:
            model.streaming = breaking
            with pytest.raises(Exception, match="gone") as caught:
                list(completion(MODEL, QUESTION, stream=True))

        assert (only(cap).failed, only(cap).error) == (True, caught.value)


class TestCaches:
    """An answer out of LiteLLM's cache is one of no provider."""

    @pytest.fixture(autouse=True)
    def cache(self, monkeypatch):
        # Newer versions need the packages of LiteLLM's proxy to answer out of a cache.
        if importlib.util.find_spec("litellm.llms.anthropic.messages") is not None:
            pytest.importorskip("litellm.llms.anthropic.messages.native.response_cache")
        from litellm.caching.caching import Cache

        monkeypatch.setattr(litellm, "cache", Cache(type="local"))

    def test_an_answer(self):
        with scripted(says("Hi")) as model, capture() as cap:
            for _ in range(2):
                completion(MODEL, QUESTION, caching=True)

        assert len(model.requests) == 1
        assert [(call.cached, call.response_text, counts(call)) for call in cap.invocation.model_calls] == [
            (False, "Hi", (11, 3, 14)),
            (True, "Hi", None),
        ]
        assert_that(cap).has_total_tokens_at_most(14)


def test_tools_that_a_loop_runs_are_inferred():
    with scripted(asks_for(("get_booking", {"number": "MS-777"}, "c1")), says("Done.")), capture() as cap:
        history = list(QUESTION)
        asked = completion(MODEL, history, tools=TOOLS).choices[0].message
        history += [asked, {"role": "tool", "tool_call_id": asked.tool_calls[0].id, "content": "confirmed"}]
        completion(MODEL, history, tools=TOOLS)

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.result) == ("get_booking", {"number": "MS-777"}, "confirmed")
    assert (execution.inferred, execution.outcome) == (True, Outcome.UNKNOWN)
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_tool_executed("get_booking")


@pytest.mark.skipif(not hasattr(litellm, "run_tool_loop"), reason="this version has no loop of its own")
def test_the_loop_of_litellm_itself():
    @record.tool
    def get_booking(number):
        return f"{number}: confirmed"

    def execute(call):
        return {"role": "tool", "tool_call_id": call.id, "content": get_booking(**json.loads(call.function.arguments))}

    with scripted(asks_for(("get_booking", {"number": "MS-777"}, "c1")), says("Done.")), capture() as cap:
        litellm.run_tool_loop(model=MODEL, messages=QUESTION, tools=TOOLS, execute_tool=execute)

    assert_that(cap).has_tools_executed_exactly_in_order("get_booking").has_own_chat_model_call_count(2)
    assert cap.invocation.tool_executions[0].call_id == "c1"


def test_callbacks_of_the_program_hear_what_they_heard(monkeypatch):
    class Log(CustomLogger):
        def log_pre_api_call(self, model, messages, kwargs):
            heard.append(model)

    heard = []
    monkeypatch.setattr(litellm, "callbacks", [Log()])
    monkeypatch.setattr(litellm, "input_callback", [])
    with serving(openai_sdk.chat("Hi")) as provider, capture() as cap:
        completion("openai/g", QUESTION, api_base=provider.url, **KEY)

    assert (heard, only(cap).response_text) == (["g"], "Hi")


def test_that_nobody_reads_the_formats_of_other_providers_is_said():
    with scripted_model([reply("Oslo")]) as model, pytest.warns(CaptureWarning, match="in the formats of Anthropic and Google"):
        options = {"api_base": model.anthropic_base_url, "api_key": "none", "max_tokens": 10}
        with capture() as cap:
            asyncio.run(litellm.anthropic.messages.acreate(model="anthropic/m", messages=QUESTION, **options))
            completion(MODEL, QUESTION, mock_response="Rome")

    assert only(cap).response_text == "Rome"
    with pytest.raises(NotRecordedError, match="the 'litellm' adapter cannot see chat model calls"):
        assert_that(cap).has_own_chat_model_call_count(1)
