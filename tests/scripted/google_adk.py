"""A model that answers by a script, offline: what ADK sees of it is what it sees of any provider's."""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.genai import types
from pydantic import PrivateAttr

Step = str | LlmResponse | BaseException | Callable[[LlmRequest], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, finish_reason: Any = types.FinishReason.STOP, tokens: tuple[int, int] | None = (11, 3)) -> LlmResponse:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return _response([types.Part(text=text)], finish_reason, tokens)


def asks_for(*requests: tuple[str, dict[str, Any], str | None], tokens: tuple[int, int] | None = (11, 3)) -> LlmResponse:
    """A response that asks for tools: their names, arguments, and call ids, which Google's own models do not give."""
    calls = [types.FunctionCall(name=name, args=arguments, id=call_id) for name, arguments, call_id in requests]
    return _response([types.Part(function_call=call) for call in calls], types.FinishReason.STOP, tokens)


def _response(parts: list[types.Part], finish_reason: Any, tokens: tuple[int, int] | None) -> LlmResponse:
    usage = None
    if tokens is not None:
        usage = types.GenerateContentResponseUsageMetadata(
            prompt_token_count=tokens[0], candidates_token_count=tokens[1], total_token_count=sum(tokens)
        )
    return LlmResponse(content=types.Content(role="model", parts=parts), finish_reason=finish_reason, usage_metadata=usage)


class ScriptedModel(BaseLlm):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`), an exception to raise, or a function of the request that gives one of these.
    `requests` holds what was sent. Where a stream is wanted, texts come word by word, and then as a whole, as Google's models send them.
    """

    model: str = "scripted-1"
    _steps: list[Any] = PrivateAttr()
    _lock: Any = PrivateAttr()
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    def __init__(self, *steps: Step, **fields: Any) -> None:
        super().__init__(**fields)
        self._steps = list(steps)
        self._lock = threading.Lock()

    @property
    def requests(self) -> list[LlmRequest]:
        """What was sent."""
        return self._requests

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        step = self._take(llm_request)
        if callable(step):
            step = step(llm_request)
        if inspect.isawaitable(step):
            step = await step
        if isinstance(step, BaseException):
            raise step
        response = says(step) if isinstance(step, str) else step
        if stream:
            for piece in _pieces(response):
                yield piece
        yield response

    def _take(self, request: LlmRequest) -> Any:
        with self._lock:
            self._requests.append(request)
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self._requests)} was sent, but the script has no step for it")
            return self._steps.pop(0)


def _pieces(response: LlmResponse) -> list[LlmResponse]:
    words = [word for part in response.content.parts if part.text for word in part.text.split(" ")]
    texts = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
    return [LlmResponse(content=types.Content(role="model", parts=[types.Part(text=text)]), partial=True) for text in texts]
