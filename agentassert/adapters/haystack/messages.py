"""Haystack's messages, and what components take and give, in the recorder's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from haystack.dataclasses import ChatMessage

from agentassert.token_usage import TokenUsage

_READ: Final = ("prompt_tokens", "input_tokens")
_WRITTEN: Final = ("completion_tokens", "output_tokens")


def message_of(message: Any) -> Any:
    """A message as a mapping with `role` and `content`; of a text, which generators of the older kind take, a user's."""
    if not isinstance(message, ChatMessage):
        return {"role": "user", "content": message}
    if message.tool_call_results:
        return _result_message(message.tool_call_results[0])
    mapping: dict[str, Any] = {"role": message.role.value, "content": "".join(message.texts)}
    calls = [request_of(call) for call in message.tool_calls]
    return mapping | {"tool_calls": calls} if calls else mapping


def _result_message(result: Any) -> dict[str, Any]:
    return {
        "role": "tool",
        "content": result.result,
        "name": result.origin.tool_name,
        "tool_call_id": result.origin.id,
        "status": "error" if result.error else "success",
    }


def request_of(call: Any) -> dict[str, Any]:
    """What one call of a response asks for."""
    return {"name": call.tool_name, "arguments": call.arguments, "call_id": call.id}


def plain(value: Any) -> Any:
    """What a component takes or gives, its messages as mappings."""
    if isinstance(value, ChatMessage):
        return message_of(value)
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def given_in(messages: Sequence[Any]) -> Any:
    """What an agent is told: a text where it is nothing else."""
    only = messages[0] if len(messages) == 1 else None
    if only is not None and only.role.value == "user" and only.text is not None:
        return only.text
    return plain(messages)


def text_in(outputs: Any) -> str | None:
    """The text of a component's answer; of several components' the only one that has one."""
    if not isinstance(outputs, Mapping):
        return None
    last = outputs.get("last_message") or next(iter(outputs.get("replies") or outputs.get("answers") or ()), None)
    if last is None:
        found = [text for text in map(text_in, outputs.values()) if text is not None]
        return found[0] if len(found) == 1 else None
    if isinstance(last, ChatMessage) and last.role.value != "assistant":
        return None  # the model has said nothing
    text = last if isinstance(last, str) else getattr(last, "text", getattr(last, "data", None))
    return text if isinstance(text, str) else None


def response_of(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """What `ModelCallEvent.respond` takes, of what a generator gives: the first reply's words, and what any of them asks for."""
    replies = outputs.get("replies") or [""]
    reply = replies[0]
    meta = meta_of(outputs)
    reason = meta.get("finish_reason")
    return {
        "text": reply if isinstance(reply, str) else "".join(reply.texts),
        "finish_reason": None if reason is None else str(reason),
        "usage": usage_in(meta),
        "requests": [request_of(call) for one in replies if not isinstance(one, str) for call in one.tool_calls],
    }


def meta_of(outputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a generator tells of its first reply: in it, or, where replies are texts, beside them."""
    replies = outputs.get("replies")
    meta = getattr(replies[0], "meta", None) if replies else None
    if meta is None:
        meta = outputs.get("meta")
    first = meta[0] if isinstance(meta, list) and meta else meta
    return first if isinstance(first, Mapping) else {}


def usage_in(meta: Mapping[str, Any]) -> TokenUsage | None:
    """The tokens that the provider reported, by whichever of the two usual names."""
    usage = meta.get("usage")
    if not isinstance(usage, Mapping):
        return None
    read, written, total = (_count(usage, names) for names in (_READ, _WRITTEN, ("total_tokens",)))
    if read is None and written is None and total is None:
        return None
    return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=total)


def _count(usage: Mapping[str, Any], names: Sequence[str]) -> int | None:
    return next((usage[name] for name in names if isinstance(usage.get(name), int)), None)
