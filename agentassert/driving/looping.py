"""Running asynchronous agents from synchronous code, and ending what takes too long."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import contextvars
import functools
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final, TypeVar

from agentassert.errors import causes_of

_T = TypeVar("_T")
_GRACE: Final = 1.0
"""Seconds that a cancelled agent has for what it does in the end; then it is left behind."""


def run_here(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end; what it leaves behind is cancelled.

    The main thread keeps one event loop for all runs: the connections of a model's client belong to the loop that opened them.
    """
    if threading.current_thread() is threading.main_thread():
        return _run(_kept_runner(), work)
    with _new_runner() as runner:
        return _run(runner, work)


def _new_runner() -> asyncio.Runner:
    # A runner that makes its loop itself takes the loop that the program has set out of its place.
    return asyncio.Runner(loop_factory=asyncio.new_event_loop)


@functools.cache
def _kept_runner() -> asyncio.Runner:
    runner = _new_runner()
    atexit.register(runner.close)
    return runner


def _run(runner: asyncio.Runner, work: Coroutine[Any, Any, _T]) -> _T:
    return runner.run(_alone(work), context=contextvars.copy_context())


async def _alone(work: Coroutine[Any, Any, _T]) -> _T:
    try:
        return await work
    finally:
        left = asyncio.all_tasks() - {asyncio.current_task()}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_GRACE)


async def within(seconds: float | None, work: Coroutine[Any, Any, Any], timed_out: Callable[[], None]) -> bool:
    """Await `work`, and cancel it after some seconds.

    Args:
        seconds: how long it may take; `None` for as long as it takes.
        work: what is awaited.
        timed_out: called before it is cancelled, by another thread: on time, also where the work blocks the event loop.

    Returns:
        Whether it came to its end in time.
    """
    if seconds is None:
        await work
        return True
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    expired = loop.create_future()

    is_up = threading.Event()

    def expire() -> None:
        is_up.set()
        timed_out()
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            loop.call_soon_threadsafe(expired.set_result, None)

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        await asyncio.wait({task, expired}, return_when=asyncio.FIRST_COMPLETED)
        if not is_up.is_set():
            task.result()
            return True
    finally:
        timer.cancel()
        task.cancel()
    await asyncio.wait({task}, timeout=_GRACE)
    if task.done() and not task.cancelled():
        task.exception()  # looked at, or the loop complains; the run failed by its time
    return False


class InThread:
    """A call in a thread of its own, in a copy of this context; nothing can end it but itself.

    Args:
        call: what is called.
    """

    def __init__(self, call: Callable[[], _T]) -> None:
        self._call = call
        self._result: Any = None
        self._error: BaseException | None = None
        self._over = threading.Event()
        context = contextvars.copy_context()
        threading.Thread(target=lambda: context.run(self._run), name="agentassert-run", daemon=True).start()

    def _run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:  # raised again where the result is asked for
            self._error = error
        finally:
            self._over.set()

    def wait(self, seconds: float | None) -> bool:
        """Whether it is over after some seconds, or at last."""
        return self._over.wait(seconds)

    async def awaited(self, seconds: float | None) -> bool:
        """Likewise, without blocking the event loop."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def watch() -> None:
            self._over.wait(seconds)
            loop.call_soon_threadsafe(over.set)

        threading.Thread(target=watch, name="agentassert-wait", daemon=True).start()
        await over.wait()
        return self._over.is_set()

    def result(self) -> Any:
        """What it gave, once it is over."""
        if self._error is not None:
            raise self._error
        return self._result


async def await_result(result: Awaitable[_T]) -> _T:
    """What an awaitable gives, as a coroutine."""
    return await result


def is_same_error(error: BaseException, recorded: BaseException | str | None) -> bool:
    """Whether one was raised from the other."""
    if not isinstance(recorded, BaseException):
        return False
    return any(one is recorded for one in causes_of(error)) or any(one is error for one in causes_of(recorded))
