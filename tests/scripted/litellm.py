"""A model that answers by a script, offline, as a provider of LiteLLM's own kind: no SDK lies below it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import litellm
from litellm import CustomLLM
from litellm.types.utils import Choices, Message, ModelResponse, Usage

MODEL = "scripted/m-1"


def says(text: str, *, stop: str = "stop", tokens: tuple[int, int] | None = (11, 3)) -> dict[str, Any]:
    """An answer: text alone. `tokens` are those read and written; `None` reports none."""
    return {"message": {"content": text}, "reason": stop, "tokens": tokens}


def asks_for(*requests: tuple[str, dict[str, Any], str]) -> dict[str, Any]:
    """An answer that asks for tools: their names, arguments and call ids."""
    calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for name, arguments, call_id in requests
    ]
    return {"message": {"content": None, "tool_calls": calls}, "reason": "tool_calls", "tokens": (11, 3)}


class ScriptedModel(CustomLLM):
    """Answers each request with the next step of its script: an answer, or an exception to raise. `requests` holds what was sent."""

    def __init__(self, *steps: Any) -> None:
        super().__init__()
        self.steps = list(steps)
        self.requests: list[dict[str, Any]] = []

    def completion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        step, response = self._next(kwargs), kwargs["model_response"]
        response.id = f"scripted-{len(self.requests)}"
        response.choices = [Choices(message=Message(role="assistant", **step["message"]), finish_reason=step["reason"])]
        if step["tokens"] is not None:
            read, written = step["tokens"]
            response.usage = Usage(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)
        return response

    async def acompletion(self, *args: Any, **kwargs: Any) -> ModelResponse:
        return self.completion(*args, **kwargs)

    def streaming(self, *args: Any, **kwargs: Any) -> Iterator[Any]:
        yield from _chunks(self._next(kwargs))

    async def astreaming(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        for chunk in _chunks(self._next(kwargs)):
            yield chunk

    def _next(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        self.requests.append({"messages": kwargs["messages"], **kwargs["optional_params"]})
        step = self.steps.pop(0)
        if isinstance(step, BaseException):
            raise step
        return step


def _chunks(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    text = step["message"]["content"]
    for part in (text[:3], text[3:]):
        yield {"text": part, "tool_use": None, "is_finished": False, "finish_reason": "", "usage": None, "index": 0}
    yield {"text": "", "tool_use": None, "is_finished": True, "finish_reason": step["reason"], "usage": None, "index": 0}


@contextmanager
def scripted(*steps: Any) -> Iterator[ScriptedModel]:
    """Have the models of the provider `scripted` answer so."""
    model = ScriptedModel(*steps)
    before = litellm.custom_provider_map
    litellm.custom_provider_map = [{"provider": "scripted", "custom_handler": model}]
    try:
        yield model
    finally:
        litellm.custom_provider_map = before
