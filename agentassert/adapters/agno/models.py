"""Requests to models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.agno.messages import mapping_of, requests_in, text_of, tools_offered_in, usage_of
from agentassert.adapters.base import guarded
from agentassert.recording.events import Event, ModelCallEvent

_heard: Final[WeakKeyDictionary[ModelCallEvent, tuple[Any, list[Any]]]] = WeakKeyDictionary()
"""The model of each call, and the parts that its stream has given so far."""
_nameless: Final[WeakKeyDictionary[Event, ModelCallEvent]] = WeakKeyDictionary()
"""By the run that it is part of, the last call whose requests have no ids."""


def retrying(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Model._get_retry_delay`, which is asked before each retry."""

    def get_retry_delay(self: Any, *args: Any, **kwargs: Any) -> Any:
        _is_retried()
        return original(self, *args, **kwargs)

    return get_retry_delay


def naming(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Model.get_function_calls_to_run`: by then Agno has given an id to each request that came without one."""

    def get_function_calls_to_run(self: Any, assistant_message: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.listening():
            _name(assistant_message)
        return original(self, assistant_message, *args, **kwargs)

    return get_function_calls_to_run


@guarded(ADAPTER)
def _is_retried() -> bool:
    """Whether it is a call that is already recorded that is made here again."""
    around = recorder.open_around(ModelCallEvent, ADAPTER)
    if around is not None:
        around.attempts += 1
    return around is not None


@guarded(ADAPTER)
def _name(message: Any) -> None:
    around = recorder.current_event()
    event = None if around is None else _nameless.pop(around, None)
    if event is not None:
        event.requests = requests_in(message.tool_calls)
        event.changed()


def _begin(model: Any, **options: Any) -> ModelCallEvent | None:
    if _is_retried():
        return None
    event = recorder.start_model_call(
        adapter=ADAPTER,
        model=model.id,
        inputs=[mapping_of(message) for message in options["messages"]],
        tools_offered=tools_offered_in(options.get("tools")),
    )
    if event is not None:
        _heard[event] = model, []
    return event


def _hear(event: ModelCallEvent, part: Any) -> None:
    _heard[event][1].append(part)


def _end(event: ModelCallEvent, response: Any) -> None:
    """It was answered; `response` is the whole answer, or the last part of a stream."""
    model, heard = _heard.pop(event)
    parts = heard or ([] if response is None else [response])
    calls = [call for part in parts for call in part.tool_calls or ()]
    requests = requests_in(model.parse_tool_calls(calls) if heard and calls else calls)
    if event.parent is not None and any(not request["call_id"] for request in requests):
        _nameless[event.parent] = event
    event.respond(text=_text_of(parts), usage=usage_of(part.response_usage for part in parts), requests=requests)


def _stop(event: ModelCallEvent, error: BaseException) -> None:
    _, parts = _heard.pop(event)
    if isinstance(error, Exception):
        event.fail(error)
    else:
        event.stop(_text_of(parts))


def _text_of(parts: list[Any]) -> str | None:
    texts = [text for part in parts if (text := text_of(part.content)) is not None]
    return "".join(texts) if texts else None


recorded: Final = hooks.recorded(ADAPTER, _begin, _end, stop=_stop, hear=_hear)
"""`Model._invoke_with_retry` and its like, by which each answer of a model is asked for."""
