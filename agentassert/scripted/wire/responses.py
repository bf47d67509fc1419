"""OpenAI's responses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

from agentassert.records import FinishReason
from agentassert.scripted.faults import HttpFailure
from agentassert.scripted.steps import Reply, ToolRequest
from agentassert.scripted.wire.protocol import Event, Protocol, halves, pieces

_COMPLETE: Final = (FinishReason.STOP, FinishReason.TOOL_EXECUTION)
_REASONS: Final = {"length": "max_output_tokens"}
_ECHOED: Final[dict[str, Any]] = {
    "instructions": None,
    "max_output_tokens": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "previous_response_id": None,
    "temperature": 1.0,
    "text": {"format": {"type": "text"}},
    "tool_choice": "auto",
    "tools": [],
    "top_p": 1.0,
    "truncation": "disabled",
}


class Responses(Protocol):
    """Responses, which consist of items: messages and function calls."""

    def whole(self, reply: Reply) -> dict[str, Any]:
        items = [self._item(part, refusal=reply.refusal) for part in reply.parts]
        return self._head() | _outcome(reply) | {"output": items, "usage": _usage(reply)}

    def events(self, reply: Reply) -> Sequence[Event]:
        whole = self.whole(reply)
        begun = whole | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
        events: list[Event] = [{"type": f"response.{name}", "response": begun} for name in ("created", "in_progress")]
        for index, item in enumerate(whole["output"]):
            place = {"output_index": index, "item_id": item["id"]}
            empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
            begun_item = item | {"status": "in_progress"} | empty
            events.append({"type": "response.output_item.added", "output_index": index, "item": begun_item})
            events += _said(item, place) if item["type"] == "message" else _asked(item, place)
            events.append({"type": "response.output_item.done", "output_index": index, "item": item})
        events.append({"type": f"response.{whole['status']}", "response": whole})
        return [event | {"sequence_number": number} for number, event in enumerate(events)]

    def continues(self, event: Event) -> bool:
        return bool(event["type"] == "response.output_text.delta")

    def broken(self, failure: HttpFailure) -> Event:
        return {
            "type": "error",
            "code": failure.code or failure.kind,
            "message": failure.message,
            "param": None,
            "sequence_number": 0,
        }

    def _head(self) -> dict[str, Any]:
        sent = self._request.body
        echoed = {name: otherwise if sent.get(name) is None else sent[name] for name, otherwise in _ECHOED.items()}
        about = {"id": self._id("resp"), "object": "response", "created_at": int(time.time()), "model": self._request.model}
        return about | echoed | {"error": None}

    def _item(self, part: str | ToolRequest, *, refusal: bool) -> dict[str, Any]:
        if isinstance(part, ToolRequest):
            about = {"type": "function_call", "id": self._id("fc"), "status": "completed"}
            return about | {"call_id": part.call_id or self._id("call"), "name": part.name, "arguments": part.text}
        content: dict[str, Any] = {"type": "output_text", "text": part, "annotations": [], "logprobs": []}
        if refusal:
            content = {"type": "refusal", "refusal": part}
        return {"type": "message", "id": self._id("msg"), "status": "completed", "role": "assistant", "content": [content]}


def _said(item: dict[str, Any], place: dict[str, Any]) -> Iterator[Event]:
    content = item["content"][0]
    kind, field = ("refusal", "refusal") if content["type"] == "refusal" else ("output_text", "text")
    inside = place | {"content_index": 0}
    more: dict[str, Any] = {} if kind == "refusal" else {"logprobs": []}
    yield {"type": "response.content_part.added", **inside, "part": content | {field: ""}}
    for piece in pieces(content[field]):
        yield {"type": f"response.{kind}.delta", **inside, "delta": piece, **more}
    yield {"type": f"response.{kind}.done", **inside, field: content[field], **more}
    yield {"type": "response.content_part.done", **inside, "part": content}


def _asked(item: dict[str, Any], place: dict[str, Any]) -> Iterator[Event]:
    for half in halves(item["arguments"]):
        if half:
            yield {"type": "response.function_call_arguments.delta", **place, "delta": half}
    yield {"type": "response.function_call_arguments.done", **place, "name": item["name"], "arguments": item["arguments"]}


def _outcome(reply: Reply) -> dict[str, Any]:
    if reply.reason in _COMPLETE:
        return {"status": "completed", "incomplete_details": None}
    return {"status": "incomplete", "incomplete_details": {"reason": _REASONS.get(reply.reason, str(reply.reason))}}


def _usage(reply: Reply) -> dict[str, Any] | None:
    if reply.tokens is None:
        return None
    read, written = reply.tokens
    return {
        "input_tokens": read,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": written,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": read + written,
    }
