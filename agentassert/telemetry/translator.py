"""Spans become the recorder's events: each when it starts if it tells by then what it is, else when it ends."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

import attrs

from agentassert import recorder
from agentassert.recording.events import (
    Event,
    InvocationEvent,
    ModelCallEvent,
    RetrievalEvent,
    Scope,
    ToolEvent,
    clock,
    next_order,
)
from agentassert.telemetry.agents import input_of, name_of
from agentassert.telemetry.calls import CallFacts, call_facts, offered
from agentassert.telemetry.endings import KINDS, end_call, end_invocation, end_retrieval, end_tool, timed
from agentassert.telemetry.faults import has_failed
from agentassert.telemetry.frameworks import framework_of, writer_of
from agentassert.telemetry.loops import seen_below
from agentassert.telemetry.nodes import Facts, Node, Nodes
from agentassert.telemetry.retrievals import sources_of
from agentassert.telemetry.roles import Role, role_of
from agentassert.telemetry.sight import Sight
from agentassert.telemetry.spans import Span
from agentassert.telemetry.tools import ToolFacts, tool_facts
from agentassert.telemetry.twins import Twins

_REMEMBERED: Final = 10_000
_UNDECIDED: Final = frozenset({Role.UNKNOWN, Role.WORKFLOW})
_RECORDED: Final = frozenset({Role.AGENT, Role.TOOL, Role.RETRIEVAL, *KINDS})


class Translator:
    """Turns spans into events, one translator for all spans that may tell of the same work.

    Args:
        complete: whether every span comes with all of its attributes when it starts, as one out of a file does.
        now: the clock by which events start and end.

    Example:
        >>> from agentassert.recording.events import CaptureState, Scope
        >>> state = CaptureState(None, ())
        >>> span = Span("1", "2", None, "invoke_agent a", attributes={"gen_ai.operation.name": "invoke_agent"})
        >>> translator = Translator(complete=True)
        >>> event = translator.start(span, Scope((state,), translator.around(span)))
        >>> translator.end(span)
        >>> event.name, event.history[-1].status
        ('a', <Status.COMPLETED: 'completed'>)
    """

    def __init__(self, *, complete: bool = False, now: Callable[[], float] = clock) -> None:
        self._complete = complete
        self._now = now
        self._nodes = Nodes(None if complete else _REMEMBERED)
        self._twins = Twins(None if complete else _REMEMBERED)
        self._sight = Sight()

    def around(self, span: Span) -> Event | None:
        """What the span's parent is part of, as far as this translator knows; the place where `span` starts is made of it."""
        return self._nodes.inside(span.parent_key)

    def start(self, span: Span, place: Scope) -> Event | None:
        """Take a span that starts, in `place`.

        Returns:
            The event that it becomes; `None` when it is nothing, tells of something that is recorded already, or does not tell
            yet what it is.
        """
        if span.key in self._nodes:
            return None  # the same span, exported twice
        node = Node(span, place, next_order(), self._now(), self._nodes.get(span.parent_key))
        self._nodes.put(node)
        node.role = self._role(node)
        node.is_waiting = node.role in _UNDECIDED
        if not node.is_waiting:
            self._become(node, is_known=self._complete)
        return node.event

    def look_again(self, span: Span) -> Event | None:
        """What a piece of work is part of that starts now inside `span`, of which more may be known than when it started."""
        node = self._nodes.get(span.key)
        if node is not None and node.role is Role.UNKNOWN and role_of(span) in _RECORDED:
            node.role, node.is_waiting = self._role(node), False
            self._settle(node, is_known=False)
        return self._nodes.inside(span.key)

    def forget(self, span: Span) -> None:
        """Drop a span that will never end."""
        node = self._nodes.get(span.key)
        if node is not None:
            self._nodes.end(node)

    def end(self, span: Span) -> None:
        """Take a span that has ended: all its attributes are known. One that never started is nothing."""
        node = self._nodes.get(span.key)
        if node is None:
            return
        node.span = span
        if node.is_waiting:
            self._decide(node)
        elif not self._complete:
            node.facts = _facts(node)
            self._reconsider(node)
        self._finish(node)
        self._nodes.end(node)

    def close(self) -> None:
        """Decide about the spans that never ended, innermost first, when no more spans will come."""
        for node in reversed(self._nodes.running()):
            if node.is_waiting:
                self._decide(node)
            self._nodes.end(node)

    def _role(self, node: Node) -> Role:
        role = role_of(node.span)
        if role is Role.CHAIN:
            return Role.WORKFLOW if _is_whole(node) else Role.NOTHING
        return (Role.NOTHING if self._complete else Role.UNKNOWN) if role is None else role

    def _decide(self, node: Node) -> None:
        """What a span is that did not tell when it started, or depends on what was in it."""
        node.is_waiting = False
        role = self._role(node)
        if role is Role.WORKFLOW:
            role = Role.NOTHING if _is_shell(node) else Role.AGENT
        node.role = Role.NOTHING if role is Role.AGENT and _is_other_view(node) else role
        self._settle(node, is_known=True)

    def _settle(self, node: Node, *, is_known: bool) -> None:
        """Let a span be what it did not tell when it started, and what was recorded below it be part of that."""
        self._become(node, is_known=is_known)
        stands_for = node.event or (node.same_as if node.role is Role.AGENT else None)
        if stands_for is not None:
            for one in node.adopt(stands_for):
                if one.adapter != stands_for.adapter:
                    self._sight.pass_on(one, stands_for.adapter)
            stands_for.changed()
            self._twins.absorb(node)
        node.hand_up()

    def _become(self, node: Node, *, is_known: bool) -> None:
        """Make the event that stands for the span, unless it is nothing, or tells of one that is there."""
        if node.role not in _RECORDED:
            return
        node.facts = _facts(node)
        node.same_as = self._twins.within(node) or (self._twins.beside(node) if is_known else None)
        if node.same_as is not None:
            node.take_in(node.same_as)
        if node.same_as is not None or (is_known and _is_blind(node)):
            return
        node.event = event = self._event(node)
        event.order, event.started = node.order, node.at
        node.hold(event)
        self._twins.remember(node)
        if is_known or node.role is Role.AGENT:
            self._twins.register(node)

    def _event(self, node: Node) -> Event:
        span, facts, place = node.span, node.facts, _still_open(node.place)
        framework = self._framework(node)
        self._sight.declare(framework, place.captures)
        if isinstance(facts, ToolFacts):
            return ToolEvent(place, framework, facts.name, facts.arguments, facts.call_id, inferred=False)
        if isinstance(facts, CallFacts):
            kind = KINDS[node.role]
            outer = None if self._complete else recorder.outer_call(place, framework_of(span), kind)
            if outer is not None:
                return outer.attempt(framework, facts.model)
            return ModelCallEvent(place, framework, kind, facts.model, facts.inputs or (), facts.tools_offered)
        if node.role is Role.RETRIEVAL:
            return RetrievalEvent(place, framework)
        return InvocationEvent(place, framework, name_of(span), input_of(span), awaited=None)

    def _framework(self, node: Node) -> str:
        """Who recorded it. What happens in an agent's work is seen as well as its framework lets one see, whoever wrote the span."""
        around = node.place.event
        owner = None if around is None else around.owner
        return framework_of(node.span) if owner is None or node.role is Role.AGENT else owner.adapter

    def _reconsider(self, node: Node) -> None:
        """Take back what turns out, now that all is known of it, to be recorded already."""
        if node.event is None or node.facts is None:
            return
        known = self._twins.beside(node)
        if known is not None:
            self._twins.drop(node.event)
            node.event, node.same_as = None, known
            node.take_in(known)
        self._twins.register(node)

    def _finish(self, node: Node) -> None:
        event = node.event
        if isinstance(event, InvocationEvent):
            end_invocation(event, node.span)
        elif isinstance(event, ToolEvent) and isinstance(node.facts, ToolFacts):
            end_tool(event, node.facts)
        elif isinstance(event, ModelCallEvent) and isinstance(node.facts, CallFacts):
            end_call(event, seen_below(event, node.span, node.facts), self._sight)
        elif isinstance(event, RetrievalEvent):
            end_retrieval(event, node.span)
        if event is not None:
            timed(event, self._now())
        self._twins.end(node)


