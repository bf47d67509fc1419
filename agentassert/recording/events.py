"""What the recorder keeps while an agent runs: light mutable events, and the captures they are appended to."""

from __future__ import annotations

import itertools
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import Token
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import attrs

from agentassert.conversation_events import ConversationEventKind
from agentassert.jsonlike import flat_copy, snapshot
from agentassert.records import NOT_RECORDED, ChatModelCall, Decision, ModelCall, Outcome, Source, Status
from agentassert.token_usage import TokenUsage

if TYPE_CHECKING:
    from agentassert.recording.exchanges import Exchange

if hasattr(time, "clock_gettime"):

    def _monotonic() -> Callable[[], float]:
        # Libraries that freeze time replace `time.monotonic` and `time.perf_counter`, but leave this clock alone.
        import functools

        return functools.partial(time.clock_gettime, time.CLOCK_MONOTONIC)
else:

    def _monotonic() -> Callable[[], float]:
        return time.perf_counter


class _Clock:
    """Holds the clock where libraries that freeze time, which replace module attributes, do not find it."""

    now: Final = staticmethod(_monotonic())


clock = _Clock.now
next_order: Callable[[], int] = itertools.count(1).__next__

Mover: TypeAlias = tuple[int, Any]
ELSEWHERE: Final[Mover] = (0, None)
"""Stands for a thread that nobody knows; what it moves on is waited for."""


def current_mover() -> Mover:
    """The thread, and the asyncio task in it, that runs now."""
    asyncio = sys.modules.get("asyncio")
    task = None
    if asyncio is not None:
        try:
            task = asyncio.current_task()
        except (RuntimeError, AttributeError):
            task = None
    return threading.get_ident(), task


class CaptureState:
    """The events of one open or closed capture, and what is doubtful about them."""

    __slots__ = (
        "__weakref__",
        "adopted",
        "closed_order",
        "enclosing",
        "events",
        "faults",
        "last_order",
        "late",
        "name",
        "notes",
        "opened_clock",
        "opened_order",
        "opened_wall",
        "propagates",
        "running",
        "stopped",
        "unattributed",
        "unreported",
        "visibility",
        "wake",
    )

    def __init__(self, name: str | None, enclosing: tuple[CaptureState, ...], *, propagates: bool = True) -> None:
        self.name = name
        self.propagates = propagates
        self.enclosing = enclosing
        self.events: list[Event] = []
        self.running: dict[Event, None] = {}
        self.stopped: set[Event] = set()
        self.wake: Callable[[], None] | None = None
        self.unreported = Outcome.UNKNOWN
        """What a tool's result stands for whose sender does not say whether it means success."""
        self.visibility: dict[str, frozenset[str]] = {}
        self.faults: list[tuple[str, BaseException]] = []
        self.notes: list[str] = []
        self.late = self.adopted = self.unattributed = 0
        self.opened_wall, self.opened_clock = time.time(), clock()
        self.opened_order = self.last_order = next_order()
        self.closed_order: int | None = None

    def stop_running(self, event: Event) -> None:
        """Note that nobody need wait for `event` any more."""
        self.running.pop(event, None)
        if self.wake is not None:
            self.wake()


class Scope:
    """Where the running code stands: the captures that listen, and the event it is part of."""

    __slots__ = ("captures", "event", "left", "token")

    def __init__(self, captures: tuple[CaptureState, ...], event: Event | None) -> None:
        self.captures = captures
        self.event = event
        self.token: Token[Scope | None] | None = None
        """What undoes entering it, where that is undone by its own."""
        self.left = False
        """Whether it was left while another one hid it."""


