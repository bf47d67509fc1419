"""What adapters call while an agent runs, and where each event belongs.

Each event is appended once to every capture it belongs to, and nothing else happens: the frozen records are built from the events
when somebody reads them (`building.py`). Membership is fixed when a thing starts; its end goes where its start went.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar, Token
from typing import Any, Final, Generic, TypeVar

from agentassert.conversation_events import ConversationEventKind
from agentassert.jsonlike import snapshot
from agentassert.recording.events import (
    ApprovalEvent,
    CaptureState,
    ConversationChange,
    Event,
    InvocationEvent,
    ModelCallEvent,
    RetrievalEvent,
    Scope,
    ToolEvent,
    next_order,
)
from agentassert.records import ChatModelCall, Decision, ModelCall

_E = TypeVar("_E", bound=Event)

_scope: ContextVar[Scope | None] = ContextVar("agentassert_scope", default=None)
_open_call: ContextVar[weakref.ref[ModelCallEvent] | None] = ContextVar("agentassert_open_call", default=None)
_guard = threading.RLock()
"""Reentrant: the garbage collector may come between, and close the capture of a generator that was dropped."""
NOWHERE: Final = Scope((), None)
SILENCE: Final = Scope((), None)
"""The scope of what is no part of any agent's work (a judge's own model calls): none of it is recorded, adopted or counted."""

open_captures: tuple[CaptureState, ...] = ()
resolvers: list[Callable[[], Event | None]] = []
"""Adapters' own ways to tell what the running code is part of, where their framework keeps that in its own context."""


def listening() -> bool:
    """Whether what happens here concerns a capture: one that is open, or one that is over and left this code behind."""
    if open_captures:
        return True
    scope = _scope.get()
    return scope is not None and bool(scope.captures)


def open_capture(name: str | None, *, propagates: bool = True) -> tuple[CaptureState, Scope]:
    """Begin to record what happens in the running context, and in the threads that it starts unless `propagates` is false."""
    scope = _scope.get()
    enclosing = () if scope is None else _still_open(scope.captures)
    state = CaptureState(name, enclosing, propagates=propagates)
    with _guard:
        _replace_open(lambda captures: (*captures, state))
    entered = Scope((*enclosing, state), scope.event if scope is not None and enclosing else None)
    entered.token = _scope.set(entered)
    return state, entered


def close_capture(state: CaptureState, entered: Scope) -> None:
    """End the recording; whatever ends later is not part of it."""
    with _guard:
        state.closed_order = next_order()
        _replace_open(_still_open)
    current = _scope.get()
    if current is None or entered not in (current, *_around(current)):
        # Left in another context than entered (a fixture that another task finalises): nothing there names this scope but a copy.
        if current is not None and state in current.captures:
            _scope.set(Scope(_still_open(current.captures), current.event))
    elif any(capture not in entered.captures for capture in _still_open(current.captures)):
        entered.left = True  # one that was opened later here is still open, and undoes both when it closes
    else:
        _undo(entered)


def _replace_open(change: Callable[[tuple[CaptureState, ...]], tuple[CaptureState, ...]]) -> None:
    """Change which captures are open, for a caller that holds the guard."""
    global open_captures
    while True:
        before = open_captures
        changed = change(before)
        if open_captures is before:  # or the garbage collector has closed one meanwhile, which must not come back
            open_captures = changed
            return


def enter(event: Event) -> Scope:
    """Make `event` what the running code is part of, until :func:`leave`."""
    scope, captures = _scope.get(), event.captures
    if scope is not None and scope.captures is not captures and all(capture in scope.captures for capture in captures):
        captures = scope.captures
    # What no capture holds is only another sight of what lies around it.
    entered = Scope(captures, event if event.captures else event.parent)
    entered.token = _scope.set(entered)
    return entered


def leave(entered: Scope) -> None:
    """Undo :func:`enter`; of two generators that take turns, one may be left while the other is still entered."""
    current = _scope.get()
    if current is not entered:
        entered.left = current is not None and entered in _around(current)
        return
    _undo(entered)


def _undo(entered: Scope) -> None:
    """Go back to what lies around `entered`, and around what was left while something hid it."""
    current: Scope | None = entered
    while current is not None and (current is entered or current.left) and current.token is not None:
        around = current.token.old_value
        try:
            _scope.reset(current.token)
        except (ValueError, RuntimeError):  # a copy of the context that it was entered in, where its token is of no use
            _scope.set(around if isinstance(around, Scope) else None)
        current = _scope.get()


