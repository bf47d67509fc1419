"""How `record` calls the recorder: nothing that breaks in there reaches the agent."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, TypeAlias, TypeVar

from agentassert import recorder
from agentassert.recording import events

ADAPTER: Final = "record"
SEES: Final = frozenset({"tool_failures", "chat", "embedding", "scoring", "moderation", "sources", "approvals", "requests"})
"""A hand-written agent can record everything, so what it did not record did not happen."""

Recorded: TypeAlias = events.InvocationEvent | events.ToolEvent
_R = TypeVar("_R")


class Suspension(BaseException):
    """Leaves an agent that waits for a decision which nobody makes; no code that handles errors is to take it for one."""


def suspends(error: BaseException | None) -> bool:
    """Whether `error` is a suspension, or holds one: task groups put what leaves their tasks into a group."""
    if isinstance(error, BaseExceptionGroup):
        return any(suspends(one) for one in error.exceptions)
    return isinstance(error, Suspension)


def attempt(hook: Callable[..., _R], *args: Any, **kwargs: Any) -> _R | None:
    """Call a hook of the recorder; an error of it is kept for the captures, and never the agent's."""
    try:
        return hook(*args, **kwargs)
    except Exception as fault:
        recorder.report_fault(ADAPTER, fault)
        return None


def started(begin: Callable[..., _R], *args: Any, **kwargs: Any) -> _R | None:
    """The event that `begin` makes; `None` while nobody listens, and when it breaks."""
    if not recorder.listening():
        return None
    return attempt(begin, *args, **kwargs)


def finish(event: Recorded, result: Any) -> None:
    """End `event` with what it produced."""
    if isinstance(event, events.InvocationEvent):
        event.complete(result)
    else:
        event.succeed(result)


def stop(event: Recorded, error: BaseException | None, output: Any = None) -> None:
    """An `Exception` is a failure; what only a `BaseException` says (cancelled, interrupted), and a stream's close, is none."""
    if suspends(error):
        if isinstance(event, events.InvocationEvent):
            event.suspend(output)
    elif isinstance(error, Exception):
        event.fail(error, output)
    elif isinstance(event, events.InvocationEvent):
        event.cancel(error, output)
    else:
        event.cancel(error)


def _nothing() -> None:
    pass


class Inside:
    """A block in which the running code is part of `event`, and whose error ends it.

    Args:
        event: an invocation or a tool execution.
        output: gives what was produced until an error.
    """

    def __init__(self, event: Recorded, output: Callable[[], Any] = _nothing) -> None:
        self._event = event
        self._output = output
        self._entered: events.Scope | None = None

    def __enter__(self) -> None:
        self._entered = attempt(recorder.enter, self._event)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._entered is not None:
            attempt(recorder.leave, self._entered)
        if error is not None:
            attempt(stop, self._event, error, self._output())


class Step(Inside):
    """One step of a stream, which may be its last."""

    def __enter__(self) -> None:
        super().__enter__()
        attempt(self._event.advanced)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        super().__exit__(kind, None if isinstance(error, (StopIteration, StopAsyncIteration)) else error, _)