class Event:
    """Something that started, and may have ended."""

    __slots__ = ("__weakref__", "adapter", "captures", "ended", "ended_order", "mover", "order", "owner", "parent", "started")

    parent: Event | None
    owner: InvocationEvent | None

    def __init__(self, place: Scope, adapter: str) -> None:
        self.captures = place.captures
        self.parent = parent = place.event
        self.owner = None if parent is None else parent.owner
        self.adapter = adapter
        self.mover: Mover | None = ELSEWHERE
        self.ended: float | None = None
        self.ended_order: int | None = None
        self.started = clock()
        self.order = next_order()

    def advanced(self) -> None:
        """Note that the running thread or task moved this on (a stream that is read)."""
        if self.ended_order is None:
            self.mover = current_mover()

    def not_advanced(self) -> None:
        """Note that nobody has moved this on yet (a stream that was created and not read)."""
        self.mover = None

    @property
    def held_by(self) -> tuple[CaptureState, ...]:
        """The captures whose records it is part of."""
        return self.captures

    def changed(self) -> None:
        """Tell the captures that records made of it before are out of date."""
        order = next_order()
        for capture in self.held_by:
            capture.last_order = order

    def _begin(self) -> None:
        owner = self.owner
        for capture in self.captures:
            capture.events.append(self)
            if owner is None or owner is self or capture not in owner.captures:
                capture.running[self] = None
            capture.last_order = self.order

    def _end(self) -> None:
        self.ended = clock()
        self.ended_order = order = next_order()
        for capture in self.captures:
            capture.last_order = order
            if self in capture.running:
                capture.stop_running(self)


class Transition(NamedTuple):
    """A change of an invocation's status; the status is `None` where it goes on after a suspension."""

    order: int
    at: float
    status: Status | None
    output: Any = None
    text: str | None = None
    error: BaseException | str | None = None


class InvocationEvent(Event):
    """A run of an agent. It may be suspended for an approval and resumed, any number of times."""

    __slots__ = ("awaited", "history", "input", "name")

    def __init__(self, place: Scope, adapter: str, name: str, input: Any, awaited: bool | None) -> None:
        super().__init__(place, adapter)
        self.owner = self
        self.name = name
        self.input = snapshot(input)
        self.awaited = awaited
        self.mover = current_mover()
        self.history: list[Transition] = []
        self._begin()

    def complete(self, output: Any = None, text: str | None = None) -> None:
        """End it with what it produced, or `NOT_RECORDED`; `text` is the final text where the framework wraps it in something larger."""
        self._close(Status.COMPLETED, output, text, None)

    def fail(self, error: BaseException | str, output: Any = None) -> None:
        """End it with the error that ended it."""
        self._close(Status.FAILED, output, None, error)

    def cancel(self, error: BaseException | None = None, output: Any = None) -> None:
        """End it as cancelled: its task was, or its stream was closed or abandoned."""
        self._close(Status.CANCELLED, output, None, error)

    def block(self, error: BaseException | str | None = None, output: Any = None) -> None:
        """End it as stopped by a guardrail."""
        self._close(Status.BLOCKED, output, None, error)

    def suspend(self, output: Any = None, text: str | None = None) -> None:
        """Mark it as waiting for a human decision, which is no end."""
        if self.ended_order is None:
            self._change(Transition(next_order(), clock(), Status.AWAITING_APPROVAL, snapshot(output), text))
            for capture in self.captures:
                capture.stop_running(self)

    def resume(self) -> None:
        """Go on after :meth:`suspend`."""
        if self.ended_order is None:
            self.advanced()
            for capture in self.captures:
                capture.running[self] = None
            self._change(Transition(next_order(), clock(), None))

    def leave_to_others(self) -> None:
        """Note that nothing more of it will be seen: it is scheduled for later, or runs in another process."""
        for capture in self.captures:
            capture.stop_running(self)

    def _close(self, status: Status, output: Any, text: str | None, error: BaseException | str | None) -> None:
        if self.ended_order is None:
            kept = output if output is NOT_RECORDED else snapshot(output)
            self._change(Transition(next_order(), clock(), status, kept, text, error))
            self._end()
            self.mover = None  # it holds the task, with its frames

    def _change(self, transition: Transition) -> None:
        self.history.append(transition)
        for capture in self.captures:
            capture.last_order = transition.order


