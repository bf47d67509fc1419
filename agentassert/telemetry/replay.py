"""Spans that are all there, told again in the order in which they started and ended."""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import attrs

from agentassert import render
from agentassert.errors import SpanError
from agentassert.recording.events import CaptureState, Scope, next_order
from agentassert.telemetry.nodes import Key
from agentassert.telemetry.spans import Span
from agentassert.telemetry.translator import Translator

_ENDS_FIRST, _STARTS, _ENDS_LAST = range(3)
"""What comes first at one moment: the end of what started earlier, then what starts, then the end of what has just started."""

_NANOSECONDS: Final = 1e9


def replay(spans: Iterable[Span], name: str | None, source: str) -> CaptureState:
    """A closed capture of what the spans tell, by their own clock.

    Args:
        spans: in any order.
        name: of the capture.
        source: what errors call the place where the spans came from.

    Raises:
        SpanError: when spans lie within each other in a circle.

    Example:
        >>> span = Span("1", "2", None, "invoke_agent a", "", 5, 7, {"gen_ai.operation.name": "invoke_agent"})
        >>> [event.name for event in replay([span], None, "a list").events]
        ['a']
    """
    state = CaptureState(name, ())
    known = _by_key(spans)
    below, roots = _tree(known, state)
    moments = sorted(_moments(known, below, roots, source), key=operator.itemgetter(0, 1, 2, 3))
    began = min((moment.at_ns for moment in moments), default=0)
    state.opened_wall, state.opened_clock = began / _NANOSECONDS, 0.0
    now = 0.0
    translator = Translator(complete=True, now=lambda: now)
    captures = (state,)
    for moment in moments:
        span = moment.span
        try:
            if moment.phase == _STARTS:
                now = (span.start_ns - began) / _NANOSECONDS
                translator.start(span, Scope(captures, translator.around(span)))
            else:
                now = (max(span.start_ns, span.end_ns or 0) - began) / _NANOSECONDS
                translator.end(span)
        except RecursionError:  # of JSON in a text of it, or of names with a thousand dots
            raise SpanError(f"{source}: what {_shown(span)} tells is nested too deeply") from None
    translator.close()
    state.running.clear()
    state.closed_order = next_order()
    return state


def _by_key(spans: Iterable[Span]) -> dict[Key, Span]:
    """Each span once; of one that was exported twice, the one that has ended."""
    known: dict[Key, Span] = {}
    for span in spans:
        earlier = known.get(span.key)
        if earlier is None or (span.is_over and not earlier.is_over):
            known[span.key] = span
    return known


def _tree(known: dict[Key, Span], state: CaptureState) -> tuple[dict[Key, list[Span]], list[Span]]:
    below: defaultdict[Key, list[Span]] = defaultdict(list)
    roots: list[Span] = []
    orphans = 0
    for span in known.values():
        parent = span.parent_key
        if parent is not None and parent in known:
            below[parent].append(span)
        else:
            roots.append(span)
            orphans += parent is not None
    if orphans:
        state.notes.append(f"spans whose parent is not there, taken for the beginning of something: {orphans}")
    backwards = sum(span.end_ns is not None and span.end_ns < span.start_ns for span in known.values())
    if backwards:
        state.notes.append(f"spans that end before they start: {backwards}")
    return below, roots


def _moments(known: dict[Key, Span], below: dict[Key, list[Span]], roots: Sequence[Span], source: str) -> list[_Moment]:
    placed: list[_Placed] = []
    waiting: list[tuple[Span, int, _Placed | None]] = [(span, span.start_ns, None) for span in reversed(roots)]
    while waiting:
        span, started, around = waiting.pop()
        one = _Placed(span, started, max(started, span.end_ns or 0), around)
        placed.append(one)
        waiting += [(inner, max(started, inner.start_ns), one) for inner in reversed(below.get(span.key, ()))]
    if len(placed) < len(known):
        reached = {one.span.key for one in placed}
        lost = next(span for key, span in known.items() if key not in reached)
        raise SpanError(f"{source}: {_shown(lost)} lies within itself: its parents form a circle")
    for one in reversed(placed):
        one.wait_for_what_is_within()
    return [moment for index, one in enumerate(placed) for moment in one.moments(index)]


def _shown(span: Span) -> str:
    return f"the span {span.span_id} ({render.value(span.name)})"


@attrs.define(eq=False)
class _Placed:
    """A span in its tree; it starts after the one around it, whatever their clocks say."""

    span: Span
    started: int
    ended: int
    around: _Placed | None
    depth: int = attrs.Factory(lambda self: 0 if self.around is None else self.around.depth + 1, takes_self=True)
    ends_last: bool = attrs.Factory(lambda self: self.ended == self.started, takes_self=True)

    def wait_for_what_is_within(self) -> None:
        """Where a clock is coarse, what starts within a span at the moment of its end still comes before that end."""
        around = self.around
        if around is not None and (around.ended == self.started or (self.ends_last and around.ended == self.ended)):
            around.ends_last = True

    def moments(self, index: int) -> Iterator[_Moment]:
        """Its start, and its end if it has one."""
        yield _Moment(self.started, _STARTS, self.depth, index, self.span)
        if self.span.end_ns is not None:
            yield _Moment(self.ended, _ENDS_LAST if self.ends_last else _ENDS_FIRST, -self.depth, index, self.span)


class _Moment(NamedTuple):
    at_ns: int
    phase: int
    depth: int
    number: int
    span: Span
