"""Spans that tell of work which another span tells of already: two instrumentations at once, a client and its server.

A span within another one of the same work completes it. Spans side by side are of the same work when libraries that know nothing of
each other wrote them, at the same time, and with the same id or the same answer.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Hashable
from typing import Final

from agentassert import recorder
from agentassert.recording.events import Event, InvocationEvent, ModelCallEvent, ToolEvent
from agentassert.telemetry.agents import name_of
from agentassert.telemetry.calls import CallFacts
from agentassert.telemetry.endings import KINDS, complete, correct
from agentassert.telemetry.frameworks import writer_of
from agentassert.telemetry.nodes import Facts, Node, Seen
from agentassert.telemetry.roles import Role
from agentassert.telemetry.tools import ToolFacts

_LOOKED_AT: Final = 64
"""Spans of another library that may be the same: it wrote its own at nearly the same moment."""


class Twins:
    """What was recorded, by what would tell a second span of it.

    Args:
        remembered: how many keys are kept; `None` for all.
    """

    def __init__(self, remembered: int | None) -> None:
        self._running: dict[Event, Node] = {}
        self._seen: dict[Hashable, dict[str, list[Seen]]] = {}
        self._order: deque[Hashable] = deque()
        self._remembered = remembered

    def within(self, node: Node) -> Event | None:
        """What the span lies directly within, if it tells of the same work."""
        around = node.place.event
        if around is None or around.ended_order is not None or not self._is_same(node, around):
            return None
        outer = self._running.get(around)
        if outer is not None and (node.parent is None or node.parent.same_as is not around):
            outer.repeats += 1
        return around

    def beside(self, node: Node) -> Event | None:
        """The event of another library's span of the same work, when all is known of this one."""
        me = writer_of(node.span)
        for key in _keys(node):
            others = [seen for writer, seen in self._seen.get(key, {}).items() if writer != me]
            latest = (one for seen in others for one in itertools.islice(reversed(seen), _LOOKED_AT))
            found = [one for one in latest if one.may_be(node.span, me) and _agree(one.event(), node)]
            if found:
                nearest = min(found, key=lambda one: abs(one.start_ns - node.span.start_ns))
                nearest.told_again_by.add(me)
                return nearest.event()
        return None

    def remember(self, node: Node) -> None:
        """Note that an event stands for a span that runs."""
        if node.event is not None:
            self._running[node.event] = node

    def register(self, node: Node) -> None:
        """Note what would tell a second span of the same work, when all is known of this one."""
        if node.event is None:
            return
        node.seen = Seen(weakref.ref(node.event), node.span.start_ns, node.span.end_ns)
        for key in _keys(node):
            self._seen.setdefault(key, {}).setdefault(writer_of(node.span), []).append(node.seen)
            self._order.append(key)
        while self._remembered is not None and len(self._order) > self._remembered:
            self._seen.pop(self._order.popleft(), None)

    def end(self, node: Node) -> None:
        """Complete an event that is over by what was told of it meanwhile; of a second span, pass on what it tells."""
        event = node.event
        if node.seen is not None:
            node.seen.end_ns = node.span.end_ns
        if event is not None:
            self._running.pop(event, None)
            if isinstance(event, ModelCallEvent):
                event.attempts = max(1, node.repeats)
            for learnt in node.learnt:
                complete(event, learnt)
            if node.learnt:
                correct(event, node.learnt[-1])
        elif node.same_as is not None and node.facts is not None:
            outer = self._running.get(node.same_as)
            if outer is None:
                complete(node.same_as, node.facts)
                correct(node.same_as, node.facts)
            else:
                outer.learnt.append(node.facts)

    def drop(self, event: Event) -> None:
        """Take back the event of a span that turned out to tell of what is recorded already."""
        self._running.pop(event, None)
        recorder.withdraw(event)

    def absorb(self, node: Node) -> None:
        """Take back what was recorded below a span that turned out to tell of the same."""
        event, facts = node.event, node.facts
        for inner in [one for one in node.below if one.parent is event]:
            told: Facts
            if isinstance(event, ModelCallEvent) and isinstance(inner, ModelCallEvent) and inner.kind is event.kind:
                told = _facts_of_call(inner)
            elif isinstance(facts, ToolFacts) and isinstance(inner, ToolEvent) and facts.may_be(_facts_of_tool(inner)):
                told = _facts_of_tool(inner)
            else:
                continue
            node.learnt.append(told)
            node.repeats += 1
            self.drop(inner)

    def _is_same(self, node: Node, around: Event) -> bool:
        outer = self._running.get(around)
        if isinstance(around, ToolEvent) and isinstance(node.facts, ToolFacts):
            return node.facts.may_be(_facts_of_tool(around)) if outer is not None else node.facts.name == around.name
        if isinstance(around, ModelCallEvent):
            return KINDS.get(node.role) is around.kind and outer is not None
        if isinstance(around, InvocationEvent) and node.role is Role.AGENT and outer is not None:
            return writer_of(outer.span) != writer_of(node.span) and around.name == name_of(node.span)
        return False


def _keys(node: Node) -> list[Hashable]:
    facts = node.facts
    if node.role is Role.AGENT:
        around = node.place.event
        return [("agent", name_of(node.span), None if around is None else around.order)]
    if isinstance(facts, ToolFacts):
        ids: list[Hashable] = [("call", facts.call_id, facts.name)] if facts.call_id else []
        return ids if facts.arguments is None else [*ids, ("tool", facts.name, facts.arguments_key)]
    if facts is None:
        return []
    keys: list[Hashable] = [("response", facts.response_id)] if facts.response_id else []
    return [*keys, ("answer", facts.answer)] if facts.answer else keys


def _agree(event: Event | None, node: Node) -> bool:
    """Whether an event may be what a span tells of; equal keys alone do not say so for a tool, nor for what an earlier capture left open."""
    if event is None or any(capture not in event.held_by for capture in node.place.captures):
        return False
    return not isinstance(event, ToolEvent) or (isinstance(node.facts, ToolFacts) and node.facts.may_be(_facts_of_tool(event)))


def _facts_of_tool(event: ToolEvent) -> ToolFacts:
    return ToolFacts(event.name, event.call_id, event.arguments, event.raw_result, event.raw_result is not None, event.error)


def _facts_of_call(event: ModelCallEvent) -> CallFacts:
    return CallFacts(
        model=event.model,
        inputs=event.inputs,
        tools_offered=event.tools_offered,
        text=event.text,
        requests=event.requests,
        finish_reason=event.raw_finish_reason,
        usage=event.usage,
    )
