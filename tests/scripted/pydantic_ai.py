"""Models that answer by a script, offline: what Pydantic AI sees of them is what it sees of any provider's."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage

Step = str | ModelResponse | BaseException | Callable[[list[ModelMessage]], Any]


@contextmanager
def own_loop() -> Iterator[None]:
    """What is called in it from code that is not async runs in an event loop of its own.

    Pydantic AI leaves the loop that it makes open; left to be collected, that would warn in some later test.
    """
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
        asyncio.set_event_loop(None)


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, finish_reason: Any = "stop", tokens: tuple[int, int] | None = (11, 3)) -> ModelResponse:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return _response([TextPart(text)], finish_reason, tokens)


def asks_for(
    *requests: tuple[str, dict[str, Any] | str, str], text: str = "", tokens: tuple[int, int] | None = (11, 3)
) -> ModelResponse:
    """A response that asks for tools: their names, arguments and call ids. Arguments given as a text are sent as they are."""
    parts: list[ModelResponsePart] = [TextPart(text)] if text else []
    parts += [ToolCallPart(name, arguments, tool_call_id=call_id) for name, arguments, call_id in requests]
    return _response(parts, "tool_call", tokens)


def _response(parts: list[ModelResponsePart], finish_reason: Any, tokens: tuple[int, int] | None) -> ModelResponse:
    usage = RequestUsage() if tokens is None else RequestUsage(input_tokens=tokens[0], output_tokens=tokens[1])
    return ModelResponse(parts=parts, usage=usage, finish_reason=finish_reason)


class ScriptedModel(FunctionModel):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`), an exception to raise, or a function or coroutine function of the messages
    that gives one of these. `requests` holds what was sent, `offered` the names of the tools offered with it. Streamed responses
    come word by word, with the usage that Pydantic AI's model of functions estimates for them.
    """

    def __init__(self, *steps: Step, name: str = "scripted-1") -> None:
        super().__init__(_never, stream_function=_never, model_name=name)
        self.requests: list[list[ModelMessage]] = []
        self.offered: list[list[str]] = []
        self._steps = list(steps)
        self._lock = threading.Lock()

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
        response = await self._made(messages, model_request_parameters)
        response.model_name = self.model_name
        return response

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, model_settings: Any, model_request_parameters: Any, run_context: Any = None
    ) -> AsyncIterator[Any]:
        response = await self._made(messages, model_request_parameters)
        streaming = FunctionModel(stream_function=lambda *_: _pieces(response), model_name=self.model_name)
        async with streaming.request_stream(messages, model_settings, model_request_parameters, run_context) as stream:
            stream.finish_reason = response.finish_reason
            yield stream

    async def _made(self, messages: Any, parameters: Any) -> ModelResponse:
        step = self._take(messages, [tool.name for tool in parameters.function_tools])
        if callable(step):
            step = step(messages)
        if inspect.isawaitable(step):
            step = await step
        if isinstance(step, BaseException):
            raise step
        return says(step) if isinstance(step, str) else step

    def _take(self, messages: list[ModelMessage], offered: list[str]) -> Any:
        with self._lock:
            self.requests.append(list(messages))
            self.offered.append(offered)
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            return self._steps.pop(0)


def _never(*_: Any) -> Any:
    raise NotImplementedError("what calls it is overridden: it would put an estimate in the place of the usage")


async def _pieces(response: ModelResponse) -> AsyncIterator[Any]:
    """Word by word, then each tool request, as providers stream."""
    for index, part in enumerate(response.parts):
        if isinstance(part, TextPart):
            for place, word in enumerate(part.content.split(" ")):
                yield word if place == 0 else f" {word}"
        elif isinstance(part, ToolCallPart):
            arguments = part.args if isinstance(part.args, str) else json.dumps(part.args)
            yield {index: DeltaToolCall(name=part.tool_name, json_args=arguments, tool_call_id=part.tool_call_id)}
