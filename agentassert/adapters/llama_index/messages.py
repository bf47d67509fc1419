"""LlamaIndex's messages, responses and nodes in the recorder's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.records import Source
from agentassert.token_usage import TokenUsage

_READ: Final = ("input_tokens", "prompt_tokens", "prompt_token_count", "prompt_eval_count")
_WRITTEN: Final = ("output_tokens", "completion_tokens", "candidates_token_count", "eval_count")
_TOTAL: Final = ("total_tokens", "total_token_count")
_REASON: Final = ("finish_reason", "stop_reason", "done_reason")


def said_in(message: Any) -> Any:
    """What a message says: text where it is nothing else; of files, what tells one from another."""
    if not hasattr(message, "blocks"):
        return message
    blocks = [block for block in message.blocks if _kind(block) != "tool_call"]
    if all(_kind(block) == "text" for block in blocks):
        return "".join(block.text for block in blocks)
    return [block.text if _kind(block) == "text" else {"type": _kind(block)} for block in blocks]


def message_mapping(message: Any) -> dict[str, Any]:
    """A message as a mapping with `role` and `content`."""
    mapping = {"role": str(getattr(message.role, "value", message.role)), "content": said_in(message)}
    requests = requests_in(message)
    call_id = message.additional_kwargs.get("tool_call_id")
    return mapping | ({"tool_calls": requests} if requests else {}) | ({} if call_id is None else {"tool_call_id": call_id})


def given_in(arguments: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """What a method of a model was given: messages or a prompt, and options."""
    options = arguments.get("kwargs", {})
    named = {**arguments, **options}
    given = named.get("messages", named.get("prompt"))
    return (arguments["args"][0] if given is None and arguments.get("args") else given), options


def messages_sent(given: Any) -> list[dict[str, Any]]:
    """Messages, or a prompt, as mappings with `role` and `content`."""
    return [{"role": "user", "content": given}] if isinstance(given, str) else [message_mapping(one) for one in given]


def tools_offered_by(arguments: Mapping[str, Any]) -> list[str] | None:
    """The names of the tools that a request offers; `None` where they are in a form that only the provider knows, or in the prompt."""
    offered = arguments.get("tools")
    if not isinstance(offered, Sequence):
        return None
    names = [_name_of(tool) for tool in offered]
    return [name for name in names if name] if all(names) else None


def requests_in(message: Any) -> list[dict[str, Any]]:
    """The tools that a message asks for, with their arguments as the provider sent them."""
    blocks = [block for block in message.blocks if _kind(block) == "tool_call"]
    if blocks:
        return [{"name": one.tool_name, "arguments": one.tool_kwargs, "call_id": one.tool_call_id} for one in blocks]
    return [
        {"name": _of(function, "name"), "arguments": _of(function, "arguments"), "call_id": _of(call, "id")}
        for call in message.additional_kwargs.get("tool_calls") or ()
        if (function := _of(call, "function")) is not None
    ]


def selected(selections: Sequence[Any]) -> list[dict[str, Any]]:
    """The tools that an agent found to be asked for."""
    return [{"name": one.tool_name, "arguments": one.tool_kwargs, "call_id": one.tool_id} for one in selections]


def response_of(response: Any) -> dict[str, Any]:
    """What a model answered, for `ModelCallEvent.respond`; the rest is as the provider names it."""
    message = getattr(response, "message", None)
    raw, more = getattr(response, "raw", None), getattr(response, "additional_kwargs", None) or {}
    return {
        "text": str((response.text if message is None else message.content) or ""),
        "requests": [] if message is None else requests_in(message),
        "finish_reason": _reason(raw, more),
        "usage": _usage(_of(raw, "usage"), _of(raw, "usage_metadata"), raw, more),
    }


def result_of(output: Any) -> Any:
    """What a tool returned; of LlamaIndex's own objects, such as nodes, what the model is told."""
    raw = getattr(output, "raw_output", output)
    first = raw[0] if isinstance(raw, list) and raw else raw
    return output.content if type(first).__module__.startswith("llama_index.") and hasattr(output, "content") else raw


def source_of(found: Any) -> Source:
    """A node that was found, with its score."""
    return Source(text=str(found.node.get_content()), metadata=dict(found.node.metadata), score=found.score)


def _reason(raw: Any, more: Mapping[str, Any]) -> str | None:
    choices = _of(raw, "choices")
    for place in (choices[0] if choices else None, raw, more):
        for name in _REASON:
            found = _of(place, name)
            if found is not None:
                return str(getattr(found, "value", found))
    return None


def _usage(*places: Any) -> TokenUsage | None:
    for place in places:
        read, written, total = (_count(place, names) for names in (_READ, _WRITTEN, _TOTAL))
        if read is not None:
            return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=total)
    return None


def _count(place: Any, names: Sequence[str]) -> int | None:
    return next((found for name in names if isinstance(found := _of(place, name), int)), None)


def _of(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, Mapping) else getattr(place, name, None)


def _kind(block: Any) -> str:
    return str(getattr(block, "block_type", ""))


def _name_of(tool: Any) -> str | None:
    found = _of(_of(tool, "function"), "name") or _of(_of(tool, "metadata"), "name") or _of(tool, "name")
    return found if isinstance(found, str) else None
