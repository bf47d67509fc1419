"""Requests to embedding models."""

from __future__ import annotations

from typing import Any, Final

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.recording.events import ModelCallEvent
from agentassert.records import EmbeddingModelCall
from agentassert.token_usage import TokenUsage


def _begin(embedder: Any, inputs: Any, **_: Any) -> ModelCallEvent | None:
    model = embedder.model
    return recorder.start_model_call(
        adapter=ADAPTER,
        kind=EmbeddingModelCall,
        model=model if isinstance(model, str) else model.model_name,
        inputs=[inputs] if isinstance(inputs, str) else list(inputs),
    )


def _end(event: ModelCallEvent, result: Any) -> None:
    event.model = result.model_name
    read = result.usage.input_tokens
    event.respond(usage=TokenUsage(input_tokens=read, total_tokens=read) if read else None)


recorded: Final = hooks.recorded(ADAPTER, _begin, _end)
"""`Embedder.embed`, recorded; its other methods call it."""
