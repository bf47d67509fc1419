"""What the translator keeps of each span that it was told about."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Iterator
from typing import TypeAlias

import attrs

from agentassert.recording.events import Event, InvocationEvent, Scope
from agentassert.telemetry.calls import CallFacts
from agentassert.telemetry.roles import Role
from agentassert.telemetry.spans import Span
from agentassert.telemetry.tools import ToolFacts

Key: TypeAlias = tuple[str, str]
Facts: TypeAlias = ToolFacts | CallFacts


@attrs.define(eq=False)
class Seen:
    """When something was recorded, and by which libraries' spans it was told of again; without the span, which may be large."""

    event: weakref.ref[Event]
    start_ns: int
    end_ns: int | None
    told_again_by: set[str] = attrs.Factory(set)

    def may_be(self, span: Span, writer: str) -> bool:
        """Whether a span of another library may tell of the same: it was at the same time, and none was found for it yet."""
        began_before_this_ended = self.end_ns is None or span.start_ns <= self.end_ns
        ended_after_this_began = span.end_ns is None or self.start_ns <= span.end_ns
        return began_before_this_ended and ended_after_this_began and writer not in self.told_again_by


@attrs.define(eq=False)
class Node:
    """A span and what it became.

    Args:
        span: the span.
        place: where it started.
        order: its place in the recorder's sequence; `at`: the recorder's clock then.
        parent: the node of the span around it, while that runs.
        event: what it became.
        same_as: the event of another span of the same work.
        facts: what it tells of a tool or a model call, as far as it does.
        seen: what a second span of the same work is found by.
        is_waiting: whether it does not tell yet what it is; `below`: what was recorded in it meanwhile.
        learnt: what other spans of the same work have told; `repeats`: how many of them are directly within it.
        above: where to look for the nearest span around it that does not tell yet what it is.
    """

    span: Span
    place: Scope
    order: int
    at: float
    parent: Node | None = None
    role: Role = Role.NOTHING
    event: Event | None = None
    same_as: Event | None = None
    facts: Facts | None = None
    seen: Seen | None = None
    is_waiting: bool = False
    below: list[Event] = attrs.Factory(list)
    learnt: list[Facts] = attrs.Factory(list)
    repeats: int = 0
    above: Node | None = None

    def __attrs_post_init__(self) -> None:
        parent = self.parent
        self.above = None if parent is None else parent if parent.is_waiting else parent.above

    @property
    def inside(self) -> Event | None:
        """What a piece of work is part of that starts in it."""
        return self.event or self.same_as or self.place.event

    @property
    def waiting(self) -> Node | None:
        """The nearest span around it that does not tell yet what it is."""
        above = self.above
        while above is not None and not above.is_waiting:
            above = above.above
        self.above = above
        return above

    def hold(self, event: Event) -> None:
        """Note what was recorded in it for the nearest span around it that may turn out to be what that is part of."""
        above = self.waiting
        if above is not None:
            above.below.append(event)

    def take_in(self, event: Event) -> None:
        """Give what a library recorded that knows nothing of the work around it the place of this span of the same."""
        around = self.place.event
        if event.parent is not None or isinstance(event, InvocationEvent) or _lies_in(around, event):
            return
        if around is not None or self.waiting is not None:
            event.parent = around
            event.owner = None if around is None else around.owner
            event.changed()
            self.hold(event)

    def hand_up(self) -> None:
        """Leave what was recorded below to the next such span."""
        above = self.waiting
        if above is not None and self.below:
            less, more = sorted((above.below, self.below), key=len)
            more.extend(less)
            above.below = more

    def adopt(self, event: Event) -> Iterator[Event]:
        """Place what was recorded below under the event that it has become; gives what belongs to another run now."""
        outside, owner = self.place.event, event.owner
        old = None if outside is None else outside.owner
        for one in self.below:
            if one.parent is outside and not _lies_in(event, one):
                one.parent = event
            if one.owner is old and owner is not old:
                one.owner = owner
                yield one

    def directly_below(self) -> Iterator[Event]:
        """What was recorded below with nothing between."""
        return (one for one in self.below if one.parent is self.place.event and one.captures)


def _lies_in(inner: Event | None, outer: Event) -> bool:
    while inner is not None and inner is not outer:
        inner = inner.parent
    return inner is outer


class Nodes:
    """The nodes by their spans' keys, and the events of those that are over, as long as anybody else keeps them.

    Args:
        remembered: how many of these are kept; `None` for all.
    """

    def __init__(self, remembered: int | None) -> None:
        self._running: dict[Key, Node] = {}
        self._over: dict[Key, weakref.ref[Event] | None] = {}
        self._order: deque[Key] = deque()
        self._remembered = remembered

    def __contains__(self, key: Key) -> bool:
        return key in self._running or key in self._over

    def put(self, node: Node) -> None:
        """Remember a span that started."""
        self._running[node.span.key] = node

    def get(self, key: Key | None) -> Node | None:
        """The node of a span that runs."""
        return None if key is None else self._running.get(key)

    def running(self) -> list[Node]:
        """Those that have not ended, in the order started."""
        return list(self._running.values())

    def inside(self, key: Key | None) -> Event | None:
        """What a piece of work is part of that starts inside a span."""
        node = self.get(key)
        if node is not None:
            return node.inside
        kept = None if key is None else self._over.get(key)
        return None if kept is None else kept()

    def end(self, node: Node) -> None:
        """Forget a span that is over, but for what it became."""
        key = node.span.key
        event = node.inside
        self._running.pop(key, None)
        self._over[key] = None if event is None else weakref.ref(event)
        self._order.append(key)
        if self._remembered is not None and len(self._order) > self._remembered:
            self._over.pop(self._order.popleft(), None)
