"""A model that answers by a script, offline: what smolagents sees of it is what it sees of any provider's."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from smolagents.models import (
    ChatMessage,
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    ChatMessageToolCallStreamDelta,
    MessageRole,
    Model,
)
from smolagents.monitoring import TokenUsage

Step = str | ChatMessage | BaseException | Callable[[list[ChatMessage]], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, finish_reason: str = "stop", tokens: tuple[int, int] | None = (11, 3)) -> ChatMessage:
    """A response of the model: text alone, such as the code of an agent that writes code."""
    return _response(text, None, finish_reason, tokens)


def answers(answer: Any, *, tokens: tuple[int, int] | None = (11, 3)) -> ChatMessage:
    """A response by which an agent that calls tools gives its answer: providers that have to call a tool stop there."""
    return _response(None, [_call("final_answer", {"answer": answer}, "answer")], "stop", tokens)


def asks_for(*requests: tuple[str, dict[str, Any] | str, str], tokens: tuple[int, int] | None = (11, 3)) -> ChatMessage:
    """A response that asks for tools: their names, arguments and call ids. Arguments given as a text are sent as they are."""
    return _response(None, [_call(*request) for request in requests], "tool_calls", tokens)


def code(source: str) -> ChatMessage:
    """A response with code, as an agent that writes code is told to wrap it."""
    return says(f"Thought: so be it.\n<code>\n{source}\n</code>")


def _call(name: str, arguments: Any, call_id: str) -> ChatMessageToolCall:
    function = ChatMessageToolCallFunction(name=name, arguments=arguments)
    return ChatMessageToolCall(function=function, id=call_id, type="function")


def _response(text: str | None, calls: Any, finish_reason: str, tokens: tuple[int, int] | None) -> ChatMessage:
    return ChatMessage(
        role=MessageRole.ASSISTANT,
        content=text,
        tool_calls=calls,
        raw=SimpleNamespace(choices=[SimpleNamespace(finish_reason=finish_reason)]),
        token_usage=None if tokens is None else TokenUsage(*tokens),
    )


class ScriptedModel(Model):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `answers`, `asks_for`, `code`), an exception to raise, or a function of the messages that
    gives one of these. `requests` holds what was sent. Where a stream is wanted, texts come word by word, and calls of tools in pieces.
    """

    def __init__(self, *steps: Step, name: str = "scripted-1") -> None:
        super().__init__(model_id=name)
        self.requests: list[list[ChatMessage]] = []
        self._steps = list(steps)
        self._lock = threading.Lock()

    def generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatMessage:
        return self._next(messages)

    def _next(self, messages: Any) -> ChatMessage:
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


class StreamingModel(ScriptedModel):
    """The same, also in pieces: smolagents takes what has such a method for a model that streams."""

    def generate_stream(self, messages: Any, *args: Any, **kwargs: Any) -> Iterator[ChatMessageStreamDelta]:
        yield from _pieces(self._next(messages))


def _pieces(message: ChatMessage) -> Iterator[ChatMessageStreamDelta]:
    for place, word in enumerate(str(message.content or "").split(" ")):
        yield ChatMessageStreamDelta(content=word if place == 0 else f" {word}")
    for index, call in enumerate(message.tool_calls or ()):
        arguments = call.function.arguments
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        for piece in (text[:3], text[3:]):
            function = ChatMessageToolCallFunction(name=call.function.name, arguments=piece)
            delta = ChatMessageToolCallStreamDelta(index=index, id=call.id, type="function", function=function)
            yield ChatMessageStreamDelta(tool_calls=[delta])
    yield ChatMessageStreamDelta(token_usage=message.token_usage)
