"""The doubles that come ready-made."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, TypeAlias

Double: TypeAlias = Callable[..., Any]
"""What stands in for a tool: called with the tool's own arguments, it gives the tool's result; it may be a coroutine function."""


class Delayed:
    """A double that takes its time; asynchronous tools wait for it without blocking their event loop."""

    def __init__(self, seconds: float, then: Double) -> None:
        self.seconds = seconds
        self.then = then

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        time.sleep(self.seconds)
        return self.then(*args, **kwargs)

    def __repr__(self) -> str:
        return f"delays({self.seconds!r}, then={self.then!r})"


class _Returning:
    def __init__(self, value: Any) -> None:
        self._value = value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._value

    def __repr__(self) -> str:
        return f"returns({self._value!r})"


class _Failing:
    def __init__(self, error: Exception | type[Exception], times: int | None, then: Double) -> None:
        self._error = error
        self._left = times
        self._then = then
        self._lock = threading.Lock()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._fails():
            raise self._error
        return self._then(*args, **kwargs)

    def _fails(self) -> bool:
        if self._left is None:
            return True
        with self._lock:
            self._left -= 1
            return self._left >= 0

    def __repr__(self) -> str:
        return f"fails({self._error!r})"


def returns(value: Any) -> Double:
    """A double that gives this value, whatever it is called with.

    Args:
        value: the result; the very object, so an agent that changes it changes it for the next call.

    Returns:
        What `run(..., mocks=...)` and `mocked_tools` take for a tool.

    Example:
        >>> returns(7)(number="MS-777")
        7
    """
    return _Returning(value)


def fails(error: Exception | type[Exception], *, times: int | None = None, then: Double | None = None) -> Double:
    """A double that raises, as the tool itself would.

    Args:
        error: the exception, or its class.
        times: how often it raises before `then` takes over; every time without it.
        then: the double that takes over, such as `returns(7)`.

    Returns:
        What `run(..., mocks=...)` and `mocked_tools` take for a tool.

    Raises:
        TypeError, ValueError: when `error` is no exception, `times` no positive number, or one of `times` and `then` is missing.

    Example:
        >>> lookup = fails(TimeoutError("no answer"), times=1, then=returns(7))
        >>> lookup()
        Traceback (most recent call last):
        ...
        TimeoutError: no answer
        >>> lookup()
        7
    """
    if not (isinstance(error, Exception) or (isinstance(error, type) and issubclass(error, Exception))):
        raise TypeError(f"error must be an exception or its class, but was {error!r}")
    if (times is None) != (then is None):
        raise TypeError("fails() takes times and then together: how often it raises, and what it does afterwards")
    if times is not None and (isinstance(times, bool) or not isinstance(times, int)):
        raise TypeError(f"times must be a whole number, but was {times!r}")
    if times is not None and times < 1:
        raise ValueError(f"times must be 1 or more, but was {times!r}")
    return _Failing(error, times, returns(None) if then is None else checked(then, "then"))


def delays(seconds: float, then: Double) -> Double:
    """A double that takes its time, so that timeouts and parallel tools can be tested.

    Args:
        seconds: how long it takes.
        then: the double that gives the result, such as `returns(7)` or `fails(TimeoutError())`.

    Returns:
        What `run(..., mocks=...)` and `mocked_tools` take for a tool.

    Raises:
        TypeError, ValueError: when `seconds` is no number of seconds, or `then` cannot be called.

    Example:
        >>> delays(0.01, then=returns(7))()
        7
    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        raise TypeError(f"seconds must be a number of seconds, but was {seconds!r}")
    if not 0 <= seconds < threading.TIMEOUT_MAX:
        raise ValueError(f"seconds must be a number of seconds from 0 to {threading.TIMEOUT_MAX:.0f}, but was {seconds!r}")
    return Delayed(float(seconds), checked(then, "then"))


def checked(double: Any, place: str) -> Double:
    """`double`, if it can be called.

    Raises:
        TypeError: when it cannot, which a value in the place of `returns(value)` is the likely reason for.
    """
    if not callable(double):
        raise TypeError(f"{place} must be callable, but was {double!r}; for a fixed result write returns({double!r})")
    return double  # type: ignore[no-any-return]
