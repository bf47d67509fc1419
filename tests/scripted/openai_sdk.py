"""Replies of OpenAI's API: chat completions, responses, embeddings, moderations."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from typing import Any

from tests.scripted.loopback import Reply

Call = tuple[str, dict[str, Any]]
_ids = itertools.count(1)
MODEL = "gpt-test"


def chat(
    text: str | None = None, *calls: Call, ids: Sequence[str] = (), usage: tuple[int, int] = (9, 4), stop: str = "stop"
) -> Reply:
    """A chat completion: a text, or calls of tools with ids `call_0`, `call_1` and so on."""
    ids = ids or [f"call_{index}" for index in range(len(calls))]
    tool_calls = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for call_id, (name, arguments) in zip(ids, calls, strict=True)
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": tool_calls} if calls else {})}
    reason = "tool_calls" if calls else stop
    counts = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    head = {"id": f"chatcmpl-{next(_ids)}", "created": 1, "model": MODEL}
    body = head | {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": reason, "message": message}],
        "usage": counts,
    }
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": part} for part in ((text or "")[:3], (text or "")[3:]) if part]
    for index, call in enumerate(tool_calls):
        whole = call["function"]["arguments"]
        deltas.append({"tool_calls": [{**call, "index": index, "function": {**call["function"], "arguments": ""}}]})
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": part}}]} for part in (whole[:4], whole[4:])]
    chunks = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}, {"choices": [], "usage": counts}]
    events = [_data(head | {"object": "chat.completion.chunk"} | chunk) for chunk in chunks]
    return Reply(body, (*events, "data: [DONE]\n\n"), tokens=sum(usage))


def message(text: str) -> dict[str, Any]:
    """An item of a response: what the model says."""
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": f"msg_{next(_ids)}", "role": "assistant", "status": "completed", "content": [part]}


def function_call(name: str, arguments: dict[str, Any], call_id: str = "call_0") -> dict[str, Any]:
    """An item of a response: what the model asks the program for."""
    asked = {"name": name, "arguments": json.dumps(arguments), "call_id": call_id}
    return {"type": "function_call", "id": f"fc_{next(_ids)}", "status": "completed", **asked}


def response(*output: dict[str, Any], usage: tuple[int, int] = (3, 2), **fields: Any) -> Reply:
    """A response of the Responses API."""
    counts = {"input_tokens": usage[0], "output_tokens": usage[1], "total_tokens": sum(usage)}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    body = {
        "id": f"resp_{next(_ids)}",
        "object": "response",
        "created_at": 1,
        "model": MODEL,
        "status": "completed",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": counts | details,
        **fields,
    }
    events: list[dict[str, Any]] = [{"type": "response.created", "response": body | {"output": [], "status": "in_progress"}}]
    for index, item in enumerate(output):
        place = {"output_index": index, "item_id": item["id"]}
        events.append({"type": "response.output_item.added", "output_index": index, "item": _begun(item)})
        if item["type"] == "message" and "text" in item["content"][0]:
            inside = place | {"content_index": 0, "logprobs": []}
            text = item["content"][0]["text"]
            part = {"type": "output_text", "text": "", "annotations": []}
            events.append({"type": "response.content_part.added", **inside, "part": part})
            events += [{"type": "response.output_text.delta", **inside, "delta": one} for one in (text[:3], text[3:])]
            events.append({"type": "response.output_text.done", **inside, "text": text})
        elif item["type"] == "function_call":
            events.append({"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": body})
    numbered = [event | {"sequence_number": number} for number, event in enumerate(events)]
    return Reply(body, [f"event: {event['type']}\n{_data(event)}" for event in numbered], tokens=sum(usage))


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    if item["type"] == "message":
        return item | {"content": [], "status": "in_progress"}
    return item | {"arguments": ""} if item["type"] == "function_call" else item


def embedding(tokens: int = 1) -> Reply:
    """An embedding of one text."""
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    data = [{"object": "embedding", "index": 0, "embedding": [0.25, 0.5]}]
    return Reply({"object": "list", "model": MODEL, "data": data, "usage": usage}, tokens=tokens)


def moderation() -> Reply:
    """A moderation that finds nothing."""
    return Reply({"id": "modr-1", "model": MODEL, "results": []})


def completion(text: str) -> Reply:
    """A completion of a text."""
    head = {"id": "cmpl-1", "object": "text_completion", "created": 1, "model": MODEL}
    usage = {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}
    choice = {"index": 0, "text": text, "finish_reason": "length", "logprobs": None}
    parts = ({"text": text[:3], "finish_reason": None}, {"text": text[3:]})
    events = [_data(head | {"choices": [choice | part]}) for part in parts]
    events += [_data(head | {"choices": [], "usage": usage}), "data: [DONE]\n\n"]
    return Reply(head | {"choices": [choice], "usage": usage}, events, tokens=3)


def failure(status: int = 500) -> Reply:
    """What the API says when it fails."""
    return Reply({"error": {"message": "kaput", "type": "server_error", "code": None, "param": None}}, status=status)


def _data(event: dict[str, Any]) -> str:
    return f"data: {json.dumps(event)}\n\n"
