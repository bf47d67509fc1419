"""Requests to models."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.llama_index.messages import given_in, messages_sent, requests_in, response_of, tools_offered_by
from agentassert.adapters.llama_index.opened import Entered, Span, opened
from agentassert.recording.events import ModelCallEvent
from agentassert.records import EmbeddingModelCall

_last: ContextVar[weakref.ref[Call] | None] = ContextVar("agentassert_llama_index_call", default=None)
_asked: ContextVar[weakref.ref[ModelCallEvent] | None] = ContextVar("agentassert_llama_index_request", default=None)
"""The last request that was made here, also when it is answered."""
streams: Final[dict[str, Call]] = {}
"""The calls whose answer is a stream that has not come to its end, by the ids of their spans."""


class Call(Span):
    """A method of a model; one that another method calls for the same request has no event of its own.

    Args:
        outer: that other method.
    """

    def __init__(self, model: Any, given: Any, id_: str, event: ModelCallEvent | None, outer: Call | None) -> None:
        super().__init__()
        self._model = model
        self._given = given
        self._id = id_
        self._event = event
        self.request: ModelCallEvent | None = event if outer is None else outer.request
        self.inner: Call | None = None
        if outer is not None:
            outer.inner = self  # what it returned may call others later
        _last.set(weakref.ref(self))

    def is_carried_out_by(self, model: Any, given: Any) -> bool:
        """Whether a method that is called while this one's request is open does its work: streams begin when somebody reads them."""
        is_open = self.request is not None and self.request.ended_order is None
        return is_open and self._model is model and self._given is given

    def end(self, result: Any) -> None:
        if self._event is None:
            return
        if hasattr(result, "raw"):
            self._event.respond(**response_of(result))
            self._event.mover = None  # it holds the task, with its frames
        else:
            for known, call in [*streams.items()]:
                if call.request is not None and not recorder.is_open(call.request):
                    streams.pop(known, None)  # a stream that nobody has read to its end
            streams[self._id] = self
            self._event.advanced()

    def go_on(self) -> None:
        """A part of its stream was read: by a thread or task that may leave it, which no capture should wait for."""
        if self._event is not None:
            self._event.advanced()

    def stop(self, error: BaseException) -> None:
        streams.pop(self._id, None)
        if self._event is not None:
            recorder.end_by(self._event, error)

    def complete(self, message: Any, selections: Sequence[Mapping[str, Any]]) -> None:
        """Add what the agent made of the answer: it finds requests in words, and gives ids to those without one."""
        event = self._event
        if event is None:
            return
        if event.ended_order is None:  # the stream of a model whose methods are not decorated
            streams.pop(self._id, None)
            event.respond(text=str(message.content or ""), requests=requests_in(message))
        told = event.requests
        if [one["name"] for one in told] == [one["name"] for one in selections]:
            event.requests = [{**one, "call_id": given["call_id"]} for one, given in zip(told, selections, strict=True)]
        elif not told:
            event.requests = [dict(one) for one in selections]
        event.changed()


class Embedding(Span):
    """A method of an embedding model, which may make several requests.

    Attributes:
        calls: those that are not answered.
    """

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[ModelCallEvent] = []

    def stop(self, error: BaseException) -> None:
        for event in self.calls:
            recorder.end_by(event, error)


def begin_call(entered: Entered) -> Call:
    """A request to a language model."""
    model, around = entered.instance, entered.around
    given, options = given_in(entered.arguments)
    known = _last.get()
    last = None if known is None else known()
    if isinstance(around, Call):
        return Call(model, given, entered.id, None, around)
    if last is not None and last.is_carried_out_by(model, given):
        return Call(model, given, entered.id, None, last)
    event = recorder.start_model_call(
        adapter=ADAPTER, model=model.metadata.model_name, inputs=messages_sent(given), tools_offered=tools_offered_by(options)
    )
    if event is not None:
        _asked.set(weakref.ref(event))
    return Call(model, given, entered.id, event, None)


def answered_by(name: str) -> None:
    """What the last answer asked for under that name is the answer itself, in another form: nothing is to be executed."""
    known = _asked.get()
    event = None if known is None else known()
    if event is not None:
        event.requests = [one for one in event.requests if one["name"] != name]
        event.changed()


def pass_on(_: Entered) -> None:
    """A model that makes its answers of those of another one, whose calls are told."""


def begin_embedding(_: Entered) -> Embedding:
    """What an embedding model is asked, it tells by events."""
    return Embedding()


def hear_end(event: Any) -> None:
    """The last part of a stream has come."""
    call = streams.pop(event.span_id, None)
    if call is not None:
        call.end(event.response)


def hear_part(event: Any) -> None:
    """Somebody reads a stream."""
    call = streams.get(event.span_id)
    if call is not None:
        call.go_on()


def hear_error(event: Any) -> None:
    """A stream broke, or was left."""
    call = streams.get(event.span_id)
    if call is not None:
        call.stop(event.exception)


def hear_embedding(event: Any) -> None:
    """A request to an embedding model."""
    span = opened.get(event.span_id)
    if isinstance(span, Embedding):
        call = recorder.start_model_call(
            adapter=ADAPTER, kind=EmbeddingModelCall, model=str(event.model_dict.get("model_name") or "") or None
        )
        if call is not None:
            span.calls.append(call)


def hear_embedded(event: Any) -> None:
    """It was answered, of which texts is known only now."""
    span = opened.get(event.span_id)
    if isinstance(span, Embedding) and span.calls:
        call = span.calls.pop(0)
        call.inputs = list(event.chunks)
        call.respond()
