"""Requests to embedding models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.recording.events import ModelCallEvent
from agentassert.records import EmbeddingModelCall
from agentassert.token_usage import TokenUsage


def recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Embedder.embed`, recorded; its other methods call it."""

    async def embed(self: Any, inputs: Any, **options: Any) -> Any:
        event = _begin(self, inputs) if recorder.listening() else None
        try:
            result = await original(self, inputs, **options)
        except Exception as error:
            _fail(event, error)
            raise
        _end(event, result)
        return result

    return embed


@guarded(ADAPTER)
def _begin(embedder: Any, inputs: Any) -> ModelCallEvent | None:
    model = embedder.model
    return recorder.start_model_call(
        adapter=ADAPTER,
        kind=EmbeddingModelCall,
        model=model if isinstance(model, str) else model.model_name,
        inputs=[inputs] if isinstance(inputs, str) else list(inputs),
    )


@guarded(ADAPTER)
def _end(event: ModelCallEvent | None, result: Any) -> None:
    if event is None:
        return
    event.model = result.model_name
    read = result.usage.input_tokens
    event.respond(usage=TokenUsage(input_tokens=read, total_tokens=read) if read else None)


@guarded(ADAPTER)
def _fail(event: ModelCallEvent | None, error: Exception) -> None:
    if event is not None:
        event.fail(error)
