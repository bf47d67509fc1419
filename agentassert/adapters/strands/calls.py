"""Requests to models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert import recorder
from agentassert.adapters.hooks import recorded
from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.messages import messages_sent, requests_in, text_of, usage_of
from agentassert.events import ModelCallEvent

_arguments: Final[WeakKeyDictionary[ModelCallEvent, list[str]]] = WeakKeyDictionary()
"""What a model has sent of the arguments of each tool that it asks for: Strands makes none of those that do not parse."""


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
