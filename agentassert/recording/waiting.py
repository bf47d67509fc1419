"""Waiting, when a block is left, for what still runs.

Only waits that libraries which freeze time leave alone are used: a queue, and a thread that wakes the event loop. The queue is one that
takes something also while this very thread waits for it, as the garbage collector ends what was dropped wherever it comes.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from queue import Empty, SimpleQueue

from agentassert import recorder
from agentassert.recording import events


def in_event_loop() -> bool:
    """Whether an asyncio event loop runs in this thread, which blocking would stop."""
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def is_stopped(event: events.Event, leaving: events.Mover) -> bool:
    """Whether nobody can move `event` on any more, because the one who would is about to leave the block."""
    if event.mover is None or event.mover == leaving:
        return True
    # A task of a loop in this very thread, which does not run now and cannot while the thread waits.
    return leaving == (event.mover[0], None) and not in_event_loop()


class Wait:
    """Waits until nothing in a capture runs any more, or its time is up.

    Args:
        state: the capture.
        seconds: how long at most.
        leaving: the thread and task that leaves the block; what only it could move on is not waited for.
    """

    def __init__(self, state: events.CaptureState, seconds: float, leaving: events.Mover) -> None:
        self._state = state
        self._deadline = events.clock() + seconds
        self._leaving = leaving
        self._changed: SimpleQueue[None] = SimpleQueue()
        self._given_up = False

    def block(self) -> None:
        """Wait in this thread."""
        self._state.wake = self._wake
        try:
            while self._is_needed():
                left = self._deadline - events.clock()
                if left <= 0:
                    return
                with contextlib.suppress(Empty):
                    self._changed.get(timeout=left)
        finally:
            self._state.wake = None

    async def awaited(self) -> None:
        """Wait without blocking the event loop; the waiting itself happens in a thread, since frozen time stops a loop's timers."""
        import asyncio

        await asyncio.sleep(0)  # a task that was made at the end of the block has not begun yet
        if not self._is_needed():
            return
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def watch() -> None:
            self.block()
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile: nobody waits any more
                loop.call_soon_threadsafe(over.set)

        token = recorder.set_scope(None)
        threading.Thread(target=watch, name="agentassert-wait", daemon=True).start()
        recorder.restore(token)
        try:
            await over.wait()
        finally:
            self._given_up = True
            self._wake()

    def _wake(self) -> None:
        if self._changed.empty():  # or what is in it has yet to be looked after, and so will this be
            self._changed.put(None)

    def _is_needed(self) -> bool:
        if self._given_up or self._state.faults:  # what a broken hook left open may never end
            return False
        return any(not is_stopped(event, self._leaving) for event in list(self._state.running))
