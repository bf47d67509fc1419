"""Attributes in whose place something of ours stands, and how they come back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final


class Replacement:
    """Something of ours in the place of one attribute of a class or module.

    Args:
        owner: the class or module.
        name: the attribute's name.
        make: gets what stands there, as it stands there, `None` where nothing does, and returns what is put in its place.

    Example:
        >>> class Greeter:
        ...     word = "Hello"
        >>> replacement = Replacement(Greeter, "word", str.upper)
        >>> replacement.put()
        >>> Greeter.word
        'HELLO'
        >>> replacement.take_out()
        >>> Greeter.word
        'Hello'
    """

    __slots__ = ("_make", "_name", "_ours", "_owner", "_was_own", "_was_there")

    def __init__(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        self._owner = owner
        self._name = name
        self._make = make
        self._ours: Any = None
        self._was_there: Any = None
        self._was_own = False

    def put(self) -> None:
        """Put ours in place; nothing happens where it is, also below what somebody else has put over it."""
        current = standing(self._owner, self._name)
        if self._ours is None or self._is_gone(current):
            self._ours = self._make(current)
            self._was_there = current
            self._was_own = self._name in vars(self._owner)
            setattr(self._owner, self._name, self._ours)

    def take_out(self) -> None:
        """Put back what was there; where somebody else has put something over ours, ours has to stay below it."""
        if self._ours is None or vars(self._owner).get(self._name) is not self._ours:
            return
        if self._was_own:
            setattr(self._owner, self._name, self._was_there)
        else:
            delattr(self._owner, self._name)
        self._ours = self._was_there = None

    def _is_gone(self, current: Any) -> bool:
        """Whether somebody put back what had been there before ours; a wrapper that does not tell what it wraps has ours below it."""
        if _among(self._ours, _layers(current)):
            return False
        return _among(current, _layers(self._was_there)) or _is_as_written(current, self._owner, self._name)


def standing(owner: Any, name: str) -> Any:
    """The attribute as it stands in the dictionary of the class, of the base that it is inherited from, or of the module; else `None`.

    Example:
        >>> type(standing(dict, "fromkeys"))
        <class 'classmethod_descriptor'>
    """
    for place in getattr(owner, "__mro__", (owner,)):
        if name in vars(place):
            return vars(place)[name]
    return None


_keeper: Final[ContextVar[list[Replacement] | None]] = ContextVar("agentassert_replacements", default=None)


def keeper() -> list[Replacement] | None:
    """Where what is replaced now is kept."""
    return _keeper.get()


@contextmanager
def keeping(replacements: list[Replacement] | None) -> Iterator[None]:
    """Keep what is replaced in the block, so that it can be taken out again."""
    token = _keeper.set(replacements)
    try:
        yield
    finally:
        _keeper.reset(token)


def _layers(function: Any) -> list[Any]:
    layers: list[Any] = []
    while function is not None and not _among(function, layers):
        layers.append(function)
        function = getattr(function, "__wrapped__", None)
    return layers


def _is_as_written(current: Any, owner: Any, name: str) -> bool:
    """Whether it is the function that stands in the body of the class, below which there can be nothing."""
    code = None if hasattr(current, "__wrapped__") else getattr(current, "__code__", None)
    # The name that code was compiled with is the one thing that a wrapper does not take over from what it wraps.
    return code is not None and any(code.co_qualname == f"{place.__qualname__}.{name}" for place in getattr(owner, "__mro__", ()))


def _among(one: Any, others: list[Any]) -> bool:
    return any(one is other for other in others)
