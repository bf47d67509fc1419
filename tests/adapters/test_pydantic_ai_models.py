"""Requests to models by Pydantic AI: what was sent, what came back, and how often."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

pytest.importorskip("pydantic_ai")

import pydantic_ai
from pydantic_ai import Agent, Embedder, FallbackExceptionGroup, ModelHTTPError, ModelRetry, RunContext, UnexpectedModelBehavior
from pydantic_ai import direct as requests
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.embeddings import TestEmbeddingModel
from pydantic_ai.exceptions import SkipModelRequest
from pydantic_ai.messages import BinaryContent, ImageUrl, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.test import TestModel
from pydantic_ai.usage import UsageLimits

from agentassert import (
    ChatModelCall,
    EmbeddingModelCall,
    FinishReason,
    NotRecordedError,
    ScoringModelCall,
    TokenUsage,
    assert_that,
    capture,
)
from tests.adapters.pydantic_ai_parts import again, agent, broken, get_booking, run_sync
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, own_loop, says

ASKED = asks_for(("get_booking", {"number": "1"}, "c1"), text="let me see")


def test_a_request_and_its_response_are_recorded():
    support = agent(ASKED, says("done"), tools=[get_booking, broken], instructions="Be nice.", system_prompt="You are Ann.")

    with capture() as cap:
        run_sync(support)

    first, second = cap.invocation.own_chat_model_calls
    assert (first.model, first.tools_offered) == ("scripted-1", ("get_booking", "broken"))
    assert first.messages == (
        {"role": "system", "content": "Be nice."},
        {"role": "system", "content": "You are Ann."},
        {"role": "user", "content": "hi"},
    )
    assert (first.response_text, first.finish_reason) == ("let me see", FinishReason.TOOL_EXECUTION)
    assert first.token_usage == TokenUsage(input_tokens=11, output_tokens=3, total_tokens=14)
    assert second.messages[3:] == (
        {
            "role": "assistant",
            "content": "let me see",
            "tool_calls": [{"name": "get_booking", "arguments": {"number": "1"}, "call_id": "c1"}],
        },
        {
            "role": "tool",
            "content": '{"number":"1","customer":"Ann"}',
            "name": "get_booking",
            "tool_call_id": "c1",
            "status": "success",
        },
    )
    assert (second.response_text, second.finish_reason) == ("done", FinishReason.STOP)
    assert_that(cap).chat_model_call(0).has_system_message_containing("nice").has_tool_offered("broken")


def test_failures_are_told_to_the_model_as_such():
    support = agent(asks_for(("again", {"x": 1}, "c1"), ("nope", {}, "c2")), says("short"), says("long enough"), tools=[again])

    @support.output_validator
    def is_long(text: str) -> str:
        if len(text) < 6:
            raise ModelRetry("longer")
        return text

    with capture() as cap:
        run_sync(support)

    told = cap.invocation.model_calls[1].messages[2:]
    assert [(one["role"], one["name"], one["tool_call_id"], one["status"]) for one in told] == [
        ("tool", "again", "c1", "error"),
        ("tool", "nope", "c2", "error"),
    ]
    assert "not 1" in told[0]["content"]
    last = cap.invocation.model_calls[2].messages[-1]
    assert last["role"] == "user"
    assert "longer" in last["content"]


def test_files_are_told_by_what_they_are_not_by_their_bytes():
    given = ["Look", ImageUrl(url="https://example.com/kettle.png"), BinaryContent(b"\x89PNG", media_type="image/png")]

    with capture() as cap:
        run_sync(agent(says("a kettle")), given)

    text, image, binary = cap.invocation.model_calls[0].messages[0]["content"]
    assert (text, image["url"]) == ({"type": "text", "text": "Look"}, "https://example.com/kettle.png")
    assert (binary["type"], binary["media_type"], "data" in binary) == ("binary", "image/png", False)
    assert_that(cap).chat_model_call(0).has_user_message_containing("Look")


def test_usage_that_nobody_reports_is_not_zero():
    with capture() as cap:
        run_sync(agent(says("done", tokens=None)))

    assert cap.invocation.model_calls[0].token_usage is None
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_total_tokens_at_most(100)


@pytest.mark.parametrize(
    ("details", "normal", "reason", "raw"),
    [
        (None, "length", FinishReason.LENGTH, "length"),
        ({"finish_reason": "MAX_TOKENS"}, "length", FinishReason.LENGTH, "MAX_TOKENS"),
        ({"finish_reason": "peculiar"}, "stop", FinishReason.STOP, "stop"),
        ({"finish_reason": "peculiar"}, None, FinishReason.OTHER, "peculiar"),
        (None, None, None, None),
    ],
)
def test_the_finish_reason_is_the_providers_own_word_where_it_is_known(details, normal, reason, raw):
    with capture() as cap:
        run_sync(agent(ModelResponse([TextPart("done")], provider_details=details, finish_reason=normal)))

    call = cap.invocation.model_calls[0]
    assert (call.finish_reason, call.raw_finish_reason) == (reason, raw)


def test_a_failed_request_is_a_call_that_failed():
    support = agent(ModelHTTPError(500, "scripted-1"))

    with capture(expecting_failure=True) as cap:
        run_sync(support)

    (call,) = cap.invocation.model_calls
    assert (call.failed, call.error is cap.invocation.error) == (True, True)
    assert_that(cap).has_failed_with(ModelHTTPError)


def test_a_fallback_is_one_call_of_the_model_that_answered():
    first, second = ScriptedModel(ModelHTTPError(503, "first"), name="first"), ScriptedModel(says("done"), name="second")

    with capture() as cap:
        run_sync(Agent(FallbackModel(first, second), name="careful"))

    (call,) = cap.invocation.model_calls
    assert (call.model, call.response_text, call.failed) == ("second", "done", False)


def test_a_fallback_of_which_nothing_answers_fails():
    models = [ScriptedModel(ModelHTTPError(503, name), name=name) for name in ("first", "second")]

    with capture(expecting_failure=True) as cap:
        run_sync(Agent(FallbackModel(*models), name="careful"))

    assert_that(cap).has_failed_with(FallbackExceptionGroup)
    assert cap.invocation.model_calls[0].failed


def test_a_history_that_is_cut_is_recorded_as_it_was_sent():
    class Short(AbstractCapability[None]):
        async def before_model_request(self, ctx, request_context):
            request_context.messages = request_context.messages[-1:]
            return request_context

    history = [ModelRequest([UserPromptPart("before")]), ModelResponse([TextPart("yes?")])]
    with capture() as cap:
        run_sync(agent(says("done"), capabilities=[Short()]), message_history=history)

    assert cap.invocation.model_calls[0].messages == ({"role": "user", "content": "hi"},)


def test_a_request_that_a_capability_answers_is_no_call():
    class Cache(AbstractCapability[None]):
        async def before_model_request(self, ctx, request_context):
            raise SkipModelRequest(ModelResponse([TextPart("from the cache")]))

    with capture() as cap:
        run_sync(agent(capabilities=[Cache()]))

    assert (cap.output, cap.invocation.model_calls) == ("from the cache", ())


def test_a_response_that_a_capability_refuses_is_recorded():
    class Picky(AbstractCapability[None]):
        async def after_model_request(self, ctx, *, request_context, response):
            if response.parts[0].content == "bad":
                raise ModelRetry("better")
            return response

    with capture() as cap:
        run_sync(agent(says("bad"), says("good"), capabilities=[Picky()]))

    assert [one.response_text for one in cap.invocation.model_calls] == ["bad", "good"]


@pytest.mark.skipif(not hasattr(pydantic_ai, "RetryModelRequest"), reason="this version knows no attempts")
def test_a_capability_that_changes_the_model_makes_attempts_of_one_call():
    other = ScriptedModel(says("good"), name="other")

    class Switching(AbstractCapability[None]):
        async def after_model_request(self, ctx, *, request_context, response):
            if request_context.model is not other:
                raise pydantic_ai.RetryModelRequest(model=other)
            return response

    with capture() as cap:
        run_sync(agent(says("bad"), capabilities=[Switching()]))

    (call,) = cap.invocation.model_calls
    assert (call.model, call.response_text, call.attempts) == ("other", "good", 2)


def test_usage_limits_fail_the_invocation():
    support = agent(ASKED, says("never"), tools=[get_booking])

    with capture(expecting_failure=True) as cap:
        run_sync(support, usage_limits=UsageLimits(request_limit=1))

    assert_that(cap).has_failed_with(pydantic_ai.UsageLimitExceeded)
    assert len(cap.invocation.model_calls) == 1


def test_an_answer_without_sense_fails_the_invocation():
    support = agent(ModelResponse([]), ModelResponse([]))

    with capture(expecting_failure=True) as cap:
        run_sync(support)

    assert_that(cap).has_failed_with(UnexpectedModelBehavior)


def test_models_for_tests_and_overridden_models_are_recorded():
    support = Agent("openai:gpt-5", name="support", tools=[get_booking], defer_model_check=True)

    with support.override(model=TestModel(custom_output_text="done")), capture() as cap:
        run_sync(support)

    assert_that(cap).has_tool_executed("get_booking").has_model_call_count(ChatModelCall, 2)
    assert cap.invocation.model_calls[0].model == "test"


def test_calls_in_a_tool_are_not_the_agents_own():
    async def summarise(ctx: RunContext[None]) -> str:
        response = await requests.model_request(ScriptedModel(says("brief")), [ModelRequest.user_text_prompt("long")])
        return response.parts[0].content

    support = agent(asks_for(("summarise", {}, "c1")), says("done"), tools=[summarise])
    with capture() as cap:
        run_sync(support)

    assert [(one.own, one.response_text) for one in cap.invocation.model_calls] == [(True, ""), (False, "brief"), (True, "done")]
    assert_that(cap).has_own_chat_model_call_count(2)


class TestDirectRequests:
    """Requests without an agent."""

    ASKED = (ModelRequest.user_text_prompt("hi"),)

    def test_a_request_is_recorded(self):
        with own_loop(), capture() as cap:
            response = requests.model_request_sync(ScriptedModel(says("yes")), self.ASKED)

        (call,) = cap.invocation.model_calls
        assert (response.parts[0].content, call.response_text, call.model) == ("yes", "yes", "scripted-1")
        assert call.messages == ({"role": "user", "content": "hi"},)
        assert cap.output == "yes"

    def test_a_failing_request_is_recorded(self):
        with own_loop(), pytest.raises(ModelHTTPError), capture() as cap:
            requests.model_request_sync(ScriptedModel(ModelHTTPError(500, "m")), self.ASKED)

        assert cap.invocation.model_calls[0].failed

    @pytest.mark.parametrize("reads", [True, False])
    def test_a_streamed_request_is_recorded_as_far_as_it_was_read(self, reads):
        async def run():
            async with capture() as cap:
                async with requests.model_request_stream(ScriptedModel(says("yes and no")), self.ASKED) as stream:
                    if reads:
                        assert len([part async for part in stream]) > 1
            return cap.invocation.model_calls[0]

        assert asyncio.run(run()).response_text == ("yes and no" if reads else "")

    def test_a_stream_that_breaks_is_recorded(self):
        class Broken(ScriptedModel):
            @asynccontextmanager
            async def request_stream(self, *args):
                raise ModelHTTPError(500, "m")
                yield

        async def run():
            async with capture() as cap:
                with pytest.raises(ModelHTTPError):
                    async with requests.model_request_stream(Broken(), self.ASKED):
                        pass
            return cap.invocation.model_calls[0]

        assert asyncio.run(run()).failed

    def test_nothing_is_recorded_without_a_capture(self):
        with own_loop():
            assert requests.model_request_sync(ScriptedModel(says("yes")), self.ASKED).parts[0].content == "yes"
        with capture() as cap:
            pass
        assert cap.invocations == ()


class TestEmbeddings:
    """Requests to embedding models."""

    def test_they_are_recorded(self):
        embedder = Embedder(TestEmbeddingModel())

        async def look_up(question: str) -> int:
            return len((await embedder.embed_query(question)).embeddings)

        support = agent(asks_for(("look_up", {"question": "scale?"}, "c1")), says("done"), tools=[look_up])
        with capture() as cap:
            run_sync(support)

        (call,) = [one for one in cap.invocation.model_calls if isinstance(one, EmbeddingModelCall)]
        assert (call.model, call.inputs, call.token_usage.input_tokens) == ("test", ("scale?",), 1)
        assert_that(cap).has_model_call_count(EmbeddingModelCall, 1)
        with pytest.raises(NotRecordedError):
            assert_that(cap).has_model_call_count(ScoringModelCall, 0)

    def test_a_failing_one_is_recorded(self):
        class Broken(TestEmbeddingModel):
            async def embed(self, inputs, *, input_type, settings=None):
                raise ModelHTTPError(500, "m")

        with own_loop(), pytest.raises(ModelHTTPError), capture() as cap:
            asyncio.run(Embedder(Broken()).embed_documents(["a", "b"]))

        (call,) = cap.invocation.model_calls
        assert (call.failed, call.inputs) == (True, ("a", "b"))
