"""Chat completions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentassert.adapters.stainless.fields import digest, field, id_of, listed, names_of, text_in, usage_of
from agentassert.adapters.stainless.routes import Answer, Collector, Opening
from agentassert.jsonlike import snapshot
from agentassert.recording.exchanges import Exchange, Sent, SentRequest, SentResult
from agentassert.token_usage import TokenUsage

_RESULTS = ("tool", "function")


def opening(body: Mapping[str, Any]) -> Opening:
    """What a request asks."""
    messages = listed(body, "messages")
    return Opening(
        inputs=[_message(message) for message in messages],
        tools_offered=names_of((*listed(body, "tools"), *listed(body, "functions"))),
        exchange=Exchange(sent=tuple(_sent(message) for message in messages)),
    )


def _message(message: Any) -> dict[str, Any]:
    kept = ("role", "content", "name", "tool_call_id")
    mapping = {name: field(message, name) for name in kept if name in ("role", "content") or field(message, name) is not None}
    requests = _requests(message)
    return mapping | {"tool_calls": requests} if requests else mapping


def _sent(message: Any) -> Sent:
    requests = tuple(SentRequest(**request) for request in _requests(message))
    if field(message, "role") not in _RESULTS:
        return Sent(digest(message), requests)
    result = SentResult(id_of(message, "tool_call_id"), snapshot(text_in(field(message, "content"))), failed=None)
    return Sent(digest(message), requests, (result,))


def _requests(message: Any) -> list[dict[str, Any]]:
    calls = [_request(call) for call in listed(message, "tool_calls")]
    function = field(message, "function_call")  # what came before tools, still understood
    if function is not None:
        calls.append({"name": str(field(function, "name")), "arguments": field(function, "arguments"), "call_id": None})
    return calls


def _request(call: Any) -> dict[str, Any]:
    custom = field(call, "custom")
    asked = field(call, "function") if custom is None else custom
    arguments = field(asked, "arguments") if custom is None else {"input": field(asked, "input")}
    return {"name": str(field(asked, "name")), "arguments": arguments, "call_id": id_of(call, "id")}


def answer(response: Any) -> Answer:
    """What a response says: the text of its first choice, and what any of them asks for."""
    choices = listed(response, "choices")
    error = field(response, "error")  # some services that speak this protocol answer so, as if all were well
    first = choices[0] if choices else None
    return Answer(
        text=_text(field(first, "message")),
        finish_reason=field(first, "finish_reason"),
        usage=usage_in(response),
        requests=[request for choice in choices for request in _requests(field(choice, "message"))],
        response_id=id_of(response, "id"),
        error=None if choices or error is None else str(field(error, "message") or error),
    )


def _text(message: Any) -> str | None:
    texts = (text_in(field(message, "content")), field(message, "refusal"), field(field(message, "audio"), "transcript"))
    return next((text for text in texts if isinstance(text, str) and text), "" if message is not None else None)


def usage_in(response: Any) -> TokenUsage | None:
    """The token usage that a response reports."""
    usage = field(response, "usage")
    return usage_of(field(usage, "prompt_tokens"), field(usage, "completion_tokens"), field(usage, "total_tokens"))


class _Choice:
    """One choice of a streamed response, as far as it has come."""

    def __init__(self) -> None:
        self.texts: dict[str, list[str]] = {"content": [], "refusal": []}
        self.calls: list[dict[str, Any]] = []
        self.finish_reason: str | None = None

    def add(self, choice: Any) -> None:
        """Take what a chunk adds to it."""
        delta = field(choice, "delta")
        for name, texts in self.texts.items():
            if isinstance(field(delta, name), str):
                texts.append(field(delta, name))
        self._call(listed(delta, "tool_calls"))
        function = field(delta, "function_call")
        if function is not None:
            self._call([{"index": 0, "function": function}])
        self.finish_reason = field(choice, "finish_reason") or self.finish_reason

    def _call(self, parts: Iterable[Any]) -> None:
        for part in parts:
            index, call_id = field(part, "index"), id_of(part, "id")
            known = next((call for call in reversed(self.calls) if call["index"] == index), None)
            # Some services give every call the index 0: the id tells the next one.
            if known is None or (call_id and known["id"] and call_id != known["id"]):
                known = {"index": index, "id": None, "function": {"name": "", "arguments": ""}}
                self.calls.append(known)
            known["id"] = known["id"] or call_id
            custom = field(part, "custom")
            if custom is not None:
                known["custom"] = known.get("custom") or {"name": "", "input": ""}
            for place in ("function", "custom"):
                for name in known.get(place, ()):
                    known[place][name] += field(field(part, place), name) or ""

    def whole(self) -> dict[str, Any]:
        """It as it would have been sent at once."""
        texts = {name: "".join(texts) for name, texts in self.texts.items()}
        return {"message": texts | {"tool_calls": self.calls}, "finish_reason": self.finish_reason}


class Chunks(Collector):
    """The chunks of a streamed response.

    Args:
        body: the request, which says how many choices there will be.
    """

    def __init__(self, body: Mapping[str, Any]) -> None:
        asked = body.get("n")
        self._expected = asked if isinstance(asked, int) else 1
        self._choices: dict[Any, _Choice] = {}
        self._id: str | None = None
        self._usage: Any = None

    def add(self, event: Any) -> Answer | None:
        """Take a chunk. The usage, where it is sent at all, comes after the last text."""
        self._id = id_of(event, "id") or self._id
        usage = field(event, "usage")
        self._usage = usage or self._usage
        choices = listed(event, "choices")
        for choice in choices:
            self._choices.setdefault(field(choice, "index"), _Choice()).add(choice)
        ends = usage or any(field(choice, "finish_reason") for choice in choices)
        return self._whole() if ends and self._is_finished() else None

    def answer(self, *, exhausted: bool) -> Answer:
        """What has come by now."""
        said = self._whole()
        if self._is_finished() or (exhausted and self._choices):
            return said
        return Answer(text=said.text, response_id=said.response_id, complete=False)

    def _is_finished(self) -> bool:
        return len(self._choices) >= self._expected and all(choice.finish_reason for choice in self._choices.values())

    def _whole(self) -> Answer:
        choices = [choice.whole() for _, choice in sorted(self._choices.items(), key=lambda one: one[0] or 0)]
        return answer({"id": self._id, "choices": choices, "usage": self._usage})
