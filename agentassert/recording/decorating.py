"""Functions, coroutines and (async) generators that record their calls."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from typing import Any, Final, TypeAlias

from agentassert import recorder
from agentassert.doubles import active, functions
from agentassert.jsonlike import snapshot
from agentassert.recording import events
from agentassert.recording.guarding import ADAPTER, Inside, Recorded, Step, attempt, finish, started, stop
from agentassert.signatures import name_of, signature_of

Begin: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], Recorded | None]
Target: TypeAlias = Callable[[functions.Flavour], Callable[..., Any]]
"""What is called while doubles are in use."""

AGENT: Final = "__agentassert_agent__"
"""The attribute that tells the name of a decorated agent."""


def decorate_agent(function: Any, name: str | None) -> Any:
    """`function`, each call an invocation named `name`."""
    bind = _binder(function)
    called = name or name_of(function)

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> events.InvocationEvent | None:
        arguments = bind(args, kwargs)
        given = next(iter(arguments.values())) if len(arguments) == 1 else arguments or None
        return recorder.start_invocation(called, adapter=ADAPTER, input=given)

    agent = _wrapped(function, begin, lambda _: function)
    setattr(agent, AGENT, called)
    return agent


def decorate_tool(function: Any, name: str | None) -> Any:
    """`function`, each call an execution of the tool `name`."""
    bind = _binder(function)
    called = name or name_of(function)

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> events.ToolEvent | None:
        return recorder.start_tool(called, bind(args, kwargs), adapter=ADAPTER, completes=True)

    return _wrapped(function, begin, functions.Function(called, function, bind).target)


def _binder(function: Any) -> Callable[[tuple[Any, ...], dict[str, Any]], dict[str, Any]]:
    """How the arguments of a call are named; fast, since it runs in every recorded call, and never raises for a wrong call."""
    if not callable(function):
        raise TypeError(f"only a function can be recorded, but was given {function!r}")
    signature = signature_of(function)
    parameters = [] if signature is None else list(signature.parameters.values())
    kinds = inspect.Parameter
    names = [one.name for one in parameters if one.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    rest = next((one.name for one in parameters if one.kind is kinds.VAR_POSITIONAL), "args")
    is_builtin = isinstance(function, types.MethodDescriptorType)  # `str.upper` is told its `self` as any argument
    skipped = 1 if names[:1] in (["self"], ["cls"]) and not is_builtin else 0
    names = names[skipped:]
    count = len(names)

    def bind(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        if skipped:
            args = args[1:]
        arguments = dict(zip(names, args))  # noqa: B905  # a wrong call has more or fewer; naming that costs time in every call
        if len(args) > count:
            arguments[rest] = list(args[count:])
        if kwargs:
            arguments.update(kwargs)
        return arguments

    return bind


def _wrapped(function: Any, begin: Begin, target: Target) -> Any:
    flavours = (
        (inspect.isasyncgenfunction, _async_generator),
        (inspect.isgeneratorfunction, _generator),
        (inspect.iscoroutinefunction, _coroutine),
    )
    for is_one, wrap in flavours:
        # An object may be called like a coroutine; a class is called like a function, whatever its objects are.
        if is_one(function) or is_one(type(function).__call__):
            return wrap(function, begin, target)
    return _function(function, begin, target)


def _function(function: Any, begin: Begin, target: Target) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = target(functions.plain) if active.in_use else function
        if not recorder.listening():
            return run(*args, **kwargs)
        try:  # spelt out rather than with `Inside`, because tools are called often
            event = begin(args, kwargs)
            entered = None if event is None else recorder.enter(event)
        except Exception as fault:
            recorder.report_fault(ADAPTER, fault)
            event = entered = None
        if event is None or entered is None:
            return run(*args, **kwargs)
        try:
            result = run(*args, **kwargs)
        except BaseException as error:
            attempt(stop, event, error)
            attempt(recorder.leave, entered)
            raise
        try:
            recorder.leave(entered)
            if type(result) is types.CoroutineType:
                return _awaited(lambda: result, event)  # a coroutine function, behind a wrapper that hides it
            if type(event) is events.ToolEvent:
                event.succeed(result)
            else:
                finish(event, result)
        except Exception as fault:
            recorder.report_fault(ADAPTER, fault)
        return result

    return call


async def _awaited(call: Callable[[], Awaitable[Any]], event: Recorded) -> Any:
    with Inside(event):
        result = await call()
    attempt(finish, event, result)
    return result


def _coroutine(function: Any, begin: Begin, target: Target) -> Any:
    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        run = target(functions.coroutine) if active.in_use else function
        event: Recorded | None = started(begin, args, kwargs)
        if event is None:
            return await run(*args, **kwargs)
        return await _awaited(lambda: run(*args, **kwargs), event)

    return call


def _generator(function: Any, begin: Begin, target: Target) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = target(functions.generator) if active.in_use else function
        event: Recorded | None = started(begin, args, kwargs)
        return run(*args, **kwargs) if event is None else _stream(_created(run, args, kwargs, event), event)

    return call


def _async_generator(function: Any, begin: Begin, target: Target) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = target(functions.async_generator) if active.in_use else function
        event: Recorded | None = started(begin, args, kwargs)
        return run(*args, **kwargs) if event is None else _async_stream(_created(run, args, kwargs, event), event)

    return call


def _created(function: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], event: Recorded) -> Any:
    attempt(event.not_advanced)
    try:
        return function(*args, **kwargs)
    except BaseException as error:
        attempt(stop, event, error)
        raise


def _stream(generator: Generator[Any, Any, Any], event: Recorded) -> Generator[Any, Any, Any]:
    items: list[Any] = []
    output = functools.partial(_collected, items)
    advance: Callable[[Any], Any] = generator.send
    sent: Any = None
    while True:
        try:
            with Step(event, output):
                item = advance(sent)
        except StopIteration as end:
            attempt(finish, event, output() if end.value is None else end.value)
            return end.value
        finally:
            sent = None  # an exception that was thrown in must not be kept alive by the frame it leaves
        items.append(snapshot(item))
        try:
            sent = yield item
            advance = generator.send
        except GeneratorExit:
            with Step(event, output):
                generator.close()
            attempt(stop, event, None, output())
            raise
        except BaseException as thrown:  # handed on into the user's generator, which decides
            sent, advance = thrown, generator.throw


async def _async_stream(generator: AsyncGenerator[Any, Any], event: Recorded) -> AsyncGenerator[Any, Any]:
    items: list[Any] = []
    output = functools.partial(_collected, items)
    advance: Callable[[Any], Any] = generator.asend
    sent: Any = None
    while True:
        try:
            with Step(event, output):
                item = await advance(sent)
        except StopAsyncIteration:
            attempt(finish, event, output())
            return
        finally:
            sent = None
        items.append(snapshot(item))
        try:
            sent = yield item
            advance = generator.asend
        except GeneratorExit:
            with Step(event, output):
                await generator.aclose()
            attempt(stop, event, None, output())
            raise
        except BaseException as thrown:  # handed on into the user's generator, which decides
            sent, advance = thrown, generator.athrow


def _collected(items: list[Any]) -> Any:
    return "".join(items) if items and all(type(item) is str for item in items) else items
