"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agentassert.jsonlike import decode
from agentassert.records import FinishReason
from agentassert.scripted.faults import HttpFailure
from agentassert.scripted.steps import Reply, ToolRequest
from agentassert.scripted.wire.protocol import Event, Protocol, UnsayableError, failure_body, halves, pieces

_REASONS: Final[dict[str, str]] = {
    FinishReason.STOP: "end_turn",
    FinishReason.LENGTH: "max_tokens",
    FinishReason.TOOL_EXECUTION: "tool_use",
    FinishReason.CONTENT_FILTER: "refusal",
}


class Messages(Protocol):
    """Messages, which consist of blocks: texts and tool uses."""

    def whole(self, reply: Reply) -> dict[str, Any]:
        blocks = [self._block(part) for part in reply.parts]
        reason = "refusal" if reply.refusal else _REASONS.get(reply.reason, str(reply.reason))
        return self._head() | {"content": blocks, "stop_reason": reason, "stop_sequence": None, "usage": _usage(reply)}

    def events(self, reply: Reply) -> Sequence[Event]:
        whole = self.whole(reply)
        usage = whole["usage"]
        begun = whole | {"content": [], "stop_reason": None, "usage": usage | {"output_tokens": 1}}
        events: list[Event] = [{"type": "message_start", "message": begun}]
        for index, block in enumerate(whole["content"]):
            empty: dict[str, Any] = {"text": ""} if block["type"] == "text" else {"input": {}}
            events.append({"type": "content_block_start", "index": index, "content_block": block | empty})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in _deltas(block)]
            events.append({"type": "content_block_stop", "index": index})
        ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        events.append({"type": "message_delta", "delta": ended, "usage": {"output_tokens": usage["output_tokens"]}})
        events.append({"type": "message_stop"})
        return events

    def continues(self, event: Event) -> bool:
        return bool(event["type"] == "content_block_delta")

    def broken(self, failure: HttpFailure) -> Event:
        return failure_body(failure)

    def _head(self) -> dict[str, Any]:
        return {"id": self._id("msg"), "type": "message", "role": "assistant", "model": self._request.model}

    def _block(self, part: str | ToolRequest) -> dict[str, Any]:
        if isinstance(part, str):
            return {"type": "text", "text": part}
        given = decode(part.arguments) if isinstance(part.arguments, str) else part.arguments
        if not isinstance(given, dict):
            words = (
                f"arguments of {part.name!r} that are no JSON object cannot be sent in Anthropic's protocol: {part.arguments!r}"
            )
            raise UnsayableError(words)
        return {"type": "tool_use", "id": part.call_id or self._id("toolu"), "name": part.name, "input": given}


def _deltas(block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    text = ToolRequest(block["name"], block["input"]).text
    return [{"type": "input_json_delta", "partial_json": part} for part in ("", *halves(text))]


def _usage(reply: Reply) -> dict[str, int]:
    if reply.tokens is None:
        raise UnsayableError("Anthropic's protocol cannot leave the token usage out: give tokens=(read, written)")
    return {"input_tokens": reply.tokens[0], "output_tokens": reply.tokens[1]}
