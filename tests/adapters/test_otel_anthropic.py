"""The spans that the Anthropic SDK writes itself say nothing that its adapter does not record."""

from __future__ import annotations

import pytest

from agentassert import capture
from tests.scripted import anthropic_sdk
from tests.scripted.loopback import serving

anthropic = pytest.importorskip("anthropic", reason="needs the Anthropic SDK")
trace = pytest.importorskip("opentelemetry.sdk.trace", reason="needs the SDK of OpenTelemetry")


def test_a_call_counts_once_where_the_sdk_writes_spans_of_its_own(monkeypatch):
    from opentelemetry import trace as api

    provider = trace.TracerProvider()
    monkeypatch.setattr(api, "get_tracer_provider", lambda: provider)
    with serving(anthropic_sdk.message(anthropic_sdk.text("Hello"), usage=(7, 5))) as served, capture() as cap:
        client = anthropic.Anthropic(api_key="none", base_url=served.url)
        client.messages.create(model="claude-test", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    (call,) = cap.invocation.model_calls
    assert (call.response_text, call.token_usage.total_tokens, cap.invocation.framework) == ("Hello", 12, "anthropic")
