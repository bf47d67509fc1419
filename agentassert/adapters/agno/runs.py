"""The runs of agents and teams."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary, WeakSet

from agno.exceptions import InputCheckError, OutputCheckError
from agno.run.base import BaseRunOutputEvent, RunStatus

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.agno.approvals import ask
from agentassert.adapters.agno.messages import given_in
from agentassert.adapters.base import guarded
from agentassert.adapters.waiting import Waiting
from agentassert.recording.events import ELSEWHERE, InvocationEvent
from agentassert.records import NOT_RECORDED

_ENDINGS: Final = {
    "Completed": RunStatus.completed,
    "Error": RunStatus.error,
    "Cancelled": RunStatus.cancelled,
    "Paused": RunStatus.paused,
}


class _Paused(NamedTuple):
    """A run that waits for a human."""

    event: InvocationEvent
    run_id: str


class _Note(NamedTuple):
    """What was stored of a run that is about to end, how it stood then, and the error that ended it."""

    response: Any
    status: RunStatus | None
    error: BaseException | None


_NOTHING: Final = _Note(None, None, None)
_waiting: Final[Waiting[_Paused]] = Waiting()
_noted: Final[WeakKeyDictionary[InvocationEvent, _Note]] = WeakKeyDictionary()
_in_background: Final[WeakSet[InvocationEvent]] = WeakSet()


def noting(original: Callable[..., Any]) -> Callable[..., Any]:
    """`cleanup_and_store` and its like: called with each run that ends or pauses, while the error that ends it is handled."""

    def store(*args: Any, **kwargs: Any) -> Any:
        if recorder.listening():
            _note(kwargs.get("run_response"))
        return original(*args, **kwargs)

    return store


@guarded(ADAPTER)
def _note(response: Any) -> None:
    event = recorder.open_around(InvocationEvent, ADAPTER)
    if event is not None:
        status = getattr(response, "status", None)
        # A stream that is left behind its last event is stored a second time, as cancelled.
        if not (status == RunStatus.cancelled and _is_over(event)):
            _noted[event] = _Note(response, status, sys.exc_info()[1])
        if event in _in_background:
            _end(event, response)


def executing(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Workflow._aexecute`, in which one that was told to run in the background does so."""

    async def execute(*args: Any, **kwargs: Any) -> Any:
        if not recorder.listening():
            return await original(*args, **kwargs)
        try:
            result = await original(*args, **kwargs)
        except BaseException as error:
            _come_back(error=error)
            raise
        _come_back(result)
        return result

    return execute


@guarded(ADAPTER)
def _come_back(result: Any = None, *, error: BaseException | None = None) -> None:
    event = recorder.current_event()
    if isinstance(event, InvocationEvent) and event in _in_background:
        if error is None:
            _end(event, result)
        else:
            recorder.end_by(event, error)


def _is_over(event: InvocationEvent) -> bool:
    return event in _noted and _noted[event].status in (RunStatus.completed, RunStatus.paused)


def _begin(owner: Any, input: Any = None, *_args: Any, **_kwargs: Any) -> InvocationEvent | None:
    return _start(owner, input)


def _go_on(owner: Any, run_response: Any = None, *_args: Any, run_id: str | None = None, **kwargs: Any) -> InvocationEvent | None:
    known = run_id if run_response is None else run_response.run_id
    run = _waiting.take(lambda one: one.run_id == known)
    if run is None:
        said, known_input = kwargs.get("input"), getattr(run_response, "input", None)
        return _start(owner, known_input.input_content if said is None and known_input is not None else said)
    run.event.resume()
    return run.event


def _start(owner: Any, said: Any) -> InvocationEvent | None:
    return recorder.start_invocation(
        owner.name or owner.id or type(owner).__name__.lower(), adapter=ADAPTER, input=given_in(said)
    )


def _end(event: InvocationEvent, result: Any) -> None:
    """It came to an end, or to a pause; of a stream, `result` is only the last part."""
    note = _noted.pop(event, _NOTHING)
    is_whole = note.response is None or isinstance(getattr(result, "status", None), RunStatus)
    response, status = (result, _status_of(result)) if is_whole else (note.response, note.status)
    content = getattr(response, "content", None)
    if status == RunStatus.paused:
        ask(event, getattr(response, "requirements", None) or ())
        event.suspend()
        _waiting.put(_Paused(event, getattr(response, "run_id", "")))
    elif status == RunStatus.cancelled:
        event.cancel()
    elif status == RunStatus.error:
        (event.block if isinstance(note.error, (InputCheckError, OutputCheckError)) else event.fail)(note.error or str(content))
    elif status in (RunStatus.pending, RunStatus.running):
        _in_background.add(event)
        event.mover = ELSEWHERE
    elif status is None:
        event.complete(NOT_RECORDED)
    else:
        event.complete(content, content if isinstance(content, str) else None)


def _hear(event: InvocationEvent, part: Any) -> None:
    """End a run whose whole result comes as the last part of its stream: who waits for that reads no further."""
    note = _noted.get(event)
    if note is not None and part is note.response and note.status == RunStatus.completed:
        _end(event, part)


def _status_of(response: Any) -> RunStatus | None:
    """How a run stands, by what was stored of it, or else by the last event of its stream."""
    if isinstance(response, BaseRunOutputEvent):
        name = str(getattr(response, "event", ""))
        return next((status for ending, status in _ENDINGS.items() if name.endswith(ending)), None)
    status: RunStatus | None = getattr(response, "status", None)
    return status


def _stop(event: InvocationEvent, error: BaseException) -> None:
    """An error left it; or its stream was left, which may have been after all that matters."""
    if not isinstance(error, Exception) and _is_over(event):
        _end(event, None)
    else:
        _noted.pop(event, None)
        recorder.end_by(event, error)


run: Final = hooks.recorded(ADAPTER, _begin, _end, stop=_stop, hear=_hear, kind="varying")
"""`run` and `arun`, which give a result or a stream, as they are told."""
go_on: Final = hooks.recorded(ADAPTER, _go_on, _end, stop=_stop, hear=_hear, kind="varying")
"""`continue_run` and `acontinue_run`."""
