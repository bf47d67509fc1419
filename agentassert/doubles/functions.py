"""Doubles of functions that are decorated with `record.tool`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agentassert.doubles import active
from agentassert.signatures import signature_of

if TYPE_CHECKING:
    from agentassert.doubles.sets import Call, StandIn

Flavour: TypeAlias = Callable[["Function", "StandIn"], Callable[..., Any]]

known: Final[set[str]] = set()
"""The names of all tools that were ever decorated in this process."""


class Function:
    """A decorated function, as its double needs to know it.

    Args:
        name: the tool's name.
        function: what was decorated.
        bind: names the arguments of a call.
    """

    def __init__(self, name: str, function: Any, bind: Callable[[tuple[Any, ...], dict[str, Any]], Mapping[str, Any]]) -> None:
        self._name = name
        self._function = function
        self._bind = bind
        known.add(name)

    def target(self, flavour: Flavour) -> Callable[..., Any]:
        """What is called here: the function itself, or its double."""
        double = active.stand_in(self._name)
        function: Callable[..., Any] = self._function
        return function if double is None else flavour(self, double)

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The call, without the object of a method: a double is called with what the agent gave."""
        from agentassert.doubles.sets import Call
        from agentassert.doubles.specs import function_complaint

        complaint = function_complaint(self._function, args, kwargs)
        arguments = self._bind(args, kwargs)
        signature = signature_of(self._function)
        is_method = signature is not None and next(iter(signature.parameters), None) in ("self", "cls")
        return Call(arguments, args[1:] if is_method else args, kwargs, complaint=complaint)


def plain(function: Function, double: StandIn) -> Callable[..., Any]:
    """In the place of a function."""
    return lambda *args, **kwargs: double.call(function.call(args, kwargs))


def coroutine(function: Function, double: StandIn) -> Callable[..., Any]:
    """In the place of a coroutine function."""
    return lambda *args, **kwargs: double.awaited(function.call(args, kwargs))


def generator(function: Function, double: StandIn) -> Callable[..., Any]:
    """In the place of a generator function: each item of a list is yielded, anything else is the only item."""

    def generate(*args: Any, **kwargs: Any) -> Iterator[Any]:
        result = double.call(function.call(args, kwargs))
        yield from result if _holds_items(result) else [result]

    return generate


def async_generator(function: Function, double: StandIn) -> Callable[..., Any]:
    """In the place of an asynchronous generator function, likewise."""

    async def generate(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        result = await double.awaited(function.call(args, kwargs))
        if hasattr(result, "__aiter__"):
            async for item in result:
                yield item
            return
        for item in result if _holds_items(result) else [result]:
            yield item

    return generate


def _holds_items(result: Any) -> bool:
    return isinstance(result, (list, tuple, Iterator))
