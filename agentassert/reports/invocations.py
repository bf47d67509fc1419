"""An invocation, with all that lies inside it, as nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

from agentassert import render
from agentassert.checks.requests import unanswered
from agentassert.conversation_events import ConversationEvent
from agentassert.failures import counted
from agentassert.records import NOT_RECORDED, Approval, Invocation, ModelCall, Status
from agentassert.reports import items, order, values
from agentassert.reports.nodes import Field, Limits, Node, Span, Tone

_TONE_OF_STATUS: Final = {Status.COMPLETED: Tone.GOOD, Status.FAILED: Tone.BAD, Status.BLOCKED: Tone.BAD}


class Tree:
    """One outermost invocation with all that lies inside it.

    Args:
        checked: the ids of the tool executions that were checked; without it nothing is said about checks.
        limits: how much may be shown.
        numbers: under which messages list the tool executions, by id.
    """

    def __init__(self, checked: Collection[str] | None, limits: Limits, numbers: Mapping[str, int]) -> None:
        self._checked = checked
        self._limits = limits
        self._numbers = numbers

    def of(self, one: Invocation, depth: int = 1, *, is_stray: bool = False) -> Node:
        """An invocation, closed where the limits are reached."""
        self._limits.nodes -= 1
        closed = depth > self._limits.depth or self._limits.nodes <= 0
        stray = Span("recorded outside every invocation", Tone.DOUBT)
        return Node(
            kind="strays" if is_stray else "agent",
            line=(stray,) if is_stray else (Span("agent ", Tone.QUIET), items.name(one.name)),
            badges=() if is_stray else tuple(_badges(one)),
            facts=values.known(
                *counts((one,)),
                values.tokens(one.token_usage),
                values.seconds(one.duration),
                "" if one.framework == "record" else render.words(one.framework, 40),
            ),
            below=(_not_shown(one),) if closed else tuple(self._inside(one, depth)),
            marks={"status": one.status.value},
            expanded=not closed,
        )

    def _inside(self, one: Invocation, depth: int) -> Iterator[Node]:
        if one.input is not None:
            yield _value("input", one.input, None, self._limits)
        yield from items.sources(one.sources, self._limits)
        yield from self._happened(one, depth)
        if one.error is not None:
            yield error_node("error", one.error, self._limits)
        is_known = one.output is not None or one.output_text is not None
        if is_known or (one.status is Status.COMPLETED and not one.implicit):
            yield _value("output", one.output, one.output_text, self._limits)

    def _happened(self, one: Invocation, depth: int) -> Iterator[Node]:
        """What happened in it, in order; of many things the first, the last and the notable ones, and how many are left out."""
        own = {execution.id for execution in one.tool_executions}
        below: defaultdict[str | None, list[Invocation]] = defaultdict(list)
        for nested in one.nested_invocations:
            below[nested.started_by if nested.started_by in own else None].append(nested)
        never_ran = {id(request) for requests in unanswered((one,)).values() for request in requests}
        found = order.in_order(one, below[None])
        most, last = self._limits.items, -1
        for at in (*render.chosen(len(found), most, order.notable(found, self._checked, most // 4)), len(found)):
            left_out = found[last + 1 : at]
            if left_out:
                yield quiet("more", f"… {len(left_out):,} more: {order.counted_by_kind(left_out)} …")
            if at < len(found):
                yield self._item(found[at], below, never_ran, depth)
            last = at

    def _item(
        self, item: order.Item, below: Mapping[str | None, Sequence[Invocation]], never_ran: Collection[int], depth: int
    ) -> Node:
        if isinstance(item, Invocation):
            return self.of(item, depth + 1)
        self._limits.nodes -= 1
        if isinstance(item, ModelCall):
            return items.model_call(item, never_ran, self._limits)
        if isinstance(item, Approval):
            return items.approval(item, self._limits)
        if isinstance(item, ConversationEvent):
            return items.event(item, self._limits)
        nested = [self.of(one, depth + 1) for one in below.get(item.id, ())]
        return items.tool(item, self._numbers[item.id], self._checked, nested, self._limits)


def counts(invocations: Sequence[Invocation], inside: int = 0) -> tuple[str, ...]:
    """How much happened in these invocations; `inside` is how many invocations are to be told of."""
    executions, calls = sum(len(one.tool_executions) for one in invocations), sum(len(one.model_calls) for one in invocations)
    numbers = ((executions, "tool execution"), (calls, "model call"), (inside, "invocation"))
    return tuple(counted(number, noun) for number, noun in numbers if number)


def quiet(kind: str, words: str) -> Node:
    """A remark."""
    return Node(kind=kind, line=(Span(words, Tone.QUIET),))


def error_node(label: str, error: BaseException | str, limits: Limits) -> Node:
    """An error, with what caused it."""
    line = (Span(f"{label} ", Tone.QUIET), Span(render.error(error, limit=2 * limits.line), Tone.BAD))
    return Node(kind="error", line=line, fields=tuple(values.errors(error, limits)))


def _not_shown(one: Invocation) -> Node:
    everything = one.with_nested()
    return quiet("more", f"… {', '.join(counts(everything, len(everything) - 1)) or 'nothing'} inside, not shown …")


def _badges(one: Invocation) -> Iterator[Span]:
    yield Span(one.status.value.replace("_", " "), _TONE_OF_STATUS.get(one.status, Tone.DOUBT))
    if one.awaited is False:
        yield Span("not awaited", Tone.QUIET)
    if one.implicit:
        yield Span("no agent was seen around it", Tone.QUIET)


def _value(label: str, value: Any, text: str | None, limits: Limits) -> Node:
    """What went in or came out; with a text, that is what is read, and the object that holds it is shown below."""
    if text is None or type(value) is str:
        if value is NOT_RECORDED:
            return quiet("value", f"{label} not recorded")
        line, fields = value, _full(label, value, limits)
    else:
        line, fields = text, _full(f"{label} text", text, limits)
        if value is not None and value is not NOT_RECORDED:
            fields = (*fields, values.field(label, value, limits))
    return Node(
        kind="value", line=(Span(f"{label} ", Tone.QUIET), Span(render.value(line, limit=2 * limits.line))), fields=fields
    )


def _full(label: str, value: Any, limits: Limits) -> tuple[Field, ...]:
    """The value once more where a line is not enough for it."""
    return () if values.fits(value, 2 * limits.line) else (values.field(label, value, limits),)
