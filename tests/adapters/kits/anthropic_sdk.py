"""A hand-written loop over Anthropic's messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from anthropic import Anthropic, AsyncAnthropic
from anthropic._base_client import AsyncAPIClient, SyncAPIClient

from agentassert.adapters.anthropic_sdk.adapter import AnthropicAdapter
from tests.adapters.kits import refuse
from tests.adapters.kits.loops import Asked, LoopKit, Result
from tests.scripted.anthropic_sdk import MODEL, failure, message, text, tool_use
from tests.scripted.loopback import Reply


class AnthropicKit(LoopKit):
    """Anthropic's SDK."""

    title = "Anthropic SDK"
    adapters = (AnthropicAdapter,)

    @property
    def cannot(self) -> Mapping[str, str]:
        return {**super().cannot, "arguments_that_do_not_parse": "Anthropic sends arguments as an object, never as text."}

    def client(self, url: str) -> Anthropic:
        return Anthropic(base_url=url, api_key="none", max_retries=0, timeout=600)

    def async_client(self, url: str) -> AsyncAnthropic:
        return AsyncAnthropic(base_url=url, api_key="none", max_retries=0, timeout=600)

    def asking(self, requests: Sequence[Asked]) -> Reply:
        return message(*(tool_use(one.name, _object(one.arguments), one.call_id) for one in requests), usage=(11, 3))

    def saying(self, text_: str, tokens: tuple[int, int]) -> Reply:
        return message(text(text_), usage=tokens)

    def failing(self) -> Reply:
        return failure()

    def create(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        return client.messages.create(model=MODEL, max_tokens=100, messages=history, tools=_offered(tools))

    def streamed(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        return client.messages.stream(model=MODEL, max_tokens=100, messages=history, tools=_offered(tools))

    def final(self, stream: Any) -> Any:
        return stream.get_final_message()

    def requests(self, response: Any) -> list[Asked]:
        return [Asked(block.id, block.name, block.input) for block in response.content if block.type == "tool_use"]

    def text(self, response: Any) -> str:
        return "".join(block.text for block in response.content if block.type == "text")

    def extend(self, history: list[Any], response: Any, results: Sequence[Result]) -> None:
        history.append({"role": "assistant", "content": response.content})
        blocks = [
            {"type": "tool_result", "tool_use_id": one.call_id, "content": one.text, **({"is_error": True} if one.failed else {})}
            for one in results
        ]
        history.append({"role": "user", "content": blocks})

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(SyncAPIClient, "request"), (AsyncAPIClient, "request")]


def _object(arguments: Any) -> dict[str, Any]:
    try:
        given: dict[str, Any] = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        refuse("arguments that are no JSON")
    return given


def _offered(tools: Sequence[str]) -> list[dict[str, Any]]:
    return [{"name": name, "input_schema": {"type": "object", "properties": {}}} for name in tools]
