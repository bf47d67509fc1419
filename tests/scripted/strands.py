"""A model that answers by a script, offline: what Strands sees of it is what it sees of any provider's."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import attrs
from strands.models import Model


@attrs.frozen
class Response:
    """What the model answers: text, then requests of tools, each a name, arguments and a call id; `tokens` are those read and written.

    Arguments that are a text are sent as they are.
    """

    text: str = ""
    requests: tuple[tuple[str, Mapping[str, Any] | str, str], ...] = ()
    tokens: tuple[int, int] | None = (11, 3)
    stop_reason: str = "end_turn"


Step = str | Response | BaseException | Callable[[list[Any]], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, tokens: tuple[int, int] | None = (11, 3), stop_reason: str = "end_turn") -> Response:
    """A response of the model: text alone. `tokens` of `None` reports none."""
    return Response(text, tokens=tokens, stop_reason=stop_reason)


def asks_for(*requests: tuple[str, Mapping[str, Any] | str, str], text: str = "") -> Response:
    """A response that asks for tools."""
    return Response(text, requests, stop_reason="tool_use")


class ScriptedModel(Model):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`), an exception to raise, or a function of the messages that gives one of these.
    `requests` holds the messages that were sent. Text comes word by word, arguments in two pieces, as from a provider.
    """

    def __init__(self, *steps: Step) -> None:
        self._steps = list(steps)
        self._lock = threading.Lock()
        self.requests: list[list[Any]] = []

    def update_config(self, **model_config: Any) -> None:
        """There is nothing to configure."""

    def get_config(self) -> dict[str, str]:
        return {"model_id": "scripted-1"}

    def structured_output(self, output_model: Any, prompt: Any, system_prompt: str | None = None, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        step = self._take(messages)
        if callable(step):
            step = step(messages)
        if inspect.isawaitable(step):
            step = await step
        if isinstance(step, BaseException):
            raise step
        for chunk in _chunks(says(step) if isinstance(step, str) else step):
            yield chunk

    def _take(self, messages: Any) -> Any:
        with self._lock:
            self.requests.append(list(messages))
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            return self._steps.pop(0)


def _chunks(response: Response) -> Iterator[dict[str, Any]]:
    yield {"messageStart": {"role": "assistant"}}
    if response.text:
        yield {"contentBlockStart": {"start": {}}}
        for place, word in enumerate(response.text.split(" ")):
            yield {"contentBlockDelta": {"delta": {"text": word if place == 0 else f" {word}"}}}
        yield {"contentBlockStop": {}}
    for name, arguments, call_id in response.requests:
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        yield {"contentBlockStart": {"start": {"toolUse": {"name": name, "toolUseId": call_id}}}}
        for piece in (text[:3], text[3:]):
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": piece}}}}
        yield {"contentBlockStop": {}}
    yield {"messageStop": {"stopReason": response.stop_reason}}
    if response.tokens is not None:
        read, written = response.tokens
        usage = {"inputTokens": read, "outputTokens": written, "totalTokens": read + written}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}
