"""A hand-written loop over OpenAI's chat completions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openai import AsyncOpenAI, OpenAI
from openai._base_client import AsyncAPIClient, SyncAPIClient

from agentassert.adapters.openai_sdk.adapter import OpenAIAdapter
from tests.adapters.kits.loops import Asked, LoopKit, Result
from tests.scripted.loopback import Reply
from tests.scripted.openai_sdk import MODEL, chat, failure


class OpenAIKit(LoopKit):
    """OpenAI's SDK."""

    title = "OpenAI SDK"
    adapters = (OpenAIAdapter,)

    @property
    def cannot(self) -> Mapping[str, str]:
        words = "No function runs, and of the text that is sent back instead nobody says that it is no result."
        return {**super().cannot, "arguments_that_do_not_parse": words}

    def client(self, url: str) -> OpenAI:
        return OpenAI(base_url=url, api_key="none", max_retries=0, timeout=600)

    def async_client(self, url: str) -> AsyncOpenAI:
        return AsyncOpenAI(base_url=url, api_key="none", max_retries=0, timeout=600)

    def asking(self, requests: Sequence[Asked]) -> Reply:
        calls = [(one.name, {} if isinstance(one.arguments, str) else one.arguments) for one in requests]
        reply = chat(None, *calls, ids=[one.call_id for one in requests], usage=(11, 3))
        for asked, sent in zip(requests, reply.body["choices"][0]["message"]["tool_calls"], strict=True):
            if isinstance(asked.arguments, str):
                sent["function"]["arguments"] = asked.arguments
        return reply

    def saying(self, text: str, tokens: tuple[int, int]) -> Reply:
        return chat(text, usage=tokens)

    def failing(self) -> Reply:
        return failure()

    def create(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        return client.chat.completions.create(model=MODEL, messages=history, **offered(tools))

    def streamed(self, client: Any, history: list[Any], tools: Sequence[str]) -> Any:
        options = {"include_usage": True}
        return client.chat.completions.stream(model=MODEL, messages=history, stream_options=options, **offered(tools))

    def final(self, stream: Any) -> Any:
        return stream.get_final_completion()

    def requests(self, response: Any) -> list[Asked]:
        calls = response.choices[0].message.tool_calls or ()
        return [Asked(call.id, call.function.name, call.function.arguments) for call in calls]

    def text(self, response: Any) -> str:
        return response.choices[0].message.content or ""

    def extend(self, history: list[Any], response: Any, results: Sequence[Result]) -> None:
        history.append(response.choices[0].message)
        history += [{"role": "tool", "tool_call_id": one.call_id, "content": one.text} for one in results]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(SyncAPIClient, "request"), (AsyncAPIClient, "request")]


def offered(tools: Sequence[str]) -> dict[str, Any]:
    """The arguments of a request that offers tools."""
    nothing = {"type": "object", "properties": {}, "additionalProperties": False}
    schemas = [{"type": "function", "function": {"name": name, "parameters": nothing, "strict": True}} for name in tools]
    return {"tools": schemas} if schemas else {}
