"""Putting something of ours in the place of a framework's methods and functions."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
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
            raise HookMissingError(f"{_full_name(owner)} has no method {name!r}")

        @functools.wraps(original)
        def bound(self: Any, /, *args: Any, **kwargs: Any) -> Any:
            return original.__get__(self, type(self))(*args, **kwargs)

        return functools.wraps(original)(make(bound))

    replace(owner, name, wrapped)


def wrap_function(owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Put a wrapper in the place of a function of a module, or of a static or a class method, likewise.

    Args:
        owner: the module, or the class.
        name: the function's name.
        make: gets the function, and returns the wrapper.

    Raises:
        HookMissingError: when there is none.

    Example:
        >>> import types
        >>> module = types.ModuleType("greetings")
        >>> module.greet = lambda name: f"Hello {name}"
        >>> wrap_function(module, "greet", lambda greet: lambda name: greet(name).upper())
        >>> module.greet("Ann")
        'HELLO ANN'
    """

    def wrapped(original: Any) -> Any:
        function = getattr(original, "__func__", original)
        if not callable(function):
            raise HookMissingError(f"{_full_name(owner)} has no function {name!r}")
        ours = functools.wraps(function)(make(function))
        return type(original)(ours) if isinstance(original, (staticmethod, classmethod)) else ours

    replace(owner, name, wrapped)


def wrap_family(root: type[Any], wrappers: Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]) -> None:
    """Put wrappers in the place of methods wherever a class or one that inherits from it defines them, one that comes later too.

    Where a method calls the one that it overrides, a wrapper runs inside a wrapper.

    Args:
        root: the class.
        wrappers: what :func:`wrap_method` takes, by the names of the methods.

    Raises:
        HookMissingError: when no class so far defines one of them.

    Example:
        >>> class Greeter:
        ...     def greet(self, name):
        ...         return f"Hello {name}"
        >>> def loudly(original):
        ...     def greet(self, name):
        ...         return original(self, name).upper()
        ...     return greet
        >>> wrap_family(Greeter, {"greet": loudly})
        >>> class Guest(Greeter):
        ...     def greet(self, name):
        ...         return f"Bonjour {name}"
        >>> Greeter().greet("Ann"), Guest().greet("Ann")
        ('HELLO ANN', 'BONJOUR ANN')
    """
    family = dict.fromkeys(_family(root))
    for name, make in wrappers.items():
        for owner in [one for one in family if callable(vars(one).get(name))] or [root]:
            wrap_method(owner, name, make)
    replace(root, "__init_subclass__", lambda original: _welcoming(root, original, wrappers))


def _full_name(owner: Any) -> str:
    return f"{owner.__module__}.{owner.__qualname__}" if isinstance(owner, type) else str(owner.__name__)


def _welcoming(root: type[Any], original: Any, wrappers: Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]) -> Any:
    is_own = "__init_subclass__" in vars(root)

    def welcome(cls: type[Any], /, **kwargs: Any) -> None:
        if is_own:
            original.__get__(None, cls)(**kwargs)
        else:
            super(root, cls).__init_subclass__(**kwargs)
        for name, make in wrappers.items():
            if callable(vars(cls).get(name)):
                wrap_method(cls, name, make)

    return classmethod(welcome)


def _family(root: type[Any]) -> Iterator[type[Any]]:
    yield root
    one: type[Any]
    for one in root.__subclasses__():
        yield from _family(one)
