"""Streamed messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentassert.adapters.anthropic_sdk.messages import answer
from agentassert.adapters.stainless.fields import field, plain
from agentassert.adapters.stainless.routes import Answer, Collector


class Events(Collector):
    """The events of a streamed message."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._message: dict[str, Any] = {"usage": {}}
        self._blocks: dict[Any, dict[str, Any]] = {}

    def add(self, event: Any) -> Answer | None:
        """Take an event; the last one says so."""
        kind = field(event, "type")
        if kind == "message_start":
            message = field(event, "message")
            self._message["id"] = field(message, "id")
            self._use(field(message, "usage"))
        elif kind == "content_block_start":
            self._blocks[field(event, "index")] = dict(plain(field(event, "content_block")))
        elif kind == "content_block_delta":
            self._extend(self._blocks.get(field(event, "index"), {}), field(event, "delta"))
        elif kind == "message_delta":
            self._message["stop_reason"] = field(field(event, "delta"), "stop_reason")
            self._use(field(event, "usage"))
        elif kind == "message_stop":
            return self._whole()
        return None

    def answer(self, *, exhausted: bool) -> Answer:
        """What has come by now."""
        said = self._whole()
        return said if said.finish_reason else Answer(text=said.text, response_id=said.response_id, complete=False)

    def _whole(self) -> Answer:
        return answer({**self._message, "content": [self._blocks[index] for index in sorted(self._blocks)]})

    def _use(self, usage: Any) -> None:
        """Counts are told at the start and, as they are by then, at the end."""
        self._message["usage"] |= plain(usage) or {}

    @staticmethod
    def _extend(block: dict[str, Any], delta: Any) -> None:
        text, arguments = field(delta, "text"), field(delta, "partial_json")
        if isinstance(text, str):
            block["text"] = (block.get("text") or "") + text
        elif isinstance(arguments, str) and arguments:
            written = block.get("input")
            block["input"] = (written if isinstance(written, str) else "") + arguments
