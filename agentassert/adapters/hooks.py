"""Recording the calls of a method: where they begin and end, whatever kind of method it is."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, aclosing, closing, contextmanager, nullcontext
from typing import Any, Final, Literal, NamedTuple, TypeAlias, TypeVar

from agentassert import recorder
from agentassert.adapters.base import guarded, inside
from agentassert.adapters.streams import driven, stepped
from agentassert.recording.events import InvocationEvent, ModelCallEvent, RetrievalEvent, ToolEvent
from agentassert.records import Source

Recorded: TypeAlias = InvocationEvent | ToolEvent | ModelCallEvent | RetrievalEvent
Kind: TypeAlias = Literal["plain", "coroutine", "stream", "async stream", "varying"]

_E = TypeVar("_E", bound=Recorded)


def recorded(
    adapter: str,
    begin: Callable[..., _E | None],
    end: Callable[[_E, Any], None],
    *,
    stop: Callable[[Any, BaseException], None] = recorder.end_by,
    hear: Callable[[_E, Any], None] | None = None,
    kind: Kind | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make of a method one whose calls are recorded, for `wrap_method`.

    What happens in a call, and in each step of a generator, is part of what was begun; what happens between two steps is not. While no
    capture listens, the method is called as it is. The four functions given are guarded: what they raise never reaches the agent.

    Args:
        adapter: the name of the adapter.
        begin: called with the arguments of the method; gives the event of `recorder.start_invocation`, `start_tool` or
            `start_model_call`, or `None` for a call that is not to be recorded.
        end: called with the event and what the method returned; of a generator, with the last that it yielded.
        stop: called with the event and the error that left the method. A generator that is closed before its end is left by a
            `GeneratorExit`.
        hear: called with the event and each thing that a generator yields.
        kind: what the method is, where it does not show: a plain function may return a coroutine or a generator. One that is
            `"varying"` returns what its arguments ask for, and is begun when it is called.

    Example:
        >>> from agentassert.adapters.patching import wrap_method
        >>> class Robot:
        ...     def work(self, task):
        ...         return f"{task}: done"
        >>> def begin(robot, task):
        ...     return recorder.start_invocation("robot", adapter="robots", input=task)
        >>> wrap_method(Robot, "work", recorded("robots", begin, lambda event, result: event.complete(result)))
        >>> with capture() as cap:
        ...     print(Robot().work("weigh"))
        weigh: done
        >>> cap.invocation.output
        'weigh: done'
    """
    hooks = _Hooks(guarded(adapter)(begin), guarded(adapter)(end), guarded(adapter)(stop), hear and guarded(adapter)(hear))

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        return _WRAPPERS[kind or _kind_of(original)](original, hooks)

    return wrap


def retrieving(adapter: str, sources: Callable[[Any], Sequence[Source]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make of a method one whose calls are recorded as retrievals.

    Args:
        adapter: the name of the adapter.
        sources: called with what the method returned.
    """

    def begin(*_: Any, **__: Any) -> RetrievalEvent | None:
        return recorder.start_retrieval(adapter=adapter)

    return recorded(adapter, begin, lambda event, found: event.retrieve(sources(found)))


class _Hooks(NamedTuple):
    begin: Callable[..., Any]
    end: Callable[[Any, Any], None]
    stop: Callable[[Any, BaseException], None]
    hear: Callable[[Any, Any], None] | None

    def begun(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The event of a call; `None` where it is not to be recorded."""
        return self.begin(*args, **kwargs) if recorder.listening() else None

    @contextmanager
    def around(self, event: Any) -> Iterator[None]:
        """The whole of a call, which an error may end."""
        with inside(event):
            try:
                yield
            except BaseException as error:
                self.stop(event, error)
                raise


def _plain(original: Callable[..., Any], hooks: _Hooks) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        event = hooks.begun(args, kwargs)
        if event is None:
            return original(*args, **kwargs)
        with hooks.around(event):
            result = original(*args, **kwargs)
        hooks.end(event, result)
        return result

    return call


def _coroutine(original: Callable[..., Any], hooks: _Hooks) -> Callable[..., Any]:
    async def call(*args: Any, **kwargs: Any) -> Any:
        event = hooks.begun(args, kwargs)
        if event is None:
            return await original(*args, **kwargs)
        with hooks.around(event):
            result = await original(*args, **kwargs)
        hooks.end(event, result)
        return result

    return call


def _stream(original: Callable[..., Any], hooks: _Hooks) -> Callable[..., Any]:
    def steps(parts: Any, args: Any, kwargs: Any) -> Generator[Any, None, Any]:
        event = hooks.begun(args, kwargs)
        if event is None:
            return (yield from parts)
        last = None
        try:
            with closing(stepped(parts, lambda: _going_on_in(event))) as inner:
                while True:
                    try:
                        last = next(inner)
                    except StopIteration as stopped:
                        result = stopped.value
                        break
                    if hooks.hear is not None:
                        hooks.hear(event, last)
                    yield last
        except BaseException as error:
            hooks.stop(event, error)
            raise
        hooks.end(event, last)
        return result

    def call(*args: Any, **kwargs: Any) -> Any:
        parts = original(*args, **kwargs)
        return steps(parts, args, kwargs) if recorder.listening() else parts

    return call


def _async_stream(original: Callable[..., Any], hooks: _Hooks) -> Callable[..., Any]:
    async def steps(parts: Any, args: Any, kwargs: Any) -> AsyncGenerator[Any, None]:
        event = hooks.begun(args, kwargs)
        if event is None:
            async with aclosing(driven(parts, nullcontext)) as inner:
                async for part in inner:
                    yield part
            return
        last = None
        try:
            async with aclosing(driven(parts, lambda: _going_on_in(event))) as inner:
                async for last in inner:
                    if hooks.hear is not None:
                        hooks.hear(event, last)
                    yield last
        except BaseException as error:
            hooks.stop(event, error)
            raise
        hooks.end(event, last)

    def call(*args: Any, **kwargs: Any) -> Any:
        parts = original(*args, **kwargs)
        return steps(parts, args, kwargs) if recorder.listening() else parts

    return call


def _varying(original: Callable[..., Any], hooks: _Hooks) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        event = hooks.begun(args, kwargs)
        if event is None:
            return original(*args, **kwargs)
        with hooks.around(event):
            result = original(*args, **kwargs)
        kind = _kind_of_returned(result)
        if kind == "plain":
            hooks.end(event, result)
            return result
        if isinstance(event, InvocationEvent):
            event.not_advanced()
        return _WRAPPERS[kind](lambda: result, hooks._replace(begin=lambda: event))()

    return call


def _going_on_in(event: Recorded) -> AbstractContextManager[None]:
    """A step of a generator, which no capture waits for before somebody takes it."""
    if isinstance(event, InvocationEvent):
        event.advanced()
    return inside(event)


_WRAPPERS: Final = {
    "plain": _plain,
    "coroutine": _coroutine,
    "stream": _stream,
    "async stream": _async_stream,
    "varying": _varying,
}


def _kind_of(method: Callable[..., Any]) -> Kind:
    function = inspect.unwrap(method)
    if inspect.iscoroutinefunction(function):
        return "coroutine"
    if inspect.isasyncgenfunction(function):
        return "async stream"
    return "stream" if inspect.isgeneratorfunction(function) else "plain"


def _kind_of_returned(result: Any) -> Kind:
    if inspect.iscoroutine(result):
        return "coroutine"
    if inspect.isasyncgen(result):
        return "async stream"
    return "stream" if inspect.isgenerator(result) else "plain"
