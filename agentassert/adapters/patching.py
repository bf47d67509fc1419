"""Wrapping a method of a framework's class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from agentassert.adapters.base import HookMissingError


def wrap_method(owner: type, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put a wrapper in the place of a method, for good.

    Args:
        owner: the class that defines the method.
        name: the method's name.
        make: gets a function that calls the original, bound to its first argument, and returns the wrapper. Wrappers of other
            libraries expect to be called bound; called as plain functions they break.

    Raises:
        HookMissingError: when the class has no such method.

    Example:
        >>> class Greeter:
        ...     def greet(self, name):
        ...         return f"Hello {name}"
        >>> def loudly(original):
        ...     def greet(self, name):
        ...         return original(self, name).upper()
        ...     return greet
        >>> wrap_method(Greeter, "greet", loudly)
        >>> Greeter().greet("Ann")
        'HELLO ANN'
    """
    original = vars(owner).get(name)
    if not callable(original):
        raise HookMissingError(f"{owner.__module__}.{owner.__qualname__} has no method {name!r}")

    def bound(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return original.__get__(self, type(self))(*args, **kwargs)

    setattr(owner, name, functools.wraps(original)(make(bound)))