def current_scope() -> Scope | None:
    """What the running code is part of, by our own variable and by what adapters know."""
    scope = _scope.get()
    event = _deepest(None if scope is None else scope.event, None, late=False)
    if scope is None:
        return None if event is None else Scope(event.captures, event)
    return scope if event is scope.event or not scope.captures else Scope(scope.captures, event)


def current_event() -> Event | None:
    """The event that the running code is part of."""
    scope = current_scope()
    return None if scope is None else scope.event


def open_around(kind: type[_E], adapter: str) -> _E | None:
    """The event that the running code is part of, if it is one of this kind that `adapter` has begun and not ended.

    What begins now may be no second one, but how that one is carried out: by a class's own method, which calls the one that it overrides.
    """
    event = current_event()
    return event if isinstance(event, kind) and event.adapter == adapter and event.ended_order is None else None


def is_open(event: Event) -> bool:
    """Whether a capture that holds `event` is still open."""
    return any(capture.closed_order is None for capture in event.held_by)


def listens(event: Event) -> bool:
    """Whether the running code is recorded by just those open captures that hold `event`, so that it can go on with it."""
    scope = current_scope()
    heard_by = open_captures if scope is None else scope.captures
    open_now = set(_still_open(heard_by))
    return open_now == set(_still_open(event.captures)) and bool(open_now)


def set_scope(scope: Scope | None) -> Token[Scope | None]:
    """Carry a scope into another thread, or keep it out of one."""
    return _scope.set(scope)


def restore(token: Token[Any]) -> None:
    """Undo :func:`set_scope`, or the setting of a variable of an adapter's own."""
    try:
        token.var.reset(token)
    except ValueError:
        pass  # what another context set, this one never had


def locate(parent: Event | None, *, counts: bool) -> Scope | None:
    """Where something that starts now belongs, for an adapter that learns only later what it is.

    `counts` says whether it is known to be part of an agent's work, so that a doubt about where it belongs is one.
    """
    return _place(parent, counts=counts)


def start_invocation(
    name: str, *, adapter: str, input: Any = None, parent: Event | None = None, awaited: bool | None = None
) -> InvocationEvent | None:
    """Record that an agent starts. `parent` is what the framework says started it; `None` is returned when no capture listens."""
    place = _place(parent)
    return None if place is None else InvocationEvent(place, adapter, name, input, awaited)


def start_tool(
    name: str,
    arguments: Any,
    *,
    adapter: str,
    parent: Event | None = None,
    call_id: str | None = None,
    inferred: bool = False,
    transport: bool = False,
    completes: bool = False,
) -> ToolEvent | None:
    """Record that a tool starts; `arguments` is a mapping, or JSON text as the provider sent it.

    `transport` says that it is how another tool's work is done, where one is running: then it is no execution of its own. Nor is the
    function behind a framework's tool, which is seen a second time; `completes` asks for an event of it all the same, by which it tells
    what spans without content do not. So does the transport of that very tool, which knows of failures that frameworks take for results.
    """
    place = _place_own(parent)
    if place is None:
        return None
    around = place.event
    if (
        type(around) is ToolEvent
        and around.ended_order is None
        and (transport or (around.name == name and around.adapter != adapter))
    ):
        if around.name != name:
            return None
        if around.arguments is None:
            around.arguments = snapshot(arguments)  # the framework's spans do not tell them
            around.changed()
        return around.seen_within(adapter, arguments) if completes or transport else None
    return ToolEvent(place, adapter, name, arguments, call_id, inferred)


def start_model_call(
    *,
    adapter: str,
    kind: type[ModelCall] = ChatModelCall,
    model: str | None = None,
    inputs: Sequence[Any] = (),
    tools_offered: Sequence[str] | None = None,
    parent: Event | None = None,
    sends: bool = False,
) -> ModelCallEvent | None:
    """Record that a request goes to a model; `inputs` are its messages, or the texts it works on.

    A request by which an outer layer's call is carried out (a framework's, over an SDK) is an attempt at that call, and not recorded
    by itself: what it learns completes the outer call. `sends` says that the adapter is the client's own: what one client sends carries
    out no call of another client, even while a stream of that one is open.
    """
    place = _place_own(parent)
    if place is None:
        return None
    outer = outer_call(place, adapter, kind, sends=sends)
    if outer is None:
        event = ModelCallEvent(place, adapter, kind, model, inputs, tools_offered)
        event.sends = sends
    else:
        event = outer.attempt(adapter, model)
    if outer is None or not sends:  # what lies between a framework and a client is carried out by requests in its turn
        _open_call.set(weakref.ref(event))
    return event


