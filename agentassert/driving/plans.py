"""One run, from the arguments of `run()` to what came of it."""

from __future__ import annotations

import contextlib
import inspect
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import attrs

from agentassert import recorder
from agentassert.adapters.driver import Answer, PendingApproval
from agentassert.captures import Capture
from agentassert.capturing import capture
from agentassert.doubles import active
from agentassert.doubles.sets import Doubles
from agentassert.driving import looping, mocking
from agentassert.driving.approving import Decisions
from agentassert.driving.callables import CallableAgent, drained
from agentassert.driving.driven import Driven
from agentassert.driving.payloads import Payload, decoded
from agentassert.driving.targets import FrameworkAgent, Target, target_of
from agentassert.driving.workers import InThread
from agentassert.errors import is_error_of
from agentassert.jsonlike import snapshot
from agentassert.recording import events
from agentassert.recording.asking import ApprovalAnswer
from agentassert.recording.guarding import suspends
from agentassert.records import Decision


@attrs.frozen
class Plan:
    """What is to be run, and how. Made by :meth:`of`; carried out once.

    Args:
        target: what is run.
        payload: what it is given.
        decisions: what is decided where it waits for a person.
        doubles: what stands in for tools, if something does.
        timeout_s: seconds that it may take.
        name: the name of the capture.
    """

    target: Target
    payload: Payload
    decisions: Decisions
    doubles: Doubles | None
    timeout_s: float | None
    name: str | None

    @classmethod
    def of(
        cls, agent: Any, payload: Any, *, approvals: Iterable[Any], context: Any, mocks: Any, timeout_s: Any, name: str | None
    ) -> Self:
        """The plan for these arguments, of which each is checked.

        Raises:
            TypeError, ValueError: naming the argument that is wrong.
        """
        _check(context, timeout_s)
        target = target_of(agent, name)
        doubles = None if mocks is None else Doubles(mocks, context)
        if doubles is not None:
            mocking.refuse_unknown(doubles, target.tools_in_reach)
        return cls(target, decoded(payload), Decisions(approvals, context), doubles, timeout_s, name)

    def carry_out(self) -> Driven:
        """Run it in this thread, or beside it where it may take too long."""
        if isinstance(self.target, FrameworkAgent) or self.target.agent.is_async:
            return looping.run_here(self.carry_out_async())
        with capture(self.name) as cap, self._standing_in():
            state = _innermost_capture()
            with _recorded(cap):
                self._call(self.target.agent, state)
        return self._driven(cap)

    async def carry_out_async(self) -> Driven:
        """Run it in the running event loop; a function in a thread of its own."""
        async with capture(self.name) as cap:
            with self._standing_in():
                state = _innermost_capture()
                with _recorded(cap):
                    if isinstance(self.target, FrameworkAgent):
                        await self._within_time(self._go_on(self.target, state), state)
                    elif self.target.agent.is_async:
                        await self._within_time(drained(self.target.agent.call(self.payload)), state)
                    else:
                        await self._call_aside(self.target.agent, state)
        return self._driven(cap)

    def _call(self, agent: CallableAgent, state: events.CaptureState) -> None:
        def work() -> None:
            result = drained(agent.call(self.payload))
            if inspect.isawaitable(result):
                looping.run_here(looping.await_result(result))

        if self.timeout_s is None:
            work()
            return
        thread = InThread(work)
        if thread.wait(self.timeout_s):
            thread.result()
        else:
            self._time_out(state)
            self._refuse_unrecorded(state)

    async def _call_aside(self, agent: CallableAgent, state: events.CaptureState) -> None:
        thread = InThread(lambda: drained(agent.call(self.payload)))
        if not await thread.awaited(self.timeout_s):
            self._time_out(state)
            self._refuse_unrecorded(state)
            return
        result = thread.result()
        if inspect.isawaitable(result):
            await self._within_time(looping.await_result(result), state)

    async def _go_on(self, target: FrameworkAgent, state: events.CaptureState) -> None:
        pause = await target.driver.start(target.agent, self.payload, name=self.name)
        while pause is not None and pause.pending:
            answers = [self.decisions.answer(one) for one in pause.pending]
            decided = [one for one in answers if one is not None]
            if len(decided) < len(answers):
                return
            since = events.next_order()
            try:
                pause = await target.driver.resume(target.agent, pause, decided)
            finally:
                _expire(state, since, decided)

    async def _within_time(self, work: Any, state: events.CaptureState) -> None:
        if not await looping.within(self.timeout_s, work, lambda: self._time_out(state)):
            self._refuse_unrecorded(state)

    def _time_out(self, state: events.CaptureState) -> None:
        """Have what runs fail by its time, before it is cancelled, which would be no failure."""
        running = [one for one in list(state.running) if isinstance(one, events.InvocationEvent)]
        for event in reversed(running):
            if event.parent is None or state not in event.parent.captures:
                event.fail(self._timed_out())
            else:
                event.cancel()

    def _refuse_unrecorded(self, state: events.CaptureState) -> None:
        """Raise that the time was up where no invocation says so."""
        if not any(isinstance(one, events.InvocationEvent) for one in list(state.events)):
            raise self._timed_out()

    def _timed_out(self) -> TimeoutError:
        return TimeoutError(f"the run timed out after {self.timeout_s:g} s")

    @contextmanager
    def _standing_in(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            stack.enter_context(active.answering(self._answer))
            if self.doubles is not None:
                mocking.install(self.target)
                stack.enter_context(active.using(self.doubles))
            yield

    def _answer(self, tool: str, arguments: Mapping[str, Any]) -> ApprovalAnswer | None:
        answer = self.decisions.answer(PendingApproval(tool, arguments))
        return None if answer is None else ApprovalAnswer(answer.decision, answer.reason, answer.response)

    def _driven(self, cap: Capture) -> Driven:
        tools = self.target.tools_in_reach
        problems = () if self.doubles is None else mocking.problems_in(cap, self.doubles, tools)
        return Driven(cap, self.decisions.unmatched, self.decisions.unused, problems)


def _check(context: Any, timeout_s: Any) -> None:
    if context is not None and not isinstance(context, Mapping):
        raise TypeError(f"context must be a mapping, but was {context!r}")
    if timeout_s is None:
        return
    if isinstance(timeout_s, bool) or not isinstance(timeout_s, (int, float)):
        raise TypeError(f"timeout_s must be a number of seconds, but was {timeout_s!r}")
    if not 0 < timeout_s <= threading.TIMEOUT_MAX:
        raise ValueError(f"timeout_s must be more than 0 seconds and finite, or None for no limit, but was {timeout_s!r}")


def _innermost_capture() -> events.CaptureState:
    return (recorder.current_scope() or recorder.NOWHERE).captures[-1]


@contextmanager
def _recorded(cap: Capture) -> Iterator[None]:
    """Let no error out that an invocation of the capture failed with."""
    try:
        yield
    except BaseException as error:
        if not suspends(error) and not (isinstance(error, Exception) and _is_recorded(cap, error)):
            raise


def _is_recorded(cap: Capture, error: Exception) -> bool:
    """Whether an invocation failed with it, or one of the two was raised from the other."""
    found = (one.error for top in cap.invocations for one in top.with_nested())
    return any(is_error_of(error, one) or (isinstance(one, BaseException) and is_error_of(one, error)) for one in found)


def _expire(state: events.CaptureState, since: int, answers: Iterable[Answer]) -> None:
    """Tell timeouts from rejections, which they are to the framework and so to its adapter."""
    added = [one for one in list(state.events) if isinstance(one, events.ApprovalEvent) and one.order > since]
    rejected = [one for one in added if one.decision is Decision.REJECT]
    for answer in answers:
        event = next((one for one in rejected if not answer.approves and _is_about(one, answer.pending)), None)
        if event is not None:
            rejected.remove(event)
            if answer.decision is Decision.TIMEOUT:
                event.expire()


def _is_about(event: events.ApprovalEvent, pending: PendingApproval) -> bool:
    if event.call_id is not None and pending.call_id is not None:
        return event.call_id == pending.call_id
    return (event.tool, event.arguments) == (pending.tool, snapshot(pending.arguments))
