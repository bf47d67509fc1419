"""Models that answer by a script, offline: what AutoGen sees of them is what it sees of any provider's."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Any

from autogen_core import FunctionCall
from autogen_core.models import ChatCompletionClient, CreateResult, ModelInfo, RequestUsage


class ScriptExhaustedError(RuntimeError):
    """The agent asked its model more often than the script foresees."""


Step = CreateResult | Exception | Callable[[], "Step"]


def says(text: str, *, finish_reason: Any = "stop", tokens: tuple[int, int] | None = (11, 3)) -> CreateResult:
    """A response of the model: text alone. `tokens` are those read and written; AutoGen knows no response without them."""
    return _result(text, finish_reason, tokens)


def asks_for(*requests: tuple[str, dict[str, Any] | str, str], tokens: tuple[int, int] | None = (11, 3)) -> CreateResult:
    """A response that asks for tools: their names, arguments and call ids. Arguments given as a text are sent as they are."""
    calls = [
        FunctionCall(id=call_id, name=name, arguments=arguments if isinstance(arguments, str) else json.dumps(arguments))
        for name, arguments, call_id in requests
    ]
    return _result(calls, "function_calls", tokens)


def _result(content: Any, finish_reason: Any, tokens: tuple[int, int] | None) -> CreateResult:
    return CreateResult(finish_reason=finish_reason, content=content, usage=RequestUsage(*(tokens or (0, 0))), cached=False)


class ScriptedClient(ChatCompletionClient):
    """Answers each request with the next step of its script.

    A step is a response (`says`, `asks_for`), an exception to raise, or a function that gives one of these. `requests` holds what
    was sent. Streamed responses come word by word, the whole response at their end.
    """

    def __init__(self, *steps: Step) -> None:
        self.requests: list[Sequence[Any]] = []
        self._steps = list(steps)
        self._lock = threading.Lock()

    async def create(self, messages: Sequence[Any], **_: Any) -> CreateResult:
        return self._take(messages)

    async def create_stream(self, messages: Sequence[Any], **_: Any) -> AsyncGenerator[str | CreateResult, None]:
        result = self._take(messages)
        if isinstance(result.content, str):
            for word in result.content.split(" "):
                yield word
        yield result

    def _take(self, messages: Sequence[Any]) -> CreateResult:
        with self._lock:
            self.requests.append(list(messages))
            if not self._steps:
                raise ScriptExhaustedError(f"request {len(self.requests)} was sent, but the script has no step for it")
            step = self._steps.pop(0)
        while not isinstance(step, CreateResult):
            if isinstance(step, Exception):
                raise step
            step = step()
        return step

    async def close(self) -> None:
        pass

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(0, 0)

    def total_usage(self) -> RequestUsage:
        return RequestUsage(0, 0)

    def count_tokens(self, messages: Sequence[Any], **_: Any) -> int:
        return 0

    def remaining_tokens(self, messages: Sequence[Any], **_: Any) -> int:
        return 1_000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family="scripted",
            structured_output=False,
            multiple_system_messages=True,
        )
