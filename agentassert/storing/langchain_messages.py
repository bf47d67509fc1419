"""Messages of LangChain: its objects, and the JSON that its own functions make of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final

from agentassert.adapters.anthropic_sdk.messages import requests_in
from agentassert.adapters.langchain.messages import is_message, message_mapping, responding_model, response_of
from agentassert.adapters.openai_api.chat import answer
from agentassert.adapters.stainless.fields import field, listed, text_in
from agentassert.adapters.stainless.routes import Answer
from agentassert.jsonlike import snapshot
from agentassert.recording.exchanges import SentResult
from agentassert.storing.chat_messages import look_at_requests
from agentassert.storing.message_parts import MisfitError, Part, foreign, need_each, need_name, need_one_of, need_text, refuse

_KINDS: Final = ("human", "ai", "system", "tool", "function", "chat")
_CHUNK: Final = "MessageChunk"
_FAILED: Final[Mapping[Any, bool]] = {"error": True, "success": False}
_LISTS: Final = ("tool_calls", "invalid_tool_calls")
_MAPPINGS: Final = ("additional_kwargs", "response_metadata")


def look(message: Any) -> None:
    """Refuse a message that is none of these.

    Raises:
        MisfitError: naming the key.
    """
    told, inside = _fields(message)
    need_one_of(told, "type", _KINDS, inside)
    if field(told, "role") is not None and told["type"] != "chat":
        raise foreign(f"{inside}role")
    content = told.get("content")
    if not isinstance(content, (str, list)):
        refuse(f"{inside}content", "a text or a list", content)
    for name in _LISTS:
        need_each(told, name, _look_at_call, inside)
    for name in (*_MAPPINGS, "usage_metadata"):
        if told.get(name) is not None and not isinstance(told[name], Mapping):
            refuse(f"{inside}{name}", "an object", told[name])
    if _asks_elsewhere(told):
        look_at_requests(told.get("additional_kwargs"), f"{inside}additional_kwargs.")
        for index, block in enumerate(content):
            if field(block, "type") == "tool_use":
                need_name(block, f"{inside}content[{index}].")
    if told["type"] == "tool" or told.get("tool_call_id") is not None:
        need_text(told, "tool_call_id", inside)
    if told["type"] == "chat":
        need_text(told, "role", inside)


def parts(messages: Sequence[Any]) -> Iterator[Part]:
    """What each message tells."""
    for message in messages:
        told = _whole(_fields(message)[0])
        mapping = snapshot(message_mapping(told))
        if told.type in ("tool", "function"):
            result = SentResult(told.tool_call_id, snapshot(text_in(told.content)), _failed(told.status))
            yield Part(inputs=[mapping], results=[result])
        elif mapping["role"] != "assistant":
            yield Part(inputs=[mapping])
        else:
            response = SimpleNamespace(generations=[[SimpleNamespace(message=told, generation_info=None)]], llm_output=None)
            said = response_of(response)
            answered = Answer(
                text=said["text"], finish_reason=said["finish_reason"], usage=said["usage"], requests=said["requests"]
            )
            yield Part(inputs=[mapping], answer=answered, model=responding_model(response))


def _failed(status: Any) -> bool | None:
    return _FAILED.get(status) if isinstance(status, str) else None


def _fields(message: Any) -> tuple[dict[str, Any], str]:
    """The fields of a message, and the key under which they stand in it."""
    inside = ""
    if is_message(message):
        told = {name: getattr(message, name) for name in _DEFAULTS if hasattr(message, name)}
    elif isinstance(message, Mapping):
        inner = next((name for name in ("data", "kwargs") if isinstance(message.get(name), Mapping)), None)
        inside = "" if inner is None else f"{inner}."
        told = dict(message if inner is None else message[inner])
        if inner == "data":
            told.setdefault("type", message.get("type"))
    else:
        raise MisfitError("", "is no message")
    kind = told.get("type")
    if isinstance(kind, str) and kind.endswith(_CHUNK):
        told["type"] = kind.removesuffix(_CHUNK).lower()
    return told, inside


def _whole(told: Mapping[str, Any]) -> Any:
    """The message with every field that one of its kind can have."""
    fields = {name: told.get(name) for name in _DEFAULTS}
    for name in _LISTS:
        fields[name] = [{"args": None, "id": None, **dict(call)} for call in fields[name] or ()]
    for name in _MAPPINGS:
        fields[name] = fields[name] or {}
    if _asks_elsewhere(told):
        fields["tool_calls"] = _asked_elsewhere(told)
    return SimpleNamespace(**fields)


def _asks_elsewhere(told: Mapping[str, Any]) -> bool:
    """Whether what it asks for can only stand in its provider's own words, as in messages of old releases or made by hand."""
    return told["type"] == "ai" and not any(told.get(name) for name in _LISTS)


def _asked_elsewhere(told: Mapping[str, Any]) -> list[dict[str, Any]]:
    blocks = [block for block in listed(told, "content") if isinstance(block, Mapping)]
    requests = [*answer({"choices": [{"message": told.get("additional_kwargs")}]}).requests, *requests_in(blocks)]
    return [{"name": one["name"], "args": one["arguments"], "id": one["call_id"]} for one in requests]


_DEFAULTS: Final = (
    "type",
    "content",
    "role",
    "name",
    "tool_call_id",
    "status",
    "usage_metadata",
    *_LISTS,
    *_MAPPINGS,
)


def _look_at_call(call: Any, inside: str) -> None:
    if not isinstance(call, Mapping):
        refuse(inside.rstrip("."), "an object", call)
    need_text(call, "name", inside)
    if field(call, "id") is not None:
        need_text(call, "id", inside)
