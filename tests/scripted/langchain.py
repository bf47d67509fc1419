"""Chat models that answer by a script, offline: what LangChain sees of them is what it sees of any provider's."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import Field, PrivateAttr

Step = str | AIMessage | BaseException | Callable[[list[BaseMessage]], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, finish_reason: str = "stop", tokens: tuple[int, int] | None = (11, 3)) -> AIMessage:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return _response(text, [], finish_reason, tokens)


def asks_for(
    *requests: tuple[str, dict[str, Any] | str, str], text: str = "", tokens: tuple[int, int] | None = (11, 3)
) -> AIMessage:
    """A response that asks for tools: their names, arguments and call ids. Arguments given as a text are sent as they are."""
    return _response(text, list(requests), "tool_calls", tokens)


def _response(text: str, requests: list[tuple[str, Any, str]], finish_reason: str, tokens: tuple[int, int] | None) -> AIMessage:
    valid = [
        {"name": name, "args": args, "id": id_, "type": "tool_call"} for name, args, id_ in requests if isinstance(args, dict)
    ]
    invalid = [
        {"name": name, "args": args, "id": id_, "error": "not JSON", "type": "invalid_tool_call"}
        for name, args, id_ in requests
        if isinstance(args, str)
    ]
    usage = None if tokens is None else {"input_tokens": tokens[0], "output_tokens": tokens[1], "total_tokens": sum(tokens)}
    return AIMessage(
        text,
        tool_calls=valid,
        invalid_tool_calls=invalid,
        usage_metadata=usage,
        response_metadata={"model_name": "scripted-1", "finish_reason": finish_reason},
    )


class ScriptedChatModel(BaseChatModel):
    """Answers each request with the next step of its script.

    A step is a text, a message (`says`, `asks_for`), an exception to raise, or a function or coroutine function of the messages that
    gives one of these. `requests` holds what was sent, `offered` the names of the tools offered with it.
    """

    model: str = "scripted-1"
    requests: list[list[BaseMessage]] = Field(default_factory=list)
    offered: list[list[str]] = Field(default_factory=list)
    _steps: list[Step] = PrivateAttr(default_factory=list)
    _lock: Any = PrivateAttr(default_factory=threading.Lock)

    def __init__(self, *steps: Step, **fields: Any) -> None:
        super().__init__(**fields)
        self._steps = list(steps)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"model": self.model}

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[Any, AIMessage]:
        kwargs.pop("tool_choice", None)
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _next(self, messages: list[BaseMessage], tools: Sequence[Any] = ()) -> Any:
        with self._lock:
            self.requests.append(list(messages))
            self.offered.append([tool["function"]["name"] for tool in tools])
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        if callable(step):
            step = step(messages)
        return step

    @staticmethod
    def _message(step: Any) -> AIMessage:
        if isinstance(step, BaseException):
            raise step
        return says(step) if isinstance(step, str) else step

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self._message(self._next(messages, kwargs.get("tools", ())))
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        message = self._message(await _awaited(self._next(messages, kwargs.get("tools", ()))))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _chunks(self._message(self._next(messages, kwargs.get("tools", ())))):
            if run_manager is not None:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _chunks(self._message(await _awaited(self._next(messages, kwargs.get("tools", ()))))):
            if run_manager is not None:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


async def _awaited(step: Any) -> Any:
    return await step if inspect.isawaitable(step) else step


def _chunks(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    """Word by word, then each tool request, then what is known at the end, as providers stream."""
    for word in message.text.split(" ") if isinstance(message.content, str) and message.content else []:
        yield ChatGenerationChunk(message=AIMessageChunk(content=word if word == message.content.split(" ")[0] else f" {word}"))
    for index, call in enumerate([*message.tool_calls, *message.invalid_tool_calls]):
        args = call["args"] if isinstance(call["args"], str) else json.dumps(call["args"])
        parts = [{"name": call["name"], "args": args, "id": call["id"], "index": index}]
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=parts))
    yield ChatGenerationChunk(
        message=AIMessageChunk(content="", usage_metadata=message.usage_metadata, response_metadata=message.response_metadata)
    )
