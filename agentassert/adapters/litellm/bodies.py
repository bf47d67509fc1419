"""Replacing what a function does, wherever it is bound."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from agentassert.adapters.replacing import Replacement, keeper


def replace_body(function: FunctionType, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Have every call of a function go to a wrapper, until the adapter that is being installed is uninstalled.

    A wrapper that stood in the function's place would be met only by those who look it up there from now on, and programs write `from
    litellm import completion`, or keep the function in an object of theirs.

    Args:
        function: one written in Python; it stays the object that it is, with the signature that it has.
        make: gets a function that does what this one did, and returns the wrapper, a coroutine function where it is one.

    Example:
        >>> def greet(name):
        ...     return f"Hello {name}"
        >>> held = greet
        >>> replace_body(greet, lambda original: lambda name: original(name).upper())
        >>> held("Ann")
        'HELLO ANN'
    """
    body = _Body(function, "__code__", make)
    body.put()
    kept = keeper()
    if kept is not None:
        kept.append(body)


class _Body(Replacement):
    """Code of ours in a function."""

    __slots__ = ("_defaults",)

    def put(self) -> None:
        function = self._owner
        if function.__code__ is self._ours:
            return
        self._was_there = code = function.__code__
        self._defaults = function.__kwdefaults__
        original = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
        original.__kwdefaults__ = self._defaults
        self._ours = _code_like(code)
        # First what only the new code looks at: another thread may call the function in between.
        function.__kwdefaults__ = {**(self._defaults or {}), "agentassert_wrapper": self._make(original)}
        function.__code__ = self._ours

    def take_out(self) -> None:
        if self._owner.__code__ is self._ours:
            self._owner.__code__ = self._was_there
            self._owner.__kwdefaults__ = self._defaults
            self._ours = self._was_there = None


def _code_like(code: CodeType) -> CodeType:
    """Code that calls the wrapper, and that the function accepts in the place of its own: that closes over as much."""
    is_async = code.co_flags & inspect.CO_COROUTINE
    held = ", ".join(code.co_freevars)
    source = f"""
def around({held}):
    {"async " if is_async else ""}def call(*args, agentassert_wrapper, **kwargs):
        return {"await " if is_async else ""}agentassert_wrapper(*args, **kwargs)
        {held}
    return call
"""
    made: dict[str, Any] = {}
    exec(compile(source, __file__, "exec"), made)  # noqa: S102  # only the compiler makes code with a given number of closed-over variables
    ours: CodeType = made["around"](*code.co_freevars).__code__
    return ours.replace(co_name=code.co_name, co_qualname=code.co_qualname)
