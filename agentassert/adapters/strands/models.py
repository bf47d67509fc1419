"""Requests to models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert import recorder
from agentassert.adapters.hooks import recorded
from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.messages import answer_in, messages_sent, requests_in, text_of, usage_of
from agentassert.recording.events import ModelCallEvent

_arguments: Final[WeakKeyDictionary[ModelCallEvent, list[str]]] = WeakKeyDictionary()
"""What a model has sent of the arguments of each tool that it asks for: Strands makes none of those that do not parse."""
_chunks: Final[WeakKeyDictionary[ModelCallEvent, list[Any]]] = WeakKeyDictionary()
"""What a model has sent that was asked past the event loop."""


def _begin(model: Any, system_prompt: Any, messages: Any, tool_specs: Any, **_: Any) -> ModelCallEvent | None:
    config = model.get_config()
    return recorder.start_model_call(
        adapter=ADAPTER,
        model=config.get("model_id") if isinstance(config, Mapping) else None,
        inputs=messages_sent(system_prompt, messages),
        tools_offered=[spec["name"] for spec in tool_specs or ()],
    )


def _hear(event: ModelCallEvent, part: Any) -> None:
    if "stop" in part:
        _respond(event, *part["stop"])
        return
    chunk = part.get("event") or {}
    texts = _arguments.setdefault(event, [])
    if "toolUse" in (chunk.get("contentBlockStart") or {}).get("start", ()):
        texts.append("")
    piece = ((chunk.get("contentBlockDelta") or {}).get("delta") or {}).get("toolUse")
    if piece and texts and isinstance(piece.get("input"), str):
        texts[-1] += piece["input"]


def _respond(event: ModelCallEvent, stop_reason: str, message: Any, usage: Any, *_: Any) -> None:
    if stop_reason == "cancelled":
        event.stop()
        return
    event.respond(
        text=text_of(message),
        finish_reason=stop_reason,
        usage=usage_of(usage),
        requests=requests_in(message, _arguments.pop(event, [])),
    )


def _end(event: ModelCallEvent, _: Any) -> None:
    event.stop()


recorded_call: Final = recorded(ADAPTER, _begin, _end, hear=_hear)
"""`stream_messages`, by which the event loop sends each request; it is answered with the last part of its stream."""


def _begin_directly(
    model: Any, messages: Any, tool_specs: Any = None, system_prompt: Any = None, *_: Any, **__: Any
) -> ModelCallEvent | None:
    if recorder.open_around(ModelCallEvent, ADAPTER) is not None:
        return None  # it is how that call goes out: from the event loop, or from one model to another
    event = _begin(model, system_prompt, messages, tool_specs)
    if event is not None:
        _chunks[event] = []
    return event


def _hear_directly(event: ModelCallEvent, chunk: Any) -> None:
    _chunks[event].append(chunk)


def _end_directly(event: ModelCallEvent, _: Any) -> None:
    chunks = _chunks.pop(event)
    event.respond(**answer_in(chunks))


asked_directly: Final = recorded(ADAPTER, _begin_directly, _end_directly, hear=_hear_directly, kind="async stream")
"""`Model.stream`, by which what sums a conversation up asks a model past the event loop, as a program itself may."""