def outer_call(place: Scope, adapter: str, kind: type[ModelCall], *, sends: bool = False) -> ModelCallEvent | None:
    """The other layer's open call that a request made here carries out.

    Nothing resets the variable, which outlives the call in its context (a reader of a stream inherits it) and must not keep it alive:
    a call that has ended, or has its one answer, takes no more requests.
    """
    known = _open_call.get()
    outer = None if known is None else known()
    if type(place.event) is ModelCallEvent and not _descends(outer, place.event):
        outer = place.event  # rather than an attempt at it, which is what goes on now
    while outer is not None and (outer.ended_order is not None or outer.adapter == adapter):
        if not isinstance(outer.parent, ModelCallEvent):
            return None
        outer = outer.parent  # beside an attempt that failed, there may be another at the same call
    if outer is None or outer.kind is not kind or not outer.takes_attempts or (sends and outer.sends):
        return None
    return outer if all(capture in outer.held_by for capture in place.captures) else None


def answering(call: ModelCallEvent) -> None:
    """Tell, in the context in which a model answers `call`, that it does; for a start that was recorded in another context."""
    _open_call.set(weakref.ref(call))


def start_retrieval(*, adapter: str, parent: Event | None = None) -> RetrievalEvent | None:
    """Record that a retriever starts."""
    place = _place_own(parent)
    return None if place is None else RetrievalEvent(place, adapter)


def end_by(event: InvocationEvent | ToolEvent | ModelCallEvent | RetrievalEvent, error: BaseException) -> None:
    """End what an error left: an `Exception` is a failure; what only a `BaseException` says (cancelled, interrupted, closed) is none."""
    if isinstance(event, RetrievalEvent):
        event.fail()
    elif isinstance(error, Exception):
        event.fail(error)
    elif isinstance(event, ModelCallEvent):
        event.stop()
    else:
        event.cancel(error)


def add_approval(
    tool: str,
    arguments: Any,
    *,
    adapter: str,
    decision: Decision = Decision.PENDING,
    reason: str | None = None,
    call_id: str | None = None,
    parent: Event | None = None,
) -> ApprovalEvent | None:
    """Record that a decision is waited for, or was made."""
    place = _place_own(parent)
    return None if place is None else ApprovalEvent(place, adapter, tool, arguments, decision, reason, call_id)


def change_conversation(
    kind: ConversationEventKind,
    name: str,
    *,
    adapter: str,
    value: Any = None,
    step: str | None = None,
    parent: Event | None = None,
) -> ConversationChange | None:
    """Record that a slot is set, or that a flow starts or ends."""
    place = _place_own(parent)
    return None if place is None else ConversationChange(place, adapter, kind, name, value, step)


def withdraw(event: Event) -> None:
    """Take back what turned out not to have happened: a question that was none, a tool that only asked whether it may run."""
    for capture in _still_open(event.captures):
        capture.events.remove(event)
        capture.running.pop(event, None)
        capture.last_order = next_order()
    event.captures = ()


def declare(adapter: str, sees: frozenset[str]) -> None:
    """Tell the open captures what `adapter` is able to see."""
    with _guard:
        for capture in open_captures:
            if adapter not in capture.visibility:
                capture.visibility[adapter] = sees


def lose_sight(adapter: str, *aspects: str) -> None:
    """Tell the open captures that something happens of which `adapter` does not see these aspects: to have seen none says nothing."""
    with _guard:  # or what another thread loses sight of at the same time would count as seen
        for capture in open_captures:
            capture.visibility[adapter] = capture.visibility.get(adapter, frozenset()) - {*aspects}


def report_fault(adapter: str, error: BaseException) -> None:
    """Keep an error of our own hook, which makes the assertions of the captures that it concerns fail."""
    scope = _scope.get()
    for capture in _still_open(scope.captures) if scope is not None and scope.captures else open_captures:
        capture.faults.append((adapter, error))
        if capture.wake is not None:
            capture.wake()


