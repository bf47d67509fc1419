"""Running a user's own code as a check: what it must answer, and which of its errors mean "no match"."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Final

import attrs

from agentassert.books import Tentative
from agentassert.checks.paths import detached
from agentassert.errors import AgentAssertionError
from agentassert.text.pieces import type_name

hard_mode: ContextVar[bool] = ContextVar("agentassert_hard_mode", default=False)
"""Whether a callback runs: then a failure is raised at once even inside a soft block, so that it counts for its candidate."""

_NEVER_RAISING: Final = ("soft", "warn")
_SAY_NOTHING: Final = frozenset({"re", "unittest.mock"})
"""Modules whose functions return `None` without having asserted anything."""


@attrs.frozen
class Verdict:
    """What a callback decided about one value.

    Args:
        matched: whether it accepted the value.
        reason: the text of the assertion that failed in it, if one did.

    Example:
        >>> Verdict(True)
        Verdict(matched=True, reason=None)
    """

    matched: bool
    reason: str | None = None


def holds(callback: Callable[[Any], Any], value: Any) -> Verdict:
    """Run `callback` once with a detached copy of `value`, in hard mode.

    `True`, a chain that asserted, or `None` from a `def` is a match; `False` and a failed assertion are none. `None` counts for a plain function
    or method and for an object with a `__call__` written in Python, also behind `functools.partial`; not for a `lambda`, a
    built-in, a mock, or a function of `re`, which say nothing by returning it.

    Raises:
        TypeError: when it answers anything else.
        Exception: whatever the callback itself raises, except a plain failed assertion.

    Example:
        >>> holds(lambda amount: amount > 3, 5)
        Verdict(matched=True, reason=None)
        >>> def is_small(amount):
        ...     assert amount < 3, f"{amount} is too much"
        >>> holds(is_small, 5)
        Verdict(matched=False, reason='5 is too much')
    """
    return _ask(callback, detached(value), lambda answer: _judged(callback, answer))


def compares_equal(expected: Any, actual: Any) -> Verdict:
    """Ask the `__eq__` of `expected`, and never that of `actual`, by the rules for errors of :func:`holds`.

    Example:
        >>> from unittest.mock import ANY
        >>> compares_equal(ANY, 5).matched
        True
    """

    equality: Any = type(expected).__eq__
    return _ask(
        lambda value: equality(expected, value), actual, lambda answer: Verdict(answer is not NotImplemented and bool(answer))
    )


def name_of(callback: Callable[..., Any]) -> str:
    """What a message calls `callback`.

    Example:
        >>> name_of(str.isdigit), name_of(lambda value: True)
        ('isdigit', 'the lambda')
    """
    function = _unwrapped(callback)
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return type(function).__name__
    return "the lambda" if name == "<lambda>" else name


def _ask(question: Callable[[Any], Any], value: Any, read: Callable[[Any], Verdict]) -> Verdict:
    token = hard_mode.set(True)
    try:
        with Tentative() as attempt:
            verdict = read(question(value))
            if verdict.matched:
                attempt.keep()
    except AssertionError as error:
        if isinstance(error, AgentAssertionError) and type(error) is not AgentAssertionError:
            raise
        return Verdict(False, str(error) or None)
    finally:
        hard_mode.reset(token)
    return verdict


def _judged(callback: Callable[[Any], Any], answer: Any) -> Verdict:
    if isinstance(answer, bool):
        return Verdict(answer)
    if answer is None and _asserts_by_itself(callback):
        return Verdict(True)
    name = name_of(callback)
    if _is_chain(answer):
        _refuse_idle(name, answer)
        return Verdict(True)
    if isinstance(answer, types.CoroutineType):
        answer.close()
        raise TypeError(f"{name} must be a plain function, but is a coroutine function: callbacks are not awaited, write `def`")
    fix = (
        "it checked nothing; compare the value, such as `... is not None`, or write a `def` that asserts"
        if answer is None
        else "compare it, or wrap it in bool(...)"
    )
    returned = "None" if answer is None else f"a value of type {type_name(type(answer))}"
    raise TypeError(
        f"{name} must answer True or False, or be a `def` that asserts and returns nothing, but returned {returned}: {fix}"
    )


def _refuse_idle(name: str, chain: Any) -> None:
    if getattr(chain, "__agentassert_checked__", True) is False:
        raise TypeError(
            f"{name} returned a chain on which nothing was asserted, so it checked nothing: call an assertion, "
            "such as `.has_tool_executed(name)`"
        )
    if getattr(chain, "kind", None) in _NEVER_RAISING:
        raise TypeError(
            f"{name} returned an assertpy chain of the kind {chain.kind!r}, whose failures do not raise: use a plain assert_that"
        )


def _is_chain(answer: Any) -> bool:
    if getattr(type(answer), "__agentassert_chain__", False) is True:
        return True
    assertpy = sys.modules.get("assertpy.assertpy")
    return assertpy is not None and isinstance(answer, assertpy.AssertionBuilder)


def _asserts_by_itself(callback: Callable[..., Any]) -> bool:
    function = _unwrapped(callback)
    if isinstance(function, types.MethodType):
        function = function.__func__
    elif not isinstance(function, types.FunctionType):
        function = type(function).__call__
    return (
        isinstance(function, types.FunctionType) and function.__name__ != "<lambda>" and function.__module__ not in _SAY_NOTHING
    )


def _unwrapped(callback: Callable[..., Any]) -> Any:
    while isinstance(callback, functools.partial):
        callback = callback.func
    return callback
