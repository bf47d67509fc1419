"""A model that answers by a script, offline: what Haystack sees of it is what it sees of any chat generator."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from haystack import component
from haystack.dataclasses import ChatMessage, StreamingChunk, ToolCall

Step = str | ChatMessage | BaseException | Callable[[list[ChatMessage]], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, finish_reason: str = "stop", tokens: tuple[int, int] | None = (11, 3)) -> ChatMessage:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return ChatMessage.from_assistant(text, meta=_meta(finish_reason, tokens))


def asks_for(*requests: tuple[str, dict[str, Any], str | None], tokens: tuple[int, int] | None = (11, 3)) -> ChatMessage:
    """A response that asks for tools: their names, arguments and call ids."""
    calls = [ToolCall(tool_name=name, arguments=arguments, id=call_id) for name, arguments, call_id in requests]
    return ChatMessage.from_assistant(tool_calls=calls, meta=_meta("tool_calls", tokens))


def _meta(finish_reason: str, tokens: tuple[int, int] | None) -> dict[str, Any]:
    meta: dict[str, Any] = {"model": "scripted-1", "index": 0, "finish_reason": finish_reason}
    if tokens is not None:
        meta["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return meta


@component
class ScriptedChatGenerator:
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`), an exception to raise, or a function of the messages that gives one of these.
    `requests` holds the messages that were sent. A callback for streams is given the words of a text.
    """

    def __init__(self, *steps: Step) -> None:
        self.model = "scripted-1"
        self.requests: list[list[ChatMessage]] = []
        self._steps = list(steps)
        self._lock = threading.Lock()

    @component.output_types(replies=list[ChatMessage])
    def run(
        self, messages: list[ChatMessage], generation_kwargs: Any = None, tools: Any = None, streaming_callback: Any = None
    ) -> dict[str, Any]:
        """Answer."""
        reply = self._answer(messages)
        for chunk in _chunks(reply) if streaming_callback else ():
            streaming_callback(chunk)
        return {"replies": [reply]}

    @component.output_types(replies=list[ChatMessage])
    async def run_async(
        self, messages: list[ChatMessage], generation_kwargs: Any = None, tools: Any = None, streaming_callback: Any = None
    ) -> dict[str, Any]:
        """Answer."""
        reply = self._answer(messages)
        for chunk in _chunks(reply) if streaming_callback else ():
            await streaming_callback(chunk)
        return {"replies": [reply]}

    def _answer(self, messages: list[ChatMessage]) -> ChatMessage:
        with self._lock:
            self.requests.append(list(messages))
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        if callable(step):
            step = step(messages)
        if isinstance(step, BaseException):
            raise step
        return says(step) if isinstance(step, str) else step


def _chunks(reply: ChatMessage) -> list[StreamingChunk]:
    words = (reply.text or "").split(" ")
    return [StreamingChunk(content=word if place == 0 else f" {word}") for place, word in enumerate(words)]
