"""OpenAI's chat completions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from agentassert.records import FinishReason
from agentassert.scripted.faults import HttpFailure
from agentassert.scripted.steps import Reply
from agentassert.scripted.wire.protocol import Event, Protocol, failure_body, halves, pieces

_REASONS: Final[dict[str, str]] = {FinishReason.TOOL_EXECUTION: "tool_calls"}


class ChatCompletions(Protocol):
    """Chat completions: one choice, whose message holds a text and calls."""

    ending: ClassVar = "data: [DONE]\n\n"

    def whole(self, reply: Reply) -> dict[str, Any]:
        calls = self._calls(reply)
        said = {"content": None, "refusal": reply.text} if reply.refusal else {"content": reply.text, "refusal": None}
        message = {"role": "assistant", **said, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": _reason(reply), "logprobs": None}
        usage = _usage(reply)
        return self._head("chat.completion") | {"choices": [choice]} | ({"usage": usage} if usage else {})

    def events(self, reply: Reply) -> Sequence[Event]:
        place = "refusal" if reply.refusal else "content"
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": None if reply.refusal or reply.text is None else ""}]
        deltas += [{place: piece} for piece in pieces(reply.text or "")]
        for index, call in enumerate(self._calls(reply)):
            function = call["function"]
            deltas.append({"tool_calls": [call | {"index": index, "function": function | {"arguments": ""}}]})
            deltas += [
                {"tool_calls": [{"index": index, "function": {"arguments": half}}]}
                for half in halves(function["arguments"])
                if half
            ]
        head = self._head("chat.completion.chunk")
        chunks = [head | {"choices": [_choice(delta, None)]} for delta in deltas]
        chunks.append(head | {"choices": [_choice({}, _reason(reply))]})
        usage = _usage(reply)
        if usage and self._reports_usage:
            chunks.append(head | {"choices": [], "usage": usage})
        return chunks

    def continues(self, event: Event) -> bool:
        return any(choice["delta"].get("content") for choice in event["choices"])

    def broken(self, failure: HttpFailure) -> Event:
        return {"error": failure_body(failure)["error"]}

    @property
    def _reports_usage(self) -> bool:
        options = self._request.body.get("stream_options")
        return isinstance(options, dict) and options.get("include_usage") is True

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id("chatcmpl"), "object": kind, "created": int(time.time()), "model": self._request.model}

    def _calls(self, reply: Reply) -> list[dict[str, Any]]:
        return [
            {
                "id": asked.call_id or self._id("call"),
                "type": "function",
                "function": {"name": asked.name, "arguments": asked.text},
            }
            for asked in reply.tool_requests
        ]


def _choice(delta: dict[str, Any], reason: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}


def _reason(reply: Reply) -> str:
    return _REASONS.get(reply.reason, str(reply.reason))


def _usage(reply: Reply) -> dict[str, int] | None:
    if reply.tokens is None:
        return None
    read, written = reply.tokens
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
