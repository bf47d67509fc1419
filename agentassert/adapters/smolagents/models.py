"""The requests to models."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakKeyDictionary, ref

from smolagents.models import agglomerate_stream_deltas

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.hooks import recorded
from agentassert.adapters.smolagents import ADAPTER
from agentassert.adapters.smolagents.messages import FINAL_ANSWER, messages_sent, requests_in, response_of
from agentassert.recording.events import ModelCallEvent

_heard: Final[WeakKeyDictionary[ModelCallEvent, list[Any]]] = WeakKeyDictionary()
_answered: ContextVar[ref[ModelCallEvent] | None] = ContextVar("agentassert_smolagents_answered", default=None)
"""The last call that was answered here: of some models, smolagents looks for requests of tools in the text of the answer."""


def parsing(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Model.parse_tool_calls`, whose requests are those of the answer that it parses."""

    def parse_tool_calls(self: Any, message: Any) -> Any:
        parsed = original(self, message)
        if recorder.listening():
            _complete(parsed)
        return parsed

    return parse_tool_calls


def _begin(model: Any, messages: Any, *_: Any, tools_to_call_from: Any = None, **__: Any) -> ModelCallEvent | None:
    if recorder.open_around(ModelCallEvent, ADAPTER) is not None:
        return None  # a class's own method calls the one that it overrides, or a model hands the request on to another
    return recorder.start_model_call(
        adapter=ADAPTER,
        model=getattr(model, "model_id", None),
        inputs=messages_sent(messages),
        tools_offered=[one.name for one in tools_to_call_from if one.name != FINAL_ANSWER] if tools_to_call_from else None,
    )


def _respond(event: ModelCallEvent, message: Any) -> None:
    event.respond(**response_of(message))
    _answered.set(ref(event))


def _hear(event: ModelCallEvent, delta: Any) -> None:
    _heard.setdefault(event, []).append(delta)


def _respond_in_pieces(event: ModelCallEvent, _: Any) -> None:
    _respond(event, agglomerate_stream_deltas(_heard.pop(event, [])))


def _stop(event: ModelCallEvent, error: BaseException) -> None:
    deltas = _heard.pop(event, [])
    if isinstance(error, Exception):
        event.fail(error)
    else:
        event.stop("".join(delta.content or "" for delta in deltas) or None)


generating: Final = recorded(ADAPTER, _begin, _respond, kind="plain")
"""`Model.generate`, recorded."""
_streaming: Final = recorded(ADAPTER, _begin, _respond_in_pieces, stop=_stop, hear=_hear, kind="stream")


def streaming(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Model.generate_stream`, recorded; one that is no generator may return anything that can be gone through, and asks when called."""
    if inspect.isgeneratorfunction(inspect.unwrap(original)):
        return _streaming(original)

    def parts(*args: Any, **kwargs: Any) -> Iterator[Any]:
        yield from original(*args, **kwargs)

    stream = _streaming(parts)

    def generate_stream(*args: Any, **kwargs: Any) -> Any:
        return (stream if recorder.listening() else original)(*args, **kwargs)

    return generate_stream


@guarded(ADAPTER)
def _complete(message: Any) -> None:
    known = _answered.get()
    event = None if known is None else known()
    if event is not None and event.parent is recorder.current_event() and not event.requests:
        event.requests = [*requests_in(message)]
        event.changed()
