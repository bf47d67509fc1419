"""Responses, which consist of items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.adapters.openai_api.hosted import hosted_in
from agentassert.adapters.openai_api.items import message, request_in, sent
from agentassert.adapters.stainless.fields import field, id_of, listed, names_of, usage_of
from agentassert.adapters.stainless.routes import Answer, Collector, Opening
from agentassert.recording.exchanges import Exchange

_PENDING: Final = ("queued", "in_progress")
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed", "response.cancelled")


def opening(body: Mapping[str, Any]) -> Opening:
    """What a request asks."""
    given, instructions = body.get("input"), body.get("instructions")
    items = given if isinstance(given, list) else [] if given is None else [{"role": "user", "content": given}]
    conversation = body.get("conversation")
    return Opening(
        inputs=[*([{"role": "system", "content": instructions}] if instructions else ()), *(message(item) for item in items)],
        tools_offered=[_plain_name(name) for name in names_of(listed(body, "tools"))],
        exchange=Exchange(
            sent=tuple(sent(item) for item in items),
            continues=id_of(body, "previous_response_id"),
            conversation=conversation if isinstance(conversation, str) else id_of(conversation, "id"),
        ),
    )


def _plain_name(name: str) -> str:
    """The name of a tool as its calls have it: that of a hosted one is followed by its version where it is offered."""
    return "web_search" if name.startswith("web_search_") else name


def answer(response: Any) -> Answer:
    """What a response says, with what the provider's own tools did."""
    output, status = listed(response, "output"), field(response, "status")
    requests = [request for item in output if (request := request_in(item)) is not None]
    error = field(response, "error")
    failed = status == "failed" or error is not None
    return Answer(
        text=_text(output),
        finish_reason=_finish_reason(response, output, requests),
        usage=_usage(response),
        requests=requests,
        response_id=id_of(response, "id"),
        hosted=() if status in _PENDING else hosted_in(output),
        error=str(field(error, "message") or error or status) if failed else None,
        complete=status != "cancelled",
        pending=status in _PENDING,
    )


def _text(output: Sequence[Any]) -> str:
    return "".join(str(field(part, "text") or field(part, "refusal") or "") for part in _parts(output))


def _parts(output: Sequence[Any]) -> list[Any]:
    return [part for item in output if field(item, "type") == "message" for part in listed(item, "content")]


def _finish_reason(response: Any, output: Sequence[Any], requests: Sequence[Any]) -> str | None:
    """The API's words for what other providers call the finish reason: of an incomplete response, of what it consists of."""
    cut_off = field(field(response, "incomplete_details"), "reason")
    if cut_off is not None:
        return str(cut_off)
    if requests:
        return "function_call"
    if any(field(part, "type") == "refusal" for part in _parts(output)):
        return "refusal"
    status = field(response, "status")
    return None if status is None else str(status)


def _usage(response: Any) -> Any:
    usage = field(response, "usage")
    return usage_of(field(usage, "input_tokens"), field(usage, "output_tokens"), field(usage, "total_tokens"))


class Events(Collector):
    """The events of a streamed response."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        self._id: str | None = None
        self._texts: list[str] = []
        self._items: list[Any] = []

    def add(self, event: Any) -> Answer | None:
        """Take an event; the last one holds the whole response."""
        kind, response = field(event, "type"), field(event, "response")
        if response is not None:
            self._id = id_of(response, "id") or self._id
        if kind in _ENDS:
            return answer(response if listed(response, "output") else _Whole(response, self._items))
        if kind == "response.output_text.delta":
            self._texts.append(str(field(event, "delta") or ""))
        elif kind == "response.output_item.done":
            self._items.append(field(event, "item"))
        elif kind == "error":
            return Answer(error=str(field(event, "message") or "error"), response_id=self._id)
        return None

    def answer(self, *, exhausted: bool) -> Answer:
        """What has come by now, which is not all: that would have been said."""
        return Answer(text="".join(self._texts), response_id=self._id, complete=False)


class _Whole:
    """A response with the items that came before it: some services send them once only."""

    def __init__(self, response: Any, items: list[Any]) -> None:
        self._response = response
        self.output = items

    def __getattr__(self, name: str) -> Any:
        return field(self._response, name)
