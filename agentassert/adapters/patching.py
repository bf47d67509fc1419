"""Putting something of ours in the place of a framework's methods and functions."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from agentassert.adapters.base import HookMissingError
from agentassert.adapters.replacing import Replacement, keeper


def replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Replace an attribute of a class or module, until the adapter that is being installed is uninstalled.

    Args:
        owner: the class or module.
        name: the attribute's name.
        make: gets the attribute as it stands in the dictionary of its owner, a `classmethod` for example, and `None` where there is
            none, which it refuses by a `HookMissingError`. Returns what is put in its place; called again when the adapter is put back.

    Example:
        >>> import types
        >>> module = types.ModuleType("greetings")
        >>> module.greet = lambda name: f"Hello {name}"
        >>> replace(module, "greet", lambda greet: lambda name: greet(name).upper())
        >>> module.greet("Ann")
        'HELLO ANN'
    """
    replacement = Replacement(owner, name, make)
    replacement.put()
    kept = keeper()
    if kept is not None:
        kept.append(replacement)


def wrap_method(owner: type, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put a wrapper in the place of a method, until the adapter that is being installed is uninstalled.

    Args:
        owner: the class that defines the method. What it only inherits may be no more than the interface that it is to implement.
        name: the method's name.
        make: gets a function that calls the original, bound to its first argument, and returns the wrapper. Wrappers of other
            libraries expect to be called bound; called as plain functions they break.

    Raises:
        HookMissingError: when the class does not define it.

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

    def wrapped(original: Any) -> Any:
        if name not in vars(owner) or not callable(original):
            raise HookMissingError(f"{owner.__module__}.{owner.__qualname__} has no method {name!r}")

        @functools.wraps(original)
        def bound(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            return original.__get__(self, type(self))(*args, **kwargs)

        return functools.wraps(original)(make(bound))

    replace(owner, name, wrapped)
