"""The items of the Responses API, in which the SDK tells of every model, in the recorder's terms.

An item is a dictionary where it was sent, and mostly an object where it was received.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentassert.token_usage import TokenUsage

_NATIVE: Final[Mapping[str, tuple[str, str]]] = {
    "apply_patch_call": ("apply_patch", "operation"),
    "computer_call": ("computer_use_preview", "action"),
    "local_shell_call": ("local_shell", "action"),
    "shell_call": ("shell", "action"),
}
"""The calls that carry no name: what the SDK calls their tool, and where their arguments are."""


class Requested(NamedTuple):
    """A tool execution that a model asked for."""

    name: str
    arguments: Any = None
    call_id: str | None = None


def field(item: Any, name: str) -> Any:
    """A field of an item, `None` where it has none of that name."""
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def requests_in(output: Iterable[Any]) -> list[Requested]:
    """What a response asks for, in the order listed."""
    found = (_request(item) for item in output)
    return [one for one in found if one is not None]


def _request(item: Any) -> Requested | None:
    kind, call_id = field(item, "type"), field(item, "call_id")
    if kind == "function_call":
        return Requested(str(field(item, "name")), field(item, "arguments"), call_id)
    if kind == "custom_tool_call":
        return Requested(str(field(item, "name")), {"input": field(item, "input")}, call_id)
    if kind not in _NATIVE:
        return None
    name, place = _NATIVE[kind]
    return Requested(name, as_mapping(field(item, place)), call_id)


def as_mapping(value: Any) -> Any:
    """A part of an item as the mapping that it stands for."""
    dump = getattr(value, "model_dump", None)
    return dump(exclude_none=True) if callable(dump) else value


def response_of(output: Sequence[Any], usage: Any) -> dict[str, Any]:
    """What `ModelCallEvent.respond` takes, from the items of a response."""
    parts = [part for item in output if field(item, "type") == "message" for part in field(item, "content") or ()]
    # Of what a provider says about the end of its response, the SDK keeps a refusal and nothing else.
    refused = any(field(part, "type") == "refusal" for part in parts)
    return {
        "text": "".join(str(field(part, "text") or field(part, "refusal") or "") for part in parts),
        "finish_reason": "refusal" if refused else None,
        "usage": usage_of(usage),
        "requests": [request._asdict() for request in requests_in(output)],
    }


def usage_of(reported: Any) -> TokenUsage | None:
    """The token usage; zeros alone are how the SDK says that none was reported."""
    counts = {name: field(reported, name) for name in ("input_tokens", "output_tokens", "total_tokens")}
    return TokenUsage(**counts) if any(counts.values()) else None


def messages_of(instructions: Any, sent: Any) -> list[dict[str, Any]]:
    """What is sent to a model as messages, each with a role and a content."""
    messages = [{"role": "system", "content": instructions}] if instructions else []
    items = [{"role": "user", "content": sent}] if isinstance(sent, str) else sent
    return [*messages, *(_message(item) for item in items)]


def _message(item: Any) -> dict[str, Any]:
    request = _request(item)
    if request is not None:
        return {"role": "assistant", "content": "", "tool_calls": [request._asdict()]}
    kind = str(field(item, "type"))
    if kind.endswith("_output"):
        return {"role": "tool", "content": field(item, "output"), "tool_call_id": field(item, "call_id")}
    role = field(item, "role")
    if role is not None:
        return {"role": role, "content": field(item, "content")}
    return {"role": "assistant", "content": "", kind: as_mapping(item)}
