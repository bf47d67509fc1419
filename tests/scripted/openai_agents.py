"""Models of the OpenAI Agents SDK that answer by a script, offline: what the SDK sees of them is what it sees of any provider's.

Releases before 0.20 bring no model for tests, so this one stands on the SDK's `Model` alone.
"""

from __future__ import annotations

import inspect
import itertools
import json
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, NamedTuple

from agents import Model, ModelResponse, Usage
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails


class Answer(NamedTuple):
    """A response of the model: its output items, and the tokens read and written, if it reports them."""

    output: list[Any]
    tokens: tuple[int, int] | None = (11, 3)


Step = str | Answer | BaseException | Callable[[Any], Any]

_ids = itertools.count(1)


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, tokens: tuple[int, int] | None = (11, 3)) -> Answer:
    """A response of text alone. `tokens` are those read and written; `None` reports none."""
    return Answer([_message(ResponseOutputText(text=text, type="output_text", annotations=[]))], tokens)


def refuses(text: str) -> Answer:
    """A response by which the model refuses to answer."""
    return Answer([_message(ResponseOutputRefusal(refusal=text, type="refusal"))])


def asks_for(
    *requests: tuple[str, dict[str, Any] | str, str], text: str = "", tokens: tuple[int, int] | None = (11, 3)
) -> Answer:
    """A response that asks for tools: their names, arguments and call ids. Arguments given as a text are sent as they are."""
    said = says(text).output if text else []
    calls = [
        ResponseFunctionToolCall(
            type="function_call", name=name, arguments=given if isinstance(given, str) else json.dumps(given), call_id=call_id
        )
        for name, given, call_id in requests
    ]
    return Answer([*said, *calls], tokens)


def hands_off_to(agent: str, call_id: str) -> Answer:
    """A response that hands the conversation to another agent."""
    return asks_for((f"transfer_to_{agent}", {}, call_id))


def _message(part: Any) -> ResponseOutputMessage:
    return ResponseOutputMessage(id=f"msg_{next(_ids)}", type="message", role="assistant", status="completed", content=[part])


class Request(NamedTuple):
    """What the SDK sent."""

    instructions: str | None
    input: Any
    tools: list[str]
    streamed: bool


class ScriptedModel(Model):
    """Answers each request with the next step of its script.

    A step is a text, an `Answer` (`says`, `asks_for`), an exception to raise, or a function or coroutine function of what was sent
    that gives one of these. `requests` holds what was sent.
    """

    def __init__(self, *steps: Step, model: str = "scripted-1") -> None:
        self.model = model
        self.requests: list[Request] = []
        self._steps = list(steps)
        self._lock = threading.Lock()

    async def get_response(
        self,
        system_instructions: str | None,
        input: Any,
        model_settings: Any,
        tools: Sequence[Any],
        output_schema: Any,
        handoffs: Sequence[Any],
        tracing: Any,
        **options: Any,
    ) -> ModelResponse:
        answer = await self._next(system_instructions, input, tools, handoffs, streamed=False)
        usage = Usage()
        if answer.tokens is not None:
            read, written = answer.tokens
            usage = Usage(requests=1, input_tokens=read, output_tokens=written, total_tokens=read + written)
        return ModelResponse(output=list(answer.output), usage=usage, response_id=f"resp_{next(_ids)}")

    async def stream_response(
        self,
        system_instructions: str | None,
        input: Any,
        model_settings: Any,
        tools: Sequence[Any],
        output_schema: Any,
        handoffs: Sequence[Any],
        tracing: Any,
        **options: Any,
    ) -> AsyncIterator[Any]:
        answer = await self._next(system_instructions, input, tools, handoffs, streamed=True)
        sequence = itertools.count()
        for index, item in enumerate(answer.output):
            for word in _words(item):
                yield ResponseTextDeltaEvent(
                    type="response.output_text.delta",
                    content_index=0,
                    output_index=index,
                    item_id=item.id,
                    delta=word,
                    logprobs=[],
                    sequence_number=next(sequence),
                )
            yield ResponseOutputItemDoneEvent(
                type="response.output_item.done", item=item, output_index=index, sequence_number=next(sequence)
            )
        yield ResponseCompletedEvent(type="response.completed", response=_response(answer), sequence_number=next(sequence))

    async def _next(
        self, instructions: str | None, sent: Any, tools: Sequence[Any], handoffs: Sequence[Any], *, streamed: bool
    ) -> Answer:
        with self._lock:
            offered = [*(tool.name for tool in tools), *(handoff.tool_name for handoff in handoffs)]
            self.requests.append(Request(instructions, list(sent) if isinstance(sent, list) else sent, offered, streamed))
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        if callable(step):
            step = step(sent)
        if inspect.isawaitable(step):
            step = await step
        if isinstance(step, BaseException):
            raise step
        return says(step) if isinstance(step, str) else step


def _words(item: Any) -> list[str]:
    texts = [part.text for part in getattr(item, "content", None) or () if part.type == "output_text"]
    words = "".join(texts).split(" ")
    return [word if index == 0 else f" {word}" for index, word in enumerate(words)] if texts else []


def _response(answer: Answer) -> Response:
    usage = None
    if answer.tokens is not None:
        read, written = answer.tokens
        usage = ResponseUsage.model_construct(
            input_tokens=read,
            output_tokens=written,
            total_tokens=read + written,
            input_tokens_details=InputTokensDetails.model_construct(cached_tokens=0, cache_write_tokens=0),
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
        )
    return Response(
        id=f"resp_{next(_ids)}",
        created_at=0,
        model="scripted-1",
        object="response",
        output=list(answer.output),
        tool_choice="auto",
        tools=[],
        parallel_tool_calls=True,
        usage=usage,
    )