_SUCCEEDED: Final = Outcome.SUCCEEDED  # looked up once: a member of an enum costs more than the rest of the line
_UNFINISHED: Final = Outcome.UNFINISHED


class ToolEvent(Event):
    """A tool that runs."""

    __slots__ = ("arguments", "cached", "call_id", "error", "inferred", "inner", "name", "outcome", "raw_result", "result")

    def __init__(self, place: Scope, adapter: str, name: str, arguments: Any, call_id: str | None, inferred: bool) -> None:
        Event.__init__(self, place, adapter)  # not by `super()`, which tools are too many for
        self.name = name
        self.arguments = snapshot(arguments)
        self.call_id = call_id
        self.inferred = inferred
        self.cached = False
        self.outcome = _UNFINISHED
        self.result: Any = None
        self.raw_result: Any = None
        self.error: BaseException | str | None = None
        self.inner: ToolEvent | None = None
        self._begin()

    def seen_within(self, adapter: str, arguments: Any) -> ToolEvent:
        """The function behind it, which may know more of it than who recorded it; no capture holds that."""
        self.inner = ToolEvent(Scope((), self), adapter, self.name, arguments, None, inferred=False)
        return self.inner

    def succeed(self, result: Any, raw_result: Any = None, *, cached: bool = False) -> None:
        """End it with its result; `raw_result` is the object itself where the framework wraps it."""
        if self.ended_order is None:
            self.cached = cached
            self.outcome = _SUCCEEDED
            if raw_result is None and type(result) is dict and (kept := flat_copy(result)) is not None:
                self.result = self.raw_result = kept  # nothing is lost in the copy, and the agent's own is not kept alive
            else:
                self.result = snapshot(result)
                self.raw_result = result if raw_result is None else raw_result
            self._end()

    def fail(self, error: BaseException | str, result: Any = None) -> None:
        """End it with the error; `result` is what the model is told instead, where there is such a text."""
        self._close(Outcome.FAILED, result, error)

    def cancel(self, error: BaseException | None = None) -> None:
        """End it as cancelled, which is no failure."""
        self._close(Outcome.CANCELLED, None, error)

    def end_unknown(self, result: Any) -> None:
        """End it with a result of which nobody says whether it means success."""
        self._close(Outcome.UNKNOWN, result, None)

    def _close(self, outcome: Outcome, result: Any, error: BaseException | str | None) -> None:
        if self.ended_order is None:
            self.outcome = outcome
            self.result = snapshot(result)
            self.raw_result = result
            self.error = error
            self._end()


