"""Messages as mappings with `role` and `content`, out of the many forms in which spans hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from agentassert import render
from agentassert.recording.requests import id_among
from agentassert.telemetry.attributes import Attributes, is_cut_off, nested, structured
from agentassert.telemetry.spans import Span, SpanEvent

Message = dict[str, Any]

_SENT: Final = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt", "llm.prompts")
_RECEIVED: Final = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")
_DETAILS: Final = "gen_ai.client.inference.operation.details"
_ROLE_OF_EVENT: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_CHOICE: Final = "gen_ai.choice"
_ROLES: Final[Mapping[str, str]] = {"human": "user", "ai": "assistant", "model": "assistant"}


def sent(span: Span) -> list[Message] | None:
    """What a model or an agent was sent, the instructions first; `None` when the span does not say.

    Example:
        >>> sent(Span("1", "2", None, "chat", attributes={"llm.input_messages.0.message.content": "hi"}))
        [{'role': 'user', 'content': 'hi'}]
    """
    for attributes in _places(span):
        messages = structured(attributes, *_SENT)
        if messages is not None and not is_cut_off(messages):
            return [*_instructions(attributes), *messages_in(messages)]
    found = [message for event in span.events for message in _sent_by(event)]
    return found or None


def received(span: Span) -> list[Message] | None:
    """What the model answered; `None` when the span does not say."""
    for attributes in _places(span):
        messages = structured(attributes, *_RECEIVED)
        if messages is not None and not is_cut_off(messages):
            return list(messages_in(messages, role="assistant"))
    found = [message for event in span.events for message in _received_by(event)]
    return found or None


def are_cut_off(span: Span) -> bool:
    """Whether what it was sent, or what it answered, was too long for whoever wrote the span."""
    return any(is_cut_off(attributes.get(name)) for attributes in _places(span) for name in (*_SENT, *_RECEIVED))


def messages_in(messages: Any, role: str = "user") -> Iterator[Message]:
    """Each message in the recorder's terms; `role` is that of those which name none."""
    for message in messages if isinstance(messages, (list, tuple)) else [messages]:
        if isinstance(message, str):
            yield {"role": role, "content": message}
        elif isinstance(message, Mapping):
            yield from _normal(nested(message), role)
        elif isinstance(message, (list, tuple)):
            yield from _pair(message, role)


def text_of(messages: Iterable[Message]) -> str:
    """The text of what the assistant says in them."""
    return "".join(content for one in messages if one["role"] == "assistant" and isinstance(content := one.get("content"), str))


def requests_in(messages: Iterable[Message]) -> list[Mapping[str, Any]]:
    """The tool executions that they ask for."""
    return [request for message in messages for request in message.get("tool_calls", ())]


def finish_reason_in(messages: Iterable[Message]) -> str | None:
    """The first finish reason that one of them gives."""
    return next((one["finish_reason"] for one in messages if one.get("finish_reason")), None)


def _places(span: Span) -> Iterator[Attributes]:
    yield span.attributes
    for event in span.events:
        if event.name == _DETAILS:
            yield event.attributes


def _instructions(attributes: Attributes) -> list[Message]:
    instructions = structured(attributes, "gen_ai.system_instructions")
    if instructions is None:
        return []
    return [{"role": "system", "content": _joined(instructions if isinstance(instructions, list) else [instructions])}]


def _sent_by(event: SpanEvent) -> Iterator[Message]:
    if event.name == "gen_ai.content.prompt":
        yield from messages_in(structured(event.attributes, "gen_ai.prompt") or ())
    elif event.name in _ROLE_OF_EVENT:
        yield from _normal(_body(event), _ROLE_OF_EVENT[event.name])


def _received_by(event: SpanEvent) -> Iterator[Message]:
    if event.name == "gen_ai.content.completion":
        yield from messages_in(structured(event.attributes, "gen_ai.completion") or (), role="assistant")
    elif event.name == _CHOICE:
        yield from _normal(_body(event), "assistant")


def _body(event: SpanEvent) -> dict[str, Any]:
    """What an event says about its message: some writers give the parts of it as JSON text."""
    said = {name: value for name, value in event.attributes.items() if value is not None}
    return {name: structured(said, name) for name in said} | {
        "role": event.attributes.get("role") or _ROLE_OF_EVENT.get(event.name, "assistant")
    }


