"""A model that answers by a script, offline: what LlamaIndex sees of it is what it sees of any provider's."""

from __future__ import annotations

import inspect
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    CompletionResponse,
    LLMMetadata,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import ToolSelection
from llama_index.core.tools import BaseTool
from pydantic import PrivateAttr

Step = str | ChatResponse | BaseException | Callable[[Sequence[ChatMessage]], Any]


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


def says(text: str, *, finish_reason: str = "stop", tokens: tuple[int, int] | None = (11, 3)) -> ChatResponse:
    """A response of the model: text alone. `tokens` are those read and written; `None` reports none."""
    return _response([TextBlock(text=text)], finish_reason, tokens)


def asks_for(*requests: tuple[str, dict[str, Any] | str, str | None], tokens: tuple[int, int] | None = (11, 3)) -> ChatResponse:
    """A response that asks for tools: their names, arguments, which may be JSON text as providers send it, and call ids."""
    blocks = [ToolCallBlock(tool_name=name, tool_kwargs=arguments, tool_call_id=call_id) for name, arguments, call_id in requests]
    return _response(blocks, "tool_calls", tokens)


def _response(blocks: list[Any], finish_reason: str, tokens: tuple[int, int] | None) -> ChatResponse:
    raw: dict[str, Any] = {"model": "scripted-1", "choices": [{"finish_reason": finish_reason}]}
    if tokens is not None:
        raw["usage"] = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)}
    return ChatResponse(message=ChatMessage(role="assistant", blocks=blocks), raw=raw)


class ScriptedModel(FunctionCallingLLM):
    """Answers each request with the next step of its script.

    A step is a text, a response (`says`, `asks_for`), an exception to raise, or a function of the messages that gives one of these.
    `requests` holds what was sent. Where a stream is wanted, texts come word by word, each part with all that came before it.
    """

    _steps: list[Any] = PrivateAttr()
    _lock: Any = PrivateAttr()
    _requests: list[list[ChatMessage]] = PrivateAttr(default_factory=list)

    def __init__(self, *steps: Step, **fields: Any) -> None:
        super().__init__(**fields)
        self._steps = list(steps)
        self._lock = threading.Lock()

    @property
    def requests(self) -> list[list[ChatMessage]]:
        """What was sent."""
        return self._requests

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata(is_function_calling_model=True, is_chat_model=True, model_name="scripted-1")

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return _raised(self._take(messages))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        return _raised(await _awaited(self._take(messages)))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        def parts() -> Any:
            yield from _parts(_raised(self._take(messages)))

        return parts()

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> Any:
        async def parts() -> Any:
            for part in _parts(_raised(await _awaited(self._take(messages)))):
                yield part

        return parts()

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        raise NotImplementedError("it only chats")

    acomplete = stream_complete = astream_complete = complete

    def get_tool_calls_from_response(self, response: ChatResponse, error_on_no_tool_call: bool = True, **_: Any) -> list[Any]:
        """What is asked for; arguments that do not parse are none, as with the providers of LlamaIndex."""
        return [
            ToolSelection(
                tool_id=one.tool_call_id or f"{one.tool_name}_{len(self._requests)}",
                tool_name=one.tool_name,
                tool_kwargs=_parsed(one.tool_kwargs),
            )
            for one in response.message.blocks
            if isinstance(one, ToolCallBlock)
        ]

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: Any = None,
        chat_history: list[ChatMessage] | None = None,
        **kwargs: Any,
    ) -> dict[str, Any]:
        said = [ChatMessage(role="user", content=user_msg)] if isinstance(user_msg, str) else [user_msg] if user_msg else []
        return {"messages": [*(chat_history or []), *said], "tools": [tool.metadata.to_openai_tool() for tool in tools]}

    def _take(self, messages: Sequence[ChatMessage]) -> Any:
        with self._lock:
            self._requests.append(list(messages))
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self._requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        return step(messages) if callable(step) else step


def _raised(step: Any) -> ChatResponse:
    if isinstance(step, BaseException):
        raise step
    return says(step) if isinstance(step, str) else step


async def _awaited(step: Any) -> Any:
    return await step if inspect.isawaitable(step) else step


def _parts(response: ChatResponse) -> list[ChatResponse]:
    """The parts of a stream, of which the last is the whole."""
    *words, last = (response.message.content or "").split(" ")
    deltas = [word if place == 0 else f" {word}" for place, word in enumerate(words)]
    parts = [
        ChatResponse(message=ChatMessage(role="assistant", content="".join(deltas[: place + 1])), delta=delta)
        for place, delta in enumerate(deltas)
    ]
    return [*parts, ChatResponse(message=response.message, delta=f" {last}" if deltas else last, raw=response.raw)]


def _parsed(arguments: dict[str, Any] | str) -> dict[str, Any]:
    try:
        parsed = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        return {}
    return parsed if isinstance(parsed, dict) else {}
