"""Models that answer by a script, offline: what Agent Framework sees of them is what it sees of any provider's."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import attrs
from agent_framework import (
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)
from agent_framework.observability import ChatTelemetryLayer


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


@attrs.frozen
class Response:
    """What the model answers: pieces of text or requests, why it stopped, and the tokens read and written."""

    contents: Sequence[Content]
    finish_reason: str
    tokens: tuple[int, int] | None


Step = Response | Exception | Callable[[], "Step"]


def says(text: str, *, finish_reason: str = "stop", tokens: tuple[int, int] | None = (11, 3)) -> Response:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return Response([Content.from_text(text)], finish_reason, tokens)


def asks_for(*requests: tuple[str, dict[str, Any] | str, str], tokens: tuple[int, int] | None = (11, 3)) -> Response:
    """A response that asks for tools: their names, arguments and call ids. Arguments given as a text are sent as they are."""
    calls = [Content.from_function_call(call_id, name, arguments=_text(arguments)) for name, arguments, call_id in requests]
    return Response(calls, "tool_calls", tokens)


def _text(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, ChatTelemetryLayer, BaseChatClient):
    """Answers each request with the next step of its script, made of the layers that every client of the framework has.

    A step is a response (`says`, `asks_for`), an exception to raise, or a function that gives one of these. `requests` holds what
    was sent. Streamed responses come word by word, the usage at their end.
    """

    OTEL_PROVIDER_NAME = "scripted"

    def __init__(self, *steps: Step, model: str = "scripted-1") -> None:
        super().__init__()
        self.model = model
        self.requests: list[list[Message]] = []
        self._steps = list(steps)
        self._lock = threading.Lock()

    def _inner_get_response(self, *, messages: Sequence[Message], stream: bool, options: Any, **_: Any) -> Any:
        if stream:
            return ResponseStream(self._pieces(messages), finalizer=ChatResponse.from_updates)
        return self._whole(messages)

    async def _whole(self, messages: Sequence[Message]) -> ChatResponse[Any]:
        response = self._take(messages)
        return ChatResponse(
            messages=[Message(role="assistant", contents=list(response.contents))],
            response_id=f"response-{len(self.requests)}",
            model=self.model,
            finish_reason=response.finish_reason,
            usage_details=_usage(response.tokens),
        )

    async def _pieces(self, messages: Sequence[Message]) -> AsyncIterator[ChatResponseUpdate]:
        response = self._take(messages)
        about: dict[str, Any] = {"response_id": f"response-{len(self.requests)}", "model": self.model}
        for content in response.contents:
            for piece in _words(content):
                yield ChatResponseUpdate(role="assistant", contents=[piece], **about)
        usage = _usage(response.tokens)
        contents = [] if usage is None else [Content.from_usage(usage)]
        yield ChatResponseUpdate(role="assistant", contents=contents, finish_reason=response.finish_reason, **about)

    def _take(self, messages: Sequence[Message]) -> Response:
        with self._lock:
            self.requests.append(list(messages))
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        while not isinstance(step, Response):
            if isinstance(step, Exception):
                raise step
            step = step()
        return step


def _usage(tokens: tuple[int, int] | None) -> Any:
    return None if tokens is None else {"input_token_count": tokens[0], "output_token_count": tokens[1]}


def _words(content: Content) -> Sequence[Content]:
    if content.type != "text":
        return [content]
    first, *others = str(content.text).split(" ")
    return [Content.from_text(first), *(Content.from_text(f" {word}") for word in others)]
