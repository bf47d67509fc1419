"""`capture()`: record what an agent does inside a block."""

from __future__ import annotations

import threading
import warnings
from types import TracebackType

from agentassert import adapters, recorder, watching
from agentassert.captures import Capture, OnDoubt
from agentassert.errors import AgentAssertionError, CaptureWarning, carries_soft_failures, is_error_of
from agentassert.recording import events, guarding, threads
from agentassert.recording.recordings import Live
from agentassert.recording.unreported import UnreportedTools, outcome_of
from agentassert.recording.waiting import Wait, in_event_loop, is_stopped
from agentassert.records import Invocation, Outcome, Status


def capture(
    name: str | None = None,
    *,
    wait: float = 10.0,
    expecting_failure: bool = False,
    propagate_threads: bool = True,
    on_doubt: OnDoubt = "warn",
    unreported_tools: UnreportedTools | None = None,
) -> CaptureBlock:
    """Record what agents do inside a `with` or `async with` block. The agent's code needs no change.

    Every adapter whose framework is imported, before the block or in it, is switched on. Captures nest, and captures side by side
    (tasks, threads) never mix.

    Args:
        name: names the capture, and the implicit invocation of a hand-written loop that has none of its own.
        wait: seconds to wait, when the block is left, for invocations that are still running; `async with` awaits them, `with`
            inside a running event loop cannot and does not.
        expecting_failure: swallow the error of an invocation that failed or was blocked, so that what happened before can be
            checked; if none failed, leaving the block fails. An unrelated error is raised as ever.
        propagate_threads: record what threads started in the block do.
        on_doubt: what follows from a doubt in :attr:`Capture.health`: `"warn"` when the block is left, or `"fail"` each assertion.
        unreported_tools: what a tool's result stands for whose sender does not say whether it means success, as in a loop over the
            OpenAI SDK: `"unknown"`, or `"succeeded"`. Without it, what `[tool.agentassert]` in `pyproject.toml` says, else `"unknown"`.

    Returns:
        A context manager that gives the :class:`Capture`.

    Raises:
        TypeError, ValueError: for an argument of the wrong type or out of range.
        AgentAssertionError: on leaving, when a failure was expected and none happened.

    Example:
        >>> from agentassert import assert_that, record
        >>> @record.tool
        ... def get_booking(number):
        ...     return {"number": number}
        >>> with capture() as cap:
        ...     booking = get_booking("MS-777")
        >>> checked = assert_that(cap).has_tool_executed_with("get_booking", {"number": "MS-777"})
    """
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name must be a string or None, but was {name!r}")
    if name == "":
        raise ValueError("name must not be empty; leave it out for a capture without a name")
    if isinstance(wait, bool) or not isinstance(wait, (int, float)):
        raise TypeError(f"wait must be a number of seconds, but was {wait!r}")
    if not 0 <= wait < threading.TIMEOUT_MAX:
        raise ValueError(f"wait must be a number of seconds from 0 to {threading.TIMEOUT_MAX:.0f}, but was {wait!r}")
    for flag, value in (("expecting_failure", expecting_failure), ("propagate_threads", propagate_threads)):
        if not isinstance(value, bool):
            raise TypeError(f"{flag} must be True or False, but was {value!r}")
    if on_doubt not in ("warn", "fail"):
        raise ValueError(f"on_doubt must be 'warn' or 'fail', but was {on_doubt!r}")
    unreported = outcome_of(unreported_tools)
    return CaptureBlock(name, float(wait), expecting_failure, propagate_threads, on_doubt, unreported)


class CaptureBlock:
    """The block that :func:`capture` makes; it can be entered once."""

    def __init__(
        self,
        name: str | None,
        wait: float,
        expecting_failure: bool,
        propagate_threads: bool,
        on_doubt: OnDoubt,
        unreported: Outcome,
    ) -> None:
        self._name = name
        self._wait = wait
        self._expecting_failure = expecting_failure
        self._propagate_threads = propagate_threads
        self._on_doubt: OnDoubt = on_doubt
        self._unreported = unreported
        self._capture: Capture | None = None

    def __enter__(self) -> Capture:
        if self._capture is not None:
            raise RuntimeError("this capture() block was entered before; call capture() for each block")
        if self._propagate_threads:
            threads.carry_into_threads()
        state, self._entered = recorder.open_capture(self._name, propagates=self._propagate_threads)
        state.unreported = self._unreported
        recorder.declare(guarding.ADAPTER, guarding.SEES)
        try:
            adapters.switch_on()
        except Exception as fault:
            recorder.report_fault("adapters", fault)
        self._live = Live(state)
        self._live.home = self._capture = Capture(self._live, on_doubt=self._on_doubt)
        watching.capture_opened(self._capture)
        return self._capture

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        leaving = events.current_mover()
        try:
            if error is None and not in_event_loop():
                Wait(self._live.state, self._wait, leaving).block()
        finally:
            self._close(error, leaving)
        return self._verdict(error)

    async def __aenter__(self) -> Capture:
        return self.__enter__()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> bool:
        leaving = events.current_mover()
        try:
            if error is None and in_event_loop():
                await Wait(self._live.state, self._wait, leaving).awaited()
        finally:
            self._close(error, leaving)
        return self._verdict(error)

    def _close(self, error: BaseException | None, leaving: events.Mover) -> None:
        state = self._live.state
        state.stopped.update(event for event in list(state.running) if is_stopped(event, leaving))
        self._live.error = error
        if self._capture is not None and (error is not None or self._expecting_failure):
            self._capture.was_read = True  # what leaves the block, or must, tells the test of it without being asked
        recorder.close_capture(state, self._entered)
        adapters.switch_off()
        if self._propagate_threads:
            threads.stop_carrying()

    def _verdict(self, error: BaseException | None) -> bool:
        """Whether the block's error is swallowed; raises what leaving the block itself finds."""
        swallowed = self._expecting_failure and error is not None and self._is_expected(error)
        if error is None or swallowed:
            self._warn()
        if self._expecting_failure and error is None and not any(_failed(one) for one in self._invocations()):
            there = ", ".join(f"{one.name!r} ({one.status})" for one in self._live.built().invocations) or "nothing"
            raise AgentAssertionError(
                f"Expected an invocation to fail in the block, but none did. Recorded: {there}.",
                subject="the capture",
                expected="a failed invocation",
                actual=there,
            )
        return swallowed

    def _is_expected(self, error: BaseException) -> bool:
        if not isinstance(error, Exception) or carries_soft_failures(error):
            return False
        failed = [one.error for one in self._invocations() if _failed(one)]
        if isinstance(error, AssertionError):
            return any(one is error for one in failed)
        return any(is_error_of(error, one) for one in failed)

    def _invocations(self) -> list[Invocation]:
        return [one for top in self._live.built().invocations for one in top.with_nested()]

    def _warn(self) -> None:
        doubts = self._live.health().doubts
        if doubts and self._on_doubt == "warn":
            warnings.warn(CaptureWarning("The recording is in doubt: " + "; ".join(doubts)), stacklevel=3)


def _failed(invocation: Invocation) -> bool:
    return invocation.status in (Status.FAILED, Status.BLOCKED)
