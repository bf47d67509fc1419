"""Threads that are started while a capture is open record into it.

Only our own variables travel (where the code belongs, and what stands in for tools there), never the rest of the context: copying that changes how agents behave. They travel with each thread and
each piece of work handed to a pool, never into a pool's worker itself, which outlives the capture.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from agentassert import recorder
from agentassert.doubles import active
from agentassert.recording import events

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

NAME: Final = "threads"
"""What stands in the place of an adapter's name when a hook of this module broke."""

_lock = threading.RLock()
"""Reentrant: the garbage collector may come between, and close the capture of a generator that was dropped."""
_users = 0
_undo: list[Callable[[], None]] = []


def carry_into_threads() -> None:
    """Begin to carry the scope into new threads; undone by as many calls of :func:`stop_carrying`."""
    global _users
    with _lock:
        _users += 1
        if _users == 1:
            from concurrent.futures import ThreadPoolExecutor

            _patch(threading.Thread, "start", _starting)
            _patch(ThreadPoolExecutor, "submit", _submitting)


def stop_carrying() -> None:
    """Undo :func:`carry_into_threads`; a patch that somebody wrapped since stays, and does nothing."""
    global _users
    with _lock:
        _users -= 1
        if _users == 0:
            while _undo:
                _undo.pop()()


def _patch(owner: type, name: str, make: Callable[[Any], Any]) -> None:
    original = getattr(owner, name)
    ours = functools.wraps(original)(make(original))
    setattr(owner, name, ours)

    def undo() -> None:
        if getattr(owner, name) is ours:
            setattr(owner, name, original)

    _undo.append(undo)


def _starting(original: Callable[[Any], None]) -> Callable[[Any], None]:
    def start(self: threading.Thread) -> None:
        restore = _run_in_scope(self)
        try:
            original(self)
        except BaseException:
            restore()
            raise

    return start


def _run_in_scope(thread: threading.Thread) -> Callable[[], None]:
    """Let `thread` run in the scope of the thread that starts it, by an attribute that is gone before its own work begins."""
    try:
        scope = None if _is_worker(thread) else _carried()
    except Exception as fault:
        recorder.report_fault(NAME, fault)
        return _nothing
    standing = active.current()
    if scope is None and (standing is active.NOTHING or _is_worker(thread)):
        return _nothing
    run, attributes = thread.run, vars(thread)
    own = attributes.get("run")

    def restore() -> None:
        attributes.pop("run", None)
        if own is not None:
            attributes["run"] = own

    def run_in_scope() -> None:
        restore()
        if scope is not None:
            recorder.set_scope(scope)
        active.carry(standing)
        run()

    attributes["run"] = run_in_scope
    return restore


def _nothing() -> None:
    pass


def _submitting(original: Callable[..., Future[Any]]) -> Callable[..., Future[Any]]:
    def submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            scope = None if _is_of_interpreters(self) else _carried()
        except Exception as fault:
            recorder.report_fault(NAME, fault)
            scope = None
        if scope is None:
            work = fn if active.current() is active.NOTHING or _is_of_interpreters(self) else _standing_in(fn)
            return original(self, work, *args, **kwargs)
        # A worker thread may be started by this very call, and must not take the scope along.
        token = recorder.set_scope(recorder.NOWHERE)
        try:
            return original(self, _in_scope(scope, fn), *args, **kwargs)
        finally:
            recorder.restore(token)

    return submit


def _in_scope(scope: events.Scope, fn: Callable[..., Any]) -> Callable[..., Any]:
    stood_in = _standing_in(fn)

    def work(*args: Any, **kwargs: Any) -> Any:
        token = recorder.set_scope(scope)
        try:
            return stood_in(*args, **kwargs)
        finally:
            recorder.restore(token)

    return work


def _standing_in(fn: Callable[..., Any]) -> Callable[..., Any]:
    standing = active.current()

    def work(*args: Any, **kwargs: Any) -> Any:
        before = active.carry(standing)
        try:
            return fn(*args, **kwargs)
        finally:
            active.restore(before)

    return work


def _carried() -> events.Scope | None:
    if not recorder.open_captures:
        return None
    scope = recorder.current_scope()
    if scope is None:
        return None
    captures = tuple(capture for capture in scope.captures if capture.propagates)
    return events.Scope(captures, scope.event) if captures else None


def _is_worker(thread: threading.Thread) -> bool:
    """Whether it is a pool's own worker, which is handed its work by `submit`, by a queue or in a context of its own."""
    runs = getattr(thread, "_target", None) or type(thread)
    return getattr(runs, "__module__", None) in ("concurrent.futures.thread", "multiprocessing.pool", "anyio._backends._asyncio")


def _is_of_interpreters(executor: ThreadPoolExecutor) -> bool:
    """Whether its workers are interpreters of their own (Python 3.14), to which a function is sent by its name."""
    return any(one.__module__ == "concurrent.futures.interpreter" for one in type(executor).__mro__)
