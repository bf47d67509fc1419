"""Loops that a program writes itself over the SDK of a model, of which an instrumentation of that SDK tells.

No span tells of the functions that such a loop runs between two requests. What is sent back does, as it does to the SDK's own adapter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import attrs

from agentassert.recording.events import ModelCallEvent
from agentassert.recording.exchanges import Exchange, Sent, SentRequest, SentResult
from agentassert.records import ChatModelCall
from agentassert.telemetry.calls import CallFacts
from agentassert.telemetry.frameworks import OPENTELEMETRY, framework_of
from agentassert.telemetry.spans import Span

_SDKS: Final = frozenset(
    {
        "anthropic",
        "bedrock",
        "botocore",
        "cohere",
        "google-genai",
        "google-generativeai",
        "groq",
        "litellm",
        "mistralai",
        "ollama",
        "openai",
        "openai-v2",
        "together",
        "vertexai",
    }
)
_FAILED: Final[Mapping[Any, bool]] = {"error": True, "success": False}


def seen_below(event: ModelCallEvent, span: Span, facts: CallFacts) -> CallFacts:
    """What a chat call of such a loop sent is kept with it; for one of a framework, whose tools have spans of their own, it is not.

    Args:
        event: the call.
        span: its span.
        facts: what that tells.

    Returns:
        The facts, completed by what the SDK's own adapter saw where the span has no content.

    Example:
        >>> from agentassert.recording.events import Scope
        >>> from agentassert.records import ChatModelCall
        >>> event = ModelCallEvent(Scope((), None), "openai", ChatModelCall, None, (), None)
        >>> span = Span("1", "2", None, "chat", scope="opentelemetry.instrumentation.openai_v2")
        >>> facts = CallFacts(inputs=[{"role": "tool", "content": "ok", "tool_call_id": "c1"}])
        >>> seen_below(event, span, facts) is facts
        True
        >>> event.exchange.sent[0].results
        (SentResult(call_id='c1', result='ok', failed=None),)
    """
    owner, wire = event.owner, event.on_the_wire
    if event.kind is not ChatModelCall or (owner is not None and owner.adapter not in {*_SDKS, OPENTELEMETRY}):
        return facts
    if wire.exchange is not None and framework_of(span) in {*_SDKS, OPENTELEMETRY}:
        event.exchange = wire.exchange
        return facts if facts.requests is not None else attrs.evolve(facts, text=wire.text, requests=wire.requests)
    if framework_of(span) in _SDKS:
        event.exchange = Exchange(tuple(_sent(message) for message in facts.inputs or ()))
    return facts


def _sent(message: Mapping[str, Any]) -> Sent:
    key = json.dumps(message, sort_keys=True, default=repr)
    if message["role"] == "tool":
        result = SentResult(message.get("tool_call_id"), message["content"], _FAILED.get(message.get("status")))
        return Sent(key, results=(result,))
    return Sent(key, tuple(SentRequest(**request) for request in message.get("tool_calls", ())))
