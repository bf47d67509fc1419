"""What happened in a conversation: flows, clarifications, slots and actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar

import attrs

from agentassert import render
from agentassert.checks.expectations import shown
from agentassert.checks.values import equal
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, shortened
from agentassert.raw_events import UNKNOWN_ACTION
from agentassert.text.masking import is_secret_name
from agentassert.turns import Action, BotMessage, Clarification, FlowEvent, SlotSet, Stretch, Turn

ANY_VALUE: Final = object()
"""Stands for any value but an empty one."""

_T = TypeVar("_T", Action, BotMessage, Clarification, FlowEvent, SlotSet)


@attrs.frozen(kw_only=True)
class Passage:
    """What an assertion looks at: a turn, or a whole conversation.

    Args:
        subject: what to call it.
        stretches: its parts, in order.
        not_recorded: kinds of things that nobody could see.
        after: the place among the events behind which the assertion looks.
    """

    subject: str
    stretches: tuple[Stretch, ...]
    not_recorded: frozenset[str] = frozenset()
    after: int = -1

    def those(self, of: Callable[[Stretch], tuple[_T, ...]]) -> list[_T]:
        """All of one kind, in order."""
        return [one for stretch in self.stretches for one in of(stretch) if one.order > self.after]

    def holds(self, kind: str, name: str | None = None) -> bool:
        """Whether there is an event of that kind, of that name if one is given."""
        return any(
            event["event"] == kind and (name is None or event.get("name") == name)
            for stretch in self.stretches
            for order, event in enumerate(stretch.events, stretch.first)
            if order > self.after
        )


def flow_started(passage: Passage, flow: str) -> Failure | int:
    """The flow started; the place of it."""
    return _seen(passage, "flows") or _flow(passage.those(lambda one: one.flows_started), "started", flow, None)


def flow_cancelled(passage: Passage, flow: str, step: str | None) -> Failure | int:
    """The flow was cancelled, at that step if one is given; the place of it."""
    return _seen(passage, "flows") or _flow(passage.those(lambda one: one.flows_cancelled), "cancelled", flow, step)


def flow_completed(passage: Passage, flow: str, step: str | None) -> Failure | int:
    """The flow completed, at that step if one is given; a flow that was cancelled did not. The place of it."""
    unseen = _seen(passage, "flows")
    if unseen is not None:
        return unseen
    ended = passage.those(lambda one: one.flows_completed)
    found = _flow([one for one in ended if not one.unwound], "completed", flow, step)
    if isinstance(found, Failure) and any(one.flow == flow and one.unwound for one in ended):
        return attrs.evolve(found, advice=f"The flow {flow!r} was cancelled, which is no completion: use has_flow_cancelled.")
    return found


def clarification_offering(passage: Passage, options: tuple[str, ...]) -> Failure | int:
    """One clarification offers all of these, by id or readable name; the place of it."""
    unseen = _seen(passage, "clarifications")
    if unseen is not None:
        return unseen
    asked = passage.those(lambda one: one.clarifications)
    for one in asked:
        if all(option in one.flows or option in one.names for option in options):
            return one.order
    return Failure(
        expected=f"to have asked which is meant, offering {_quoted(options)}",
        found="but it offered only" if asked else "but it did not ask",
        details=shortened(asked, lambda one: _quoted((*one.flows, *one.names))),
        wanted=options,
        actual=tuple(asked),
    )


def slot_set(passage: Passage, name: str, value: Any) -> Failure | int:
    """The slot was set to the value, which :func:`prepare` returned, or to any that is not empty; the place of it."""
    everything = passage.those(lambda one: one.slots_set)
    mine = [one for one in everything if one.name == name]
    for one in mine:
        if _has_value(one, value):
            return one.order
    unseen = _seen(passage, "slots")  # by one agent of several, perhaps, and what another one told holds
    if unseen is not None:
        return unseen
    wanted = "" if value is ANY_VALUE else f" to {slot_value(name, shown(value))}"
    return Failure(
        expected=f"to have set the slot {name!r}{wanted}",
        found=f"but it set it to {_values(mine)}" if mine else f"but it set {_names(one.name for one in everything)}",
        wanted=name if value is ANY_VALUE else shown(value),
        actual=mine[-1].value if mine else None,
    )


def slot_not_set(passage: Passage, name: str, value: Any) -> Failure | None:
    """The slot was never set to the value, or to any that is not empty."""
    unseen = _seen(passage, "slots")
    if unseen is not None:
        return unseen
    mine = [one for one in passage.those(lambda one: one.slots_set) if one.name == name]
    if not any(_has_value(one, value) for one in mine):
        return None
    wanted = "" if value is ANY_VALUE else f" to {slot_value(name, shown(value))}"
    return Failure(
        expected=f"not to have set the slot {name!r}{wanted}",
        found=f"but it set it to {_values(mine)}",
        wanted=name,
        actual=mine[-1].value,
    )


def action_executed(passage: Passage, name: str) -> Failure | int:
    """The action was executed; the place of it."""
    unseen = _seen(passage, "actions")
    if unseen is not None:
        return unseen
    executed = passage.those(lambda one: one.actions)
    for one in executed:
        if one.name == name:
            return one.order
    if passage.holds(UNKNOWN_ACTION, name):
        return unknown_outcome(name)
    names = _names(one.name for one in executed)
    return Failure(expected=f"to have executed the action {name!r}", found=f"but it executed {names}", wanted=name)


_HINTS: Final = {
    "flows": "Call record.flow(…) where one starts, completes or is cancelled.",
    "slots": "Call record.slot(name, value) where one is set.",
    "messages": "Spans hold no content unless asked to; else decorate the function that runs the agent with `@record.agent`.",
}


def not_recorded(kind: str) -> Failure:
    """Nobody could see such things in this conversation."""
    return Failure(
        expected=f"to have recorded {kind}",
        found=f"but {kind} were not recorded, so nobody knows",
        advice=_HINTS.get(kind),
        kind=NotRecordedError,
    )


def unknown_outcome(name: str) -> Failure:
    """Nobody saw whether the action succeeded."""
    return Failure(
        expected=f"to have executed the action {name!r}",
        found=f"but nobody saw whether {name!r} succeeded",
        advice='Decorate the tool with `@record.tool`, or say capture(unreported_tools="succeeded").',
        kind=NotRecordedError,
    )


def transcript(stretches: Iterable[Stretch]) -> Iterator[str]:
    """What was said and done, a line each, in order."""
    for stretch in stretches:
        if isinstance(stretch, Turn):
            yield f"user: {render.value(stretch.user.text)}"
        lines = [
            *((one.order, f"  started the flow {one.flow!r}") for one in stretch.flows_started),
            *((one.order, f"  {_completed(one)}") for one in stretch.flows_completed),
            *((one.order, f"  cancelled the flow {one.flow!r}{_at(one)}") for one in stretch.flows_cancelled),
            *((one.order, f"  set the slot {one.name!r} to {slot_value(one.name, one.value)}") for one in stretch.slots_set),
            *((one.order, f"  executed the action {one.name!r}") for one in stretch.actions),
            *((one.order, message_line(one)) for one in stretch.bot_messages),
        ]
        yield from (line for _, line in sorted(lines, key=lambda one: one[0]))


def slot_value(name: str, value: Any) -> str:
    """The value of a slot, masked where its name is that of a secret.

    Example:
        >>> slot_value("seats", 2), slot_value("password", "s3cret")
        ('2', "'***'")
    """
    return render.value(value, secret=is_secret_name(name))


def message_line(message: BotMessage) -> str:
    """A bot message on one line."""
    buttons = ", ".join(repr(one.title) for one in message.buttons)
    name = "" if message.name is None else f" ({render.words(message.name)})"
    return f"bot{name}: {render.value(message.text)}{f' with the buttons {buttons}' if buttons else ''}"


def _seen(passage: Passage, kind: str) -> Failure | None:
    return not_recorded(kind) if kind in passage.not_recorded else None


def _flow(events: list[FlowEvent], verb: str, flow: str, step: str | None) -> Failure | int:
    mine = [one for one in events if one.flow == flow]
    for one in mine:
        if step is None or one.step == step:
            return one.order
    expected = f"to have {verb} the flow {flow!r}" + ("" if step is None else f" at the step {step!r}")
    if mine:
        steps = tuple(one.step for one in mine)
        at = " and ".join("an unknown step" if one is None else f"the step {one!r}" for one in steps)
        return Failure(expected=expected, found=f"but it {verb} it at {at}", wanted=step, actual=steps)
    return Failure(expected=expected, found=f"but it {verb} {_names(one.flow for one in events)}", wanted=flow)


def _has_value(one: SlotSet, value: Any) -> bool:
    return one.value is not None if value is ANY_VALUE else equal(value, one.value)


def _values(changes: list[SlotSet]) -> str:
    return ", then ".join(shortened(changes, lambda one: slot_value(one.name, one.value), most=5))


def _names(names: Iterable[str]) -> str:
    return _quoted(tuple(dict.fromkeys(names))) or "none"


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(map(repr, names))


def _at(event: FlowEvent) -> str:
    return "" if event.step is None else f" at the step {event.step!r}"


def _completed(event: FlowEvent) -> str:
    return (
        f"led the cancelled flow {event.flow!r} to its end" if event.unwound else f"completed the flow {event.flow!r}{_at(event)}"
    )