def _facts(node: Node) -> Facts | None:
    if node.role is Role.TOOL:
        return tool_facts(node.span)
    if node.role not in KINDS:
        return None
    facts, above = call_facts(node.span, node.role), node.parent
    if facts.tools_offered is None and node.role is Role.CHAT and above is not None and above.role is Role.AGENT:
        return attrs.evolve(facts, tools_offered=offered(above.span.attributes))
    return facts


def _still_open(place: Scope) -> Scope:
    captures = tuple(capture for capture in place.captures if capture.closed_order is None)
    return place if len(captures) == len(place.captures) else Scope(captures, place.event)


def _is_whole(node: Node) -> bool:
    """Whether a chain is no part of a larger one, nor of any agent's work."""
    if node.place.event is not None and node.place.event.owner is not None:
        return False
    above = node.waiting
    while above is not None:
        if writer_of(above.span) == writer_of(node.span):
            return False
        above = above.waiting
    return True


def _is_shell(node: Node) -> bool:
    """Whether there is nothing to it but the run of one agent."""
    directly = list(itertools.islice(node.directly_below(), 2))
    return len(directly) == 1 and isinstance(directly[0], InvocationEvent) and not has_failed(node.span)


def _is_other_view(node: Node) -> bool:
    """Whether another library has told of the same run of the agent."""
    directly = list(itertools.islice(node.directly_below(), 2))
    if len(directly) != 1 or not isinstance(directly[0], InvocationEvent):
        return False
    return directly[0].name == name_of(node.span) and directly[0].adapter != framework_of(node.span)


def _is_blind(node: Node) -> bool:
    """Whether it is a retriever's whose findings were not captured: nobody knows what the agent was given."""
    return node.role is Role.RETRIEVAL and sources_of(node.span) is None and not has_failed(node.span)