def _normal(message: Mapping[str, Any], role: str) -> Iterator[Message]:
    inner = message.get("message")
    if isinstance(inner, Mapping):
        outer = {name: value for name, value in message.items() if name != "message"}
        yield from _normal({"role": role, **outer, **inner}, role)
        return
    inner = message.get("data", message.get("kwargs"))
    if isinstance(inner, Mapping):  # as LangChain writes its messages
        kind = message["type"] if "data" in message else inner.get("type")
        yield from _normal({"role": kind or role, **inner}, role)
        return
    said = str(message.get("role") or message.get("type") or role)
    said = _ROLES.get(said, said)
    parts = _parts(message)
    answers = [part for part in parts if _kind(part) in ("tool_call_response", "tool_result", "toolResult")]
    requests = _requests(message, parts)
    others = [part for part in parts if part not in answers]
    if others or requests or not answers:
        yield _with_extras({"role": said, "content": _joined(others)}, message, requests)
    for answer in answers:
        yield _answer(answer)


def _parts(message: Mapping[str, Any]) -> list[Any]:
    for name in ("parts", "contents", "content", "message"):
        value = message.get(name)
        if isinstance(value, (list, tuple)):
            return list(value)
        if value is not None and name != "parts":
            return [value]
    return []


def _kind(part: Any) -> str | None:
    if not isinstance(part, Mapping):
        return None
    return part.get("type") or next((name for name in ("toolUse", "toolResult") if name in part), None)


def _joined(parts: Sequence[Any]) -> Any:
    """The text of the parts; the parts themselves where there is more than text."""
    kept = [part for part in parts if _kind(part) not in ("tool_call", "tool_use", "toolUse", "reasoning", "thinking")]
    texts = [_text(part) for part in kept]
    if all(isinstance(one, str) for one in texts):
        return "".join(one for one in texts if isinstance(one, str))
    return [part if one is None else {"type": "text", "text": one} for part, one in zip(kept, texts, strict=True)]


def _text(part: Any) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return render.json_text(part)
    inner = part.get("message_content")
    if isinstance(inner, Mapping):
        return _text(inner)
    if part.get("type", "text") not in ("text", "input_text", "output_text"):
        return None
    value = part.get("content", part.get("text"))
    return value if isinstance(value, str) else None


def _requests(message: Mapping[str, Any], parts: Sequence[Any]) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    listed = list(calls) if isinstance(calls, (list, tuple)) else []
    found = [_request(one) for one in (*listed, *parts)]
    return [one for one in found if one is not None]


def _request(call: Any) -> Mapping[str, Any] | None:
    if not isinstance(call, Mapping):
        return None
    for name in ("tool_call", "toolUse"):
        inner = call.get(name)
        if isinstance(inner, Mapping):
            return _request({"type": name, **inner})
    function = call.get("function")
    function = function if isinstance(function, Mapping) else {}
    name = function.get("name", call.get("name"))
    if not isinstance(name, str) or call.get("type", "function") not in ("function", "tool_call", "tool_use", "toolUse"):
        return None
    places = (function.get("arguments"), call.get("arguments"), call.get("args"), call.get("input"))
    arguments: Any = next((one for one in places if one is not None), {})
    return {"name": name, "arguments": arguments, "call_id": _id_of(call, "id", "toolUseId")}


def _answer(part: Mapping[str, Any]) -> Message:
    inner = part.get("toolResult")
    part = inner if isinstance(inner, Mapping) else part
    places = (part.get(name) for name in ("response", "result", "content"))
    content = next((one for one in places if one is not None), None)
    told = content if isinstance(content, (str, list)) else render.json_text(content)
    return {"role": "tool", "content": told, "tool_call_id": _id_of(part, "id", "tool_use_id", "toolUseId")}


def _id_of(item: Mapping[str, Any], *names: str) -> str | None:
    return id_among(item.get(name) for name in names)


def _with_extras(normal: Message, message: Mapping[str, Any], requests: list[Mapping[str, Any]]) -> Message:
    for name in ("name", "finish_reason", "status"):
        if message.get(name):
            normal[name] = message[name]
    call_id = _id_of(message, "tool_call_id")
    if call_id is not None:
        normal["tool_call_id"] = call_id
    if requests:
        normal["tool_calls"] = requests
    return normal


def _pair(message: Sequence[Any], role: str) -> Iterator[Message]:
    """LangChain's short form, `("user", "hi")`; else a list of messages in a list."""
    if len(message) == 2 and all(isinstance(one, str) for one in message):  # noqa: PLR2004
        yield {"role": _ROLES.get(message[0], message[0]), "content": message[1]}
    else:
        yield from messages_in(message, role)
