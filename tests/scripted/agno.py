"""A model that answers by a script, offline: what Agno sees of it is what it sees of any provider's."""

from __future__ import annotations

import inspect
import json
import logging
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

os.environ["AGNO_TELEMETRY"] = "false"

from agno.models.base import Model
from agno.models.response import ModelResponse

try:
    from agno.metrics import MessageMetrics
except ModuleNotFoundError:  # where early releases have it
    from agno.models.metrics import Metrics as MessageMetrics

for name in ("agno", "agno-team", "agno-workflow"):
    logging.getLogger(name).disabled = True  # each error would be printed, with its traceback in colours

Step = str | ModelResponse | BaseException | Callable[[Any], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, tokens: tuple[int, int] | None = (11, 3)) -> ModelResponse:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return ModelResponse(role="assistant", content=text, response_usage=_usage(tokens))


def asks_for(*requests: tuple[str, dict[str, Any] | str, str | None], tokens: tuple[int, int] | None = (11, 3)) -> ModelResponse:
    """A response that asks for tools: their names, arguments (or JSON text), and call ids, which not every provider gives."""
    calls = [{"id": call_id, "type": "function", "function": _function(name, given)} for name, given, call_id in requests]
    return ModelResponse(role="assistant", tool_calls=calls, response_usage=_usage(tokens))


def _function(name: str, arguments: dict[str, Any] | str) -> dict[str, str]:
    return {"name": name, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}


def _usage(tokens: tuple[int, int] | None) -> MessageMetrics | None:
    return None if tokens is None else MessageMetrics(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens))


@dataclass
class ScriptedModel(Model):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`), an exception to raise, or a function of the messages that gives one of these.
    `requests` holds the messages that were sent. Where a stream is wanted, texts come word by word, and the usage last.
    """

    id: str = "scripted-1"
    steps: list[Any] = field(default_factory=list)
    requests: list[list[Any]] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def invoke(self, messages: list[Any], *args: Any, **kwargs: Any) -> ModelResponse:
        return _response(self._step(messages))

    async def ainvoke(self, messages: list[Any], *args: Any, **kwargs: Any) -> ModelResponse:
        step = self._step(messages)
        return _response(await step if inspect.isawaitable(step) else step)

    def invoke_stream(self, messages: list[Any], *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        yield from _pieces(self.invoke(messages))

    async def ainvoke_stream(self, messages: list[Any], *args: Any, **kwargs: Any) -> AsyncIterator[ModelResponse]:
        for piece in _pieces(await self.ainvoke(messages)):
            yield piece

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        raise NotImplementedError

    def _step(self, messages: list[Any]) -> Any:
        with self.lock:
            self.requests.append(list(messages))
            if not self.steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            step = self.steps.pop(0)
        return step(messages) if callable(step) else step


def scripted(*steps: Step, **fields: Any) -> ScriptedModel:
    """A model that follows this script."""
    return ScriptedModel(steps=list(steps), **fields)


def _response(step: Any) -> ModelResponse:
    if isinstance(step, BaseException):
        raise step
    return says(step) if isinstance(step, str) else step


def _pieces(response: ModelResponse) -> Iterator[ModelResponse]:
    words = (response.content or "").split(" ")
    for place, word in enumerate(words):
        yield ModelResponse(role="assistant", content=word if place == 0 else f" {word}")
    yield ModelResponse(tool_calls=response.tool_calls, response_usage=response.response_usage)
