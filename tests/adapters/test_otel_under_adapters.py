"""Spans of a provider's instrumentation within the call of an adapter of its own: a request that carries that call out."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import StatusCode

from agentassert import ChatModelCall, EmbeddingModelCall, TokenUsage, assert_that, capture, record, recorder
from tests.adapters.otel_parts import chat

ASKED = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gemini"}
USAGE = {"gen_ai.usage.input_tokens": 9, "gen_ai.usage.output_tokens": 4}


@pytest.fixture
def tracer():
    """That of the instrumentation of a provider for whose SDK there is no adapter."""
    return TracerProvider().get_tracer("opentelemetry.instrumentation.google_genai")


def answered(cap):
    return [(call.response_text, call.own, call.attempts, call.token_usage) for call in cap.invocation.model_calls]


def scripted_by(tracer, *spans):
    """A model of LangChain over an SDK whose instrumentation writes these spans."""
    from langchain_core.outputs import ChatGeneration, ChatResult

    from tests.scripted.langchain import ScriptedChatModel, says

    class Model(ScriptedChatModel):
        def _generate(self, messages, *args, **kwargs):
            for attributes, error in spans:
                with tracer.start_as_current_span("generate_content gemini", attributes=attributes) as span:
                    if error is not None:
                        span.set_status(StatusCode.ERROR, error)
            return ChatResult(generations=[ChatGeneration(message=says("Hi", tokens=None))])

    return Model()


def test_a_span_within_a_call_of_langchain_is_that_call(tracer):
    pytest.importorskip("langchain_core")
    model = scripted_by(tracer, ({**ASKED, **USAGE}, None))

    with capture() as cap:
        model.invoke("Hi")

    assert answered(cap) == [("Hi", True, 1, TokenUsage(input_tokens=9, output_tokens=4))]
    assert_that(cap).has_model_call_count(ChatModelCall, 1).has_total_tokens_at_most(13)


def test_the_spans_of_a_request_that_was_sent_again_are_attempts(tracer):
    pytest.importorskip("langchain_core")
    model = scripted_by(tracer, (ASKED, "busy"), ({**ASKED, **USAGE}, None))

    with capture() as cap:
        model.invoke("Hi")

    assert answered(cap) == [("Hi", True, 2, TokenUsage(input_tokens=9, output_tokens=4))]


def test_a_span_within_a_call_of_pydantic_ai_is_that_call(tracer):
    pytest.importorskip("pydantic_ai")
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    def answer(messages, info):
        with tracer.start_as_current_span("generate_content gemini", attributes={**ASKED, **USAGE}):
            return ModelResponse([TextPart("Hi")])

    async def run():
        async with capture() as cap:
            await Agent(FunctionModel(answer), name="support").run("Hi")
        return cap

    assert len(answered(asyncio.run(run()))) == 1


def test_a_span_within_a_call_recorded_by_hand_is_that_call(tracer):
    with capture() as cap, record.model_call("gemini") as call:
        with tracer.start_as_current_span("generate_content gemini", attributes={**ASKED, **USAGE}):
            pass
        call.respond("Hi")

    assert answered(cap) == [("Hi", True, 1, TokenUsage(input_tokens=9, output_tokens=4))]


def test_a_request_of_an_sdk_within_such_a_span_is_no_further_attempt(tracer):
    with capture() as cap, record.model_call("gemini") as call:
        with tracer.start_as_current_span("generate_content gemini", attributes=ASKED):
            sent = recorder.start_model_call(adapter="google", model="gemini", sends=True)
            sent.respond(text="Hi", usage=TokenUsage(input_tokens=9, output_tokens=4))
        call.respond("Hi")

    assert answered(cap) == [("Hi", True, 1, TokenUsage(input_tokens=9, output_tokens=4))]


def test_a_span_of_another_kind_of_call_is_a_call_of_its_own(tracer):
    with capture() as cap, record.model_call("gemini") as call:
        with tracer.start_as_current_span("embeddings e-1", attributes={**ASKED, "gen_ai.operation.name": "embeddings"}):
            pass
        call.respond("Hi")

    assert [type(one) for one in cap.invocation.model_calls] == [ChatModelCall, EmbeddingModelCall]


def test_a_span_after_the_call_has_been_answered_is_a_call_of_its_own(tracer):
    with capture() as cap:
        with record.model_call("gemini") as call:
            call.respond("Hi")
        with tracer.start_as_current_span("chat m-1", attributes=chat()):
            pass

    assert len(cap.invocation.model_calls) == 2
