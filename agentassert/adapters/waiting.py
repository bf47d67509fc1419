"""The runs of a framework that wait for a human, and may go on in another call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from agentassert import recorder
from agentassert.recording.events import InvocationEvent


class Waits(Protocol):
    """A run, as far as it matters here: the invocation that it is recorded as."""

    @property
    def event(self) -> InvocationEvent:
        """The invocation."""
        ...


_Run = TypeVar("_Run", bound=Waits)


class Waiting(Generic[_Run]):
    """The runs that wait, in the order in which they stopped.

    Example:
        >>> Waiting().take(lambda run: True) is None
        True
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []
        self._lock = threading.Lock()

    def put(self, run: _Run) -> None:
        """Keep a run until it goes on; those whose captures are closed are let go."""
        with self._lock:
            self._runs = [*(one for one in self._runs if recorder.is_open(one.event)), run]

    def find(self, fits: Callable[[_Run], bool]) -> _Run | None:
        """The first run that fits and that waits in the captures that listen now."""
        with self._lock:
            return self._find(fits)

    def take(self, fits: Callable[[_Run], bool]) -> _Run | None:
        """The run that goes on; in other captures than those that it waited in, it is an invocation of its own."""
        with self._lock:
            found = self._find(fits)
            if found is not None:
                self._runs.remove(found)
            return found

    def _find(self, fits: Callable[[_Run], bool]) -> _Run | None:
        return next((one for one in self._runs if fits(one) and recorder.listens(one.event)), None)