class ModelCallEvent(Event):
    """A request to a model."""

    __slots__ = (
        "attempts",
        "attempts_seen",
        "cached",
        "error",
        "exchange",
        "inputs",
        "kind",
        "model",
        "raw_finish_reason",
        "requests",
        "responded",
        "sends",
        "text",
        "tools_offered",
        "usage",
    )

    def __init__(
        self,
        place: Scope,
        adapter: str,
        kind: type[ModelCall],
        model: str | None,
        inputs: Sequence[Any],
        tools_offered: Sequence[str] | None,
    ) -> None:
        super().__init__(place, adapter)
        self.kind = kind
        self.model = model
        self.inputs: list[Any] = snapshot(list(inputs))
        self.tools_offered = None if tools_offered is None else tuple(tools_offered)
        self.responded = False
        self.text: str | None = None
        self.requests: list[Mapping[str, Any]] = []
        self.raw_finish_reason: str | None = None
        self.usage: TokenUsage | None = None
        self.error: BaseException | str | None = None
        self.attempts = 1
        self.attempts_seen: list[ModelCallEvent] = []
        self.sends = False
        self.exchange: Exchange | None = None
        self.cached = False
        self._begin()

    @property
    def takes_attempts(self) -> bool:
        """Whether a request of an inner layer can still be what carries this call out."""
        if self.ended_order is not None:
            return False
        return self.kind is not ChatModelCall or not any(one.error is None for one in self.attempts_seen)

    def attempt(self, adapter: str, model: str | None) -> ModelCallEvent:
        """A request of an inner layer that carries this call out; no capture holds it."""
        attempt = ModelCallEvent(Scope((), self), adapter, self.kind, model, (), None)
        self.attempts_seen.append(attempt)
        return attempt

    @property
    def on_the_wire(self) -> ModelCallEvent:
        """The attempt that was answered, which knows best what the provider said; this call itself where none was seen."""
        answered = next((one for one in reversed(self.attempts_seen) if one.responded), None)
        return self if answered is None else answered.on_the_wire

    @property
    def attempts_made(self) -> int:
        """How often the provider was asked, as far as anybody saw."""
        return max(self.attempts, sum(one.attempts_made for one in self.attempts_seen))

    @property
    def held_by(self) -> tuple[CaptureState, ...]:
        """Those that hold it; of an attempt, those that hold the call that it carries out."""
        return self.parent.held_by if isinstance(self.parent, ModelCallEvent) and not self.captures else self.captures

    def _end(self) -> None:
        super()._end()
        if not self.captures:
            self.changed()

    def respond(
        self,
        *,
        text: str | None = None,
        finish_reason: str | None = None,
        usage: TokenUsage | None = None,
        requests: Sequence[Mapping[str, Any]] = (),
        cached: bool = False,
    ) -> None:
        """End it with the response; `requests` are mappings with `name`, `arguments` and `call_id`."""
        if self.ended_order is None:
            self.responded = True
            self.text = text
            self.raw_finish_reason = finish_reason
            self.usage = usage
            self.requests = [snapshot(request) for request in requests]
            self.cached = cached
            self._end()

    def fail(self, error: BaseException | str) -> None:
        """End it with the error."""
        if self.ended_order is None:
            self.error = error
            self._end()

    def report(self, usage: TokenUsage) -> None:
        """Tell the token usage, where a provider does so after the end of its answer."""
        self.usage = usage
        self.changed()

    def stop(self, text: str | None = None) -> None:
        """End it without an answer: it was cancelled, or its stream was left; `text` is what had arrived by then."""
        if self.ended_order is None:
            self.text = text
            self._end()


class RetrievalEvent(Event):
    """A retriever that runs; model calls below it are not the agent's own."""

    __slots__ = ("sources",)

    def __init__(self, place: Scope, adapter: str) -> None:
        super().__init__(place, adapter)
        self.sources: tuple[Source, ...] | None = None
        self._begin()

    def retrieve(self, sources: Sequence[Source]) -> None:
        """End it with what it found."""
        if self.ended_order is None:
            self.sources = tuple(attrs.evolve(source, metadata=snapshot(source.metadata)) for source in sources)
            self._end()

    def fail(self) -> None:
        """End it without an answer."""
        if self.ended_order is None:
            self._end()


class ApprovalEvent(Event):
    """A decision about a tool execution: one that is waited for, or one that was made."""

    __slots__ = ("arguments", "call_id", "decision", "reason", "tool")

    def __init__(
        self, place: Scope, adapter: str, tool: str, arguments: Any, decision: Decision, reason: str | None, call_id: str | None
    ) -> None:
        super().__init__(place, adapter)
        self.tool = tool
        self.arguments = snapshot(arguments)
        self.decision = decision
        self.reason = reason
        self.call_id = call_id
        self._begin()
        self._end()

    def expire(self) -> None:
        """Make a timeout of a rejection, by which a timeout was simulated."""
        self.decision = Decision.TIMEOUT
        self.changed()


class ConversationChange(Event):
    """A slot that is set, or a flow that starts or ends."""

    __slots__ = ("kind", "name", "step", "value")

    def __init__(self, place: Scope, adapter: str, kind: ConversationEventKind, name: str, value: Any, step: str | None) -> None:
        super().__init__(place, adapter)
        self.kind = kind
        self.name = name
        self.value = snapshot(value)
        self.step = step
        self._begin()
        self._end()
