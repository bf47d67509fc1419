"""Threads in which functions run that may take too long: each does one call after the other, for as long as its calls end."""

from __future__ import annotations

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

_Tasks: TypeAlias = "queue.SimpleQueue[InThread]"

_idle: Final[list[_Tasks]] = []
"""The threads that wait for work. One whose call does not end is in nobody's way: it waits again when that ends, if ever."""


class InThread:
    """A call beside this thread, in a copy of its context; nothing can end it but itself.

    Args:
        call: what is called.
    """

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._result: Any = None
        self._error: BaseException | None = None
        self._over: queue.SimpleQueue[None] = queue.SimpleQueue()  # costs a fraction of an event
        self._context = contextvars.copy_context()
        _waiting_thread().put(self)

    def carry_out(self) -> None:
        """Make the call; for the thread that does it."""
        try:
            self._result = self._context.run(self._call)
        except BaseException as error:  # raised again where the result is asked for
            self._error = error

    def tell(self) -> None:
        """Tell that it is over."""
        self._over.put(None)

    def wait(self, seconds: float | None) -> bool:
        """Whether it is over after some seconds, or at last; asked once."""
        try:
            self._over.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    async def awaited(self, seconds: float | None) -> bool:
        """Likewise, without blocking the event loop."""
        loop = asyncio.get_running_loop()
        over = loop.create_future()

        def watch() -> None:
            loop.call_soon_threadsafe(over.set_result, self.wait(seconds))

        threading.Thread(target=watch, name="agentassert-wait", daemon=True).start()
        return bool(await over)

    def result(self) -> Any:
        """What it gave, once it is over."""
        if self._error is not None:
            raise self._error
        return self._result


def _waiting_thread() -> _Tasks:
    try:
        return _idle.pop()
    except IndexError:
        tasks: _Tasks = queue.SimpleQueue()
        threading.Thread(target=_serve, args=(tasks,), name="agentassert-run", daemon=True).start()
        return tasks


def _serve(tasks: _Tasks) -> None:
    while True:
        task = tasks.get()
        task.carry_out()
        _idle.append(tasks)  # before it is told, so that the next call finds this thread
        task.tell()
        del task  # and with it the whole run, while the thread waits
