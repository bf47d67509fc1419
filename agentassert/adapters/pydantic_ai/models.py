"""Requests to models, and the tools that providers run while they answer them."""

from __future__ import annotations

from typing import Any

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.adapters.pydantic_ai.messages import messages_sent, response_of, tools_offered_by
from agentassert.jsonlike import snapshot
from agentassert.recording.events import Event, ModelCallEvent


class Call:
    """One request to a model, over all attempts at it.

    What is called a request here is a `ModelRequestContext` of Pydantic AI's, or has its fields. Nothing is made part of the call:
    what a hook sets in its context, Pydantic AI carries over to whoever reads the response as a stream.

    Args:
        parent: what makes it; `None` leaves that to the context.
    """

    __slots__ = ("_event", "_heard", "_parent", "_sent")

    def __init__(self, parent: Event | None = None) -> None:
        self._parent = parent
        self._event: ModelCallEvent | None = None
        self._heard: tuple[int, Any] | None = None
        self._sent: list[Any] = []

    @guarded(ADAPTER)
    def begin(self, request: Any) -> None:
        """It is about to be sent."""
        self._sent = list(request.messages)
        self._event = recorder.start_model_call(
            adapter=ADAPTER,
            model=request.model.model_name,
            inputs=messages_sent(request),
            tools_offered=tools_offered_by(request.model_request_parameters),
            parent=self._parent,
        )

    @guarded(ADAPTER)
    def hear(self, response: Any, request: Any) -> None:
        """An attempt was answered, whatever capabilities make of the answer."""
        self._heard = _attempt(request), response

    @guarded(ADAPTER)
    def end(self, response: Any, request: Any) -> None:
        """It is over; `response` is the answer where none was heard before."""
        if self._event is not None:
            self._respond(self._event, response if self._heard is None else self._heard[1], request)

    @guarded(ADAPTER)
    def fail(self, error: BaseException, request: Any) -> None:
        """An error ended it; one that was cancelled got no answer, and did not fail."""
        event = self._event
        if event is None:
            return
        if self._heard is not None and self._heard[0] == _attempt(request):
            self._respond(event, self._heard[1], request)  # a capability refused what the model answered
            return
        self._update(event, request)
        if isinstance(error, Exception):
            event.fail(error)

    def _respond(self, event: ModelCallEvent, response: Any, request: Any) -> None:
        self._update(event, request)
        if str(event.model).startswith("fallback:") and response.model_name:
            event.model = response.model_name
        event.respond(**response_of(response, request.model_request_parameters))
        _record_native(response, event.parent)

    def _update(self, event: ModelCallEvent, request: Any) -> None:
        """Take over what capabilities changed since it began: the messages, and the model that answers."""
        event.attempts = _attempt(request)
        if event.attempts > 1:
            event.model = request.model.model_name
        messages = request.messages
        if len(messages) != len(self._sent) or any(one is not other for one, other in zip(messages, self._sent, strict=True)):
            event.inputs = snapshot(messages_sent(request))


def _attempt(request: Any) -> int:
    # Early releases have no attempts.
    attempt: int = getattr(request, "attempt", 1)
    return attempt


def _record_native(response: Any, parent: Event | None) -> None:
    """Record the tools that ran at the provider while it made a response."""
    results = {part.tool_call_id: part for part in response.parts if part.part_kind == "builtin-tool-return"}
    for part in response.parts:
        if part.part_kind != "builtin-tool-call":
            continue
        event = recorder.start_tool(part.tool_name, part.args or {}, adapter=ADAPTER, call_id=part.tool_call_id, parent=parent)
        result = results.get(part.tool_call_id)
        if event is None:
            continue
        if result is None:
            event.end_unknown(None)
        elif getattr(result, "outcome", "success") == "success":
            event.succeed(result.content, result)
        else:
            event.fail(str(result.content), result.content)
