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
        return _wrapped(original, make)

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
        kind = next((one for one in (staticmethod, classmethod) if isinstance(original, one)), None)
        function = original if kind is None else _called_bound(original, owner)
        if not callable(function):
            raise HookMissingError(f"{_full_name(owner)} has no function {name!r}")
        ours = functools.wraps(function)(make(function))
        return ours if kind is None else kind(ours)

    replace(owner, name, wrapped)


def wrap_family(root: type[Any], wrappers: Mapping[str, Callable[[Callable[..., Any]], Callable[..., Any]]]) -> None:
    """Put wrappers in the place of methods wherever a class or one that inherits from it defines them, one that comes later too.

    A class that has a method from beside the family, from a mixin, is given a wrapper of its own. Where a method calls the one that it
    overrides, a wrapper runs inside a wrapper.

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
        if not [one for one in family if _wrap_member(one, root, name, make)]:
            raise HookMissingError(f"{_full_name(root)} has no method {name!r}")
    replace(root, "__init_subclass__", lambda original: _welcoming(root, original, wrappers))


def _called_bound(original: Any, owner: Any) -> Callable[..., Any]:
    """A function that calls a static or a class method as Python does: another library's wrapper may pass for one of these."""
    if isinstance(original, staticmethod):
        return original.__get__(None, owner)

    @functools.wraps(original.__func__)
    def bound(cls: type[Any], /, *args: Any, **kwargs: Any) -> Any:
        return original.__get__(None, cls)(*args, **kwargs)

    return bound


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
            _wrap_member(cls, root, name, make)

    return classmethod(welcome)


def _wrap_member(kind: type[Any], root: type[Any], name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> bool:
    """Wrap the method of a class of the family, unless it is one that another class of it, or what is above that, defines."""
    definer = next((one for one in kind.__mro__ if name in vars(one)), None)
    if definer is None or not callable(vars(definer)[name]):
        return False
    if definer is not kind and (root in definer.__mro__ or definer in root.__mro__):
        return False
    replace(kind, name, lambda original: _wrapped(original, make))
    return True


def _wrapped(original: Any, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Callable[..., Any]:
    @functools.wraps(original)
    def bound(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return original.__get__(self, type(self))(*args, **kwargs)

    return functools.wraps(original)(make(bound))


def _family(root: type[Any]) -> Iterator[type[Any]]:
    yield root
    one: type[Any]
    for one in root.__subclasses__():
        yield from _family(one)
