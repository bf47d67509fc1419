"""Hooks of the user's own around a function, which may keep it from running."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable
from contextlib import aclosing
from typing import Any, Final
from weakref import WeakKeyDictionary

from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.base import guarded
from agentassert.jsonlike import snapshot
from agentassert.recording.events import ToolEvent

_ran: Final[WeakKeyDictionary[ToolEvent, bool]] = WeakKeyDictionary()
"""Whether the function of an execution that hooks decide about has begun."""


def watch(event: ToolEvent, call: Any) -> None:
    """Have it noted whether the function runs, and with what, where hooks of the user's own decide that."""
    if call.function.entrypoint is None or not (call.function.tool_hooks or call.function.pre_hook):
        return
    _ran[event] = False
    call.function = copy.copy(call.function)  # what it belongs to is called again
    call.function.entrypoint = _noting(call.function.entrypoint, functools.partial(_begin, event, call))


def has_run(event: ToolEvent) -> bool | None:
    """Whether the function has begun; `None` where no hook could keep it from that."""
    return _ran.get(event)


def stood_in_for(entrypoint: Any, stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """What is called in the place of a function that is watched, to be watched as well."""
    note = getattr(entrypoint, "_agentassert_note", None)
    return stand_in if note is None else _noting(stand_in, note)


@guarded(ADAPTER)
def _begin(event: ToolEvent, call: Any) -> None:
    _ran[event] = True
    event.arguments = snapshot(call.arguments or {})
    event.changed()


def _noting(function: Callable[..., Any], note: Callable[[], None]) -> Callable[..., Any]:
    """The function, of the kind that it is, by which Agno decides how to call it."""
    noting = _of_kind(function, note)
    functools.update_wrapper(noting, function)
    noting._agentassert_note = note  # type: ignore[attr-defined]  # noqa: SLF001  # a double of it is told the same
    return noting


def _of_kind(function: Callable[..., Any], note: Callable[[], None]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        async def run(*args: Any, **kwargs: Any) -> Any:
            note()
            return await function(*args, **kwargs)

        return run
    if inspect.isasyncgenfunction(function):

        async def run_async_stream(*args: Any, **kwargs: Any) -> Any:
            note()
            async with aclosing(function(*args, **kwargs)) as parts:
                async for part in parts:
                    yield part

        return run_async_stream
    if inspect.isgeneratorfunction(function):

        def run_stream(*args: Any, **kwargs: Any) -> Any:
            note()
            return (yield from function(*args, **kwargs))

        return run_stream

    def run_plainly(*args: Any, **kwargs: Any) -> Any:
        note()
        return function(*args, **kwargs)

    return run_plainly
