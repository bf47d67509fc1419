"""Agno's messages, tools and usage in the recorder's terms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from agno.models.message import Message

from agentassert.token_usage import TokenUsage

_MEDIA: Final = ("audio", "images", "videos", "files")


def given_in(said: Any) -> Any:
    """What a run is given: text, data, or messages."""
    if isinstance(said, Message):
        return said.content
    if isinstance(said, list) and any(isinstance(one, Message) for one in said):
        return [mapping_of(one) if isinstance(one, Message) else one for one in said]
    return said


def mapping_of(message: Message) -> dict[str, Any]:
    """A message as a mapping with `role` and `content`."""
    content = message.content
    media = [{"type": kind} for kind in _MEDIA for _ in getattr(message, kind, None) or ()]  # not their bytes
    if media:
        content = [{"type": "text", "text": content}, *media] if isinstance(content, str) else [*(content or ()), *media]
    mapping: dict[str, Any] = {"role": message.role, "content": content}
    if message.tool_calls:
        mapping["tool_calls"] = requests_in(message.tool_calls)
    if message.tool_call_id:
        mapping |= {"tool_call_id": message.tool_call_id, "name": message.tool_name}
    return mapping


def requests_in(calls: Iterable[Any] | None) -> list[Mapping[str, Any]]:
    """What the calls that a model made ask for."""
    functions = [(call.get("function") or {}, call.get("id")) for call in calls or () if isinstance(call, Mapping)]
    return [
        {"name": str(function.get("name")), "arguments": function.get("arguments") or {}, "call_id": call_id}
        for function, call_id in functions
    ]


def tools_offered_in(tools: Iterable[Any] | None) -> list[str]:
    """The names of the tools that a request offers, those that the provider runs included."""
    known = [tool for tool in tools or () if isinstance(tool, Mapping)]
    return [str((tool.get("function") or tool).get("name") or tool.get("type")) for tool in known]


def usage_of(reported: Iterable[Any]) -> TokenUsage | None:
    """The tokens of a call, of which a stream may report in parts; zeros are what Agno fills in where a provider reports nothing."""
    parts = [one for one in reported if one is not None]
    read, written, total = (
        sum(getattr(one, name, 0) or 0 for one in parts) for name in ("input_tokens", "output_tokens", "total_tokens")
    )
    return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=total or None) if read or written else None


def text_of(content: Any) -> str | None:
    """What is text in a response."""
    return content if content is None or isinstance(content, str) else str(content)
