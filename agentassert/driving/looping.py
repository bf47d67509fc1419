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

_T = TypeVar("_T")
_GRACE: Final = 1.0
"""Seconds that a cancelled agent has for what it does in the end; then it is left behind."""


def run_here(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end; what it leaves behind is cancelled.

    The main thread keeps one event loop for all runs: the connections of a model's client belong to the loop that opened them.
    """
    if threading.current_thread() is threading.main_thread():
        try:
            return _run(_kept_runner(), work)
        except (SystemExit, KeyboardInterrupt):
            # The loop was left in the middle of the work, which would go on, and cancel the next one's tasks, when it runs again.
            _kept_runner().close()
            _kept_runner.cache_clear()
            raise
    with _new_runner() as runner:
        return _run(runner, work)


def _new_runner() -> asyncio.Runner:
    # A runner that makes its loop itself takes the loop that the program has set out of its place.
    return asyncio.Runner(loop_factory=asyncio.new_event_loop)


@functools.cache
def _kept_runner() -> asyncio.Runner:
    runner = _new_runner()
    atexit.register(runner.close)  # which does nothing when it was closed before
    return runner


def _run(runner: asyncio.Runner, work: Coroutine[Any, Any, _T]) -> _T:
    return runner.run(_alone(work), context=contextvars.copy_context())


async def _alone(work: Coroutine[Any, Any, _T]) -> _T:
    before = asyncio.all_tasks()  # of which those of earlier runs are left that did not let themselves be cancelled
    try:
        return await work
    finally:
        left = asyncio.all_tasks() - before
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


async def await_result(result: Awaitable[_T]) -> _T:
    """What an awaitable gives, as a coroutine."""
    return await result
