"""Replies of Anthropic's API."""

from __future__ import annotations

import itertools
import json
from typing import Any

from tests.scripted.loopback import Reply

MODEL = "claude-test"
_ids = itertools.count(1)


def text(said: str) -> dict[str, Any]:
    """A block of a message: what the model says."""
    return {"type": "text", "text": said}


def tool_use(name: str, given: dict[str, Any], call_id: str = "toolu_0") -> dict[str, Any]:
    """A block of a message: what the model asks the program for."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def message(*blocks: dict[str, Any], usage: tuple[int, int] = (7, 5), stop: str | None = None) -> Reply:
    """A message of these blocks."""
    asks = any(block["type"] == "tool_use" for block in blocks)
    reason = stop or ("tool_use" if asks else "end_turn")
    counts = {"input_tokens": usage[0], "output_tokens": usage[1]}
    head = {"id": f"msg_{next(_ids)}", "type": "message", "role": "assistant", "model": MODEL, "stop_sequence": None}
    whole = head | {"content": list(blocks), "stop_reason": reason, "usage": counts}
    empty = head | {"content": [], "stop_reason": None, "usage": counts | {"output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": empty}]
    for index, block in enumerate(blocks):
        begun, deltas = _parts(block)
        events.append({"type": "content_block_start", "index": index, "content_block": begun})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": reason, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": usage[1]}})
    events.append({"type": "message_stop"})
    return Reply(whole, [f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events], tokens=sum(usage))


def _parts(block: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    if block["type"] == "text":
        said = block["text"]
        return block | {"text": ""}, [{"type": "text_delta", "text": part} for part in (said[:3], said[3:])]
    if block["type"] in ("tool_use", "server_tool_use", "mcp_tool_use"):
        given = json.dumps(block["input"])
        parts = [{"type": "input_json_delta", "partial_json": part} for part in ("", given[:4], given[4:])]
        return block | {"input": {}}, parts
    return block, []


def failure(status: int = 500) -> Reply:
    """What the API says when it fails."""
    return Reply({"type": "error", "error": {"type": "api_error", "message": "kaput"}}, status=status)
