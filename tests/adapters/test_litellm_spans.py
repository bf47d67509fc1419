"""LiteLLM while it is traced: by its own OpenTelemetry callback, and by the instrumentation of OpenInference."""

from __future__ import annotations

import importlib
import time

import pytest

pytest.importorskip("litellm")
pytest.importorskip("opentelemetry.sdk.trace")

import litellm
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agentassert import capture
from tests.adapters.litellm_parts import quietly
from tests.scripted.litellm import MODEL, says, scripted

pytestmark = quietly


@pytest.fixture
def spans():
    return InMemorySpanExporter()


@pytest.fixture
def provider(spans):
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    return provider


def ask():
    """One call in a capture, of which there are spans by then."""
    with scripted(says("Hi")), capture(on_doubt="fail") as cap:
        litellm.completion(model=MODEL, messages=[{"role": "user", "content": "Hi?"}])
        time.sleep(0.2)
    return [(call.response_text, call.token_usage.total_tokens) for call in cap.invocation.model_calls]


def test_its_own_spans_say_nothing_new(monkeypatch, provider, spans):
    module = importlib.import_module("litellm.integrations.opentelemetry")
    callback = module.OpenTelemetry(tracer_provider=provider)
    for name in ("callbacks", "success_callback", "failure_callback", "input_callback", "service_callback"):
        monkeypatch.setattr(litellm, name, [callback] if name == "callbacks" else [])

    assert ask() == [("Hi", 14)]
    assert {span.instrumentation_scope.name for span in spans.get_finished_spans()} == {"litellm"}


def test_those_of_openinference_say_nothing_new(provider, spans):
    instrumentor = pytest.importorskip("openinference.instrumentation.litellm").LiteLLMInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        assert ask() == [("Hi", 14)]
    finally:
        instrumentor.uninstrument()
    assert {span.instrumentation_scope.name for span in spans.get_finished_spans()} == {"openinference.instrumentation.litellm"}