def note(text: str) -> None:
    """Add a doubt, in words, to every open capture."""
    with _guard:  # or two threads that find it missing both add it
        for capture in open_captures:
            if text not in capture.notes:
                capture.notes.append(text)


def _place_own(parent: Event | None) -> Scope | None:
    """Like :func:`_place`, for what cannot happen in an invocation that is over."""
    place = _place(parent)
    if place is not None and place.event is not None:
        owner = place.event.owner
        if owner is not None and owner.ended_order is not None:
            _count("late", tuple(capture for capture in place.captures if capture in owner.captures))
            # A capture that was opened in what such an invocation left behind never saw it, and records all of its own.
            captures = tuple(capture for capture in place.captures if capture not in owner.captures)
            return Scope(captures, place.event) if captures else None
    return place


def _place(parent: Event | None, *, counts: bool = True) -> Scope | None:
    scope = _scope.get()
    if scope is SILENCE:
        return None
    event, captures = (None, ()) if scope is None else (scope.event, scope.captures)
    for capture in captures:
        if capture.closed_order is not None:
            captures = _still_open(captures)
            break
    if resolvers or parent is not None:
        event = _deepest(event, parent, late=not captures)
    if captures:
        return scope if scope is not None and scope.event is event and scope.captures is captures else Scope(captures, event)
    if event is not None:
        captures = _still_open(event.captures)
        if captures:
            return Scope(captures, event)
    closed = (scope.captures if scope is not None else ()) or (event.captures if event is not None else ())
    if closed:
        if counts:
            _count("late", closed)
        return None
    nest = _nest()
    if counts:
        _count("adopted" if nest else "unattributed", nest or open_captures)
    return Scope(nest, None) if nest else None


def _around(scope: Scope) -> Iterator[Scope]:
    """What was entered before `scope` and is hidden by it."""
    while scope.token is not None and isinstance(scope.token.old_value, Scope):
        scope = scope.token.old_value
        yield scope


def _deepest(event: Event | None, parent: Event | None, *, late: bool) -> Event | None:
    """The most precise of what is known: our own variable, the framework's parent, and what the adapters resolve.

    `late` says whether it may be something that closed captures alone hold, which must not be part of what open ones record.
    """
    if parent is not None and not _descends(event, parent):
        event = parent
    for resolve in resolvers:
        found = resolve()
        if found is not None and (late or is_open(found)) and not _descends(event, found):
            event = found
    return event


def _descends(event: Event | None, ancestor: Event) -> bool:
    while event is not None:
        if event is ancestor:
            return True
        event = event.parent
    return False


def _still_open(captures: tuple[CaptureState, ...]) -> tuple[CaptureState, ...]:
    return tuple(capture for capture in captures if capture.closed_order is None)


def _nest() -> tuple[CaptureState, ...]:
    """All open captures, outermost first, when each lies within the other; else nothing."""
    captures = sorted(open_captures, key=lambda capture: len(capture.enclosing))
    for outer, inner in itertools.pairwise(captures):
        if outer not in inner.enclosing:
            return ()
    return tuple(captures)


def _count(what: str, captures: tuple[CaptureState, ...]) -> None:
    with _guard:
        for capture in captures:
            setattr(capture, what, getattr(capture, what) + 1)


class Links(Generic[_E]):
    """A framework's run ids and the events they stand for.

    The id of a run that ended is remembered for a while, so that what it left behind is known to be late, without keeping its
    capture alive.
    """

    def __init__(self, remembered: int = 10_000) -> None:
        self._running: dict[Any, _E] = {}
        self._ended: dict[Any, weakref.ref[_E]] = {}
        self._order: deque[Any] = deque()
        self._remembered = remembered

    def put(self, run_id: Any, event: _E) -> None:
        """Remember the event of a run that starts."""
        self._running[run_id] = event

    def get(self, run_id: Any) -> _E | None:
        """The event of a run, also of one that ended."""
        event = self._running.get(run_id)
        if event is None:
            ended = self._ended.get(run_id)
            event = None if ended is None else ended()
        return event

    def end(self, run_id: Any) -> _E | None:
        """The event of a run that ends, if it was running."""
        event = self._running.pop(run_id, None)
        if event is not None:
            self._ended[run_id] = weakref.ref(event)
            self._order.append(run_id)
            if len(self._order) > self._remembered:
                self._ended.pop(self._order.popleft(), None)
        return event
