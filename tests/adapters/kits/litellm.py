"""A hand-written loop over LiteLLM's functions, which reach their provider over OpenAI's SDK."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import litellm
from litellm.litellm_core_utils.litellm_logging import Logging

from agentassert.adapters.litellm.adapter import LiteLLMAdapter
from tests.adapters.kits.openai_sdk import MODEL, OpenAIKit, offered
from tests.adapters.litellm_parts import OWN_WARNINGS

litellm.suppress_debug_info = True  # or it prints where to get help, whenever a provider fails


class LiteLLMKit(OpenAIKit):
    """LiteLLM."""

    title = "LiteLLM"
    adapters = (LiteLLMAdapter,)
    own_warnings = OWN_WARNINGS
    # What it logs is worked off in the event loop of the first call, which breaks where several loops call.
    random_run = None

    def client(self, url: str) -> Any:
        return nullcontext(_asking(litellm.completion, url))

    def async_client(self, url: str) -> Any:
        return nullcontext(_asking(litellm.acompletion, url))

    def create(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        return client(messages=history, **offered(tools))

    def streamed(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        stream = client(messages=history, stream=True, stream_options={"include_usage": True}, **offered(tools))
        return nullcontext(_AsyncStream(stream) if inspect.isawaitable(stream) else _Stream(stream))

    def final(self, stream: Any) -> Any:
        return stream.whole()

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Logging, "pre_call")]


def _asking(function: Any, url: str) -> Any:
    return functools.partial(function, f"openai/{MODEL}", api_base=url, api_key="none", max_retries=0)


class _Stream:
    """A stream, and what was read of it."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.chunks: list[Any] = []

    def __iter__(self) -> Iterator[Any]:
        for chunk in self.stream:
            self.chunks.append(chunk)
            yield chunk

    def whole(self) -> Any:
        return litellm.stream_chunk_builder(self.chunks)


class _AsyncStream(_Stream):
    """One that is still to come."""

    async def __aiter__(self) -> AsyncIterator[Any]:
        async for chunk in await self.stream:
            self.chunks.append(chunk)
            yield chunk

    async def whole(self) -> Any:
        return super().whole()
