"""Agents that are functions: called with the payload as their only argument."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final

from agentassert.recording.decorating import AGENT, decorate_agent
from agentassert.signatures import name_of, signature_of

_NO_FACTORY: Final = "; name the agent, not a function that makes it"


class CallableAgent:
    """A function, coroutine function, (async) generator function or callable object.

    Args:
        function: the callable. One that `record.agent` decorates is the invocation itself, any other gets one around it.
        name: the name of that one; the function's own without it.

    Raises:
        TypeError: when it cannot be called with one argument.
    """

    def __init__(self, function: Callable[..., Any], name: str | None) -> None:
        _refuse_other_arguments(function)
        self.name = str(getattr(_innermost(function), AGENT, None) or name or name_of(function))
        self.call: Callable[[Any], Any] = function if _is_recorded(function) else decorate_agent(function, self.name)
        self.is_async = _is_async(function)


def _refuse_other_arguments(function: Callable[..., Any]) -> None:
    signature = signature_of(function)
    if signature is None:
        return
    try:
        signature.bind("payload")
    except TypeError as error:
        what = f"agent must take the payload as its only argument, but {function!r} takes {signature}: {error}"
        raise TypeError(f"{what}{'' if signature.parameters else _NO_FACTORY}") from None


def _innermost(function: Any) -> Any:
    while isinstance(function, functools.partial):
        function = function.func
    return function if hasattr(function, AGENT) else type(function).__call__


def _is_recorded(function: Any) -> bool:
    return hasattr(_innermost(function), AGENT)


def _is_async(function: Any) -> bool:
    """Whether it is called in an event loop; what only turns out to be awaitable when it was called is awaited all the same."""
    called = (function, type(function).__call__)
    return any(inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one) for one in called)


def drained(result: Any) -> Any:
    """Read a stream to its end, which is the end of the agent; gives what must still be awaited."""
    if inspect.isgenerator(result):
        for _ in result:
            pass
        return None
    if inspect.isasyncgen(result):
        return _drained(result)
    return result


async def _drained(stream: Any) -> None:
    async for _ in stream:
        pass
