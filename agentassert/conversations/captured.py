"""What any captured agent did, as a conversation."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, TypeVar

import attrs

from agentassert import render
from agentassert.captures import Capture
from agentassert.checks.messages import said_by_user
from agentassert.checks.values import equal
from agentassert.conversation_events import ConversationEvent, ConversationEventKind
from agentassert.conversations.slicing import conversation_of
from agentassert.errors import AdapterError, AgentAssertionError
from agentassert.jsonlike import snapshot
from agentassert.raw_events import UNSEEN_MESSAGE, RawEvent
from agentassert.records import NOT_RECORDED, Invocation, Outcome, Status, ToolExecution
from agentassert.turns import Conversation

_C = TypeVar("_C", bound=Conversation)

_NEVER_SEEN: Final = frozenset({"buttons", "clarifications", "memory", "responses", "skills"})
"""What no agent but Rasa's tells of."""

_GRAPHS: Final = "langchain"
_TELLING: Final = frozenset({"google-adk"})
"""Frameworks that tell of everything that is written to the state of a session: where they tell of nothing, nothing was."""
_MESSAGES: Final = "messages"


def captured_conversation(made: type[_C], capture: Any) -> _C:
    """The conversation that `Conversation.from_capture` describes."""
    if not isinstance(capture, Capture):
        raise TypeError(f"capture must be a Capture, but was {render.value(capture)}")
    _refuse_half_a_record(capture)
    invocations = capture.invocations
    if not invocations:
        raise ValueError("the capture holds no invocation, so there is no turn")
    outside = [] if capture.strays is None else list(_changes(capture.strays))
    starts = [one.started_order for one in invocations]
    events = [_event(change) for change in outside if change.order < starts[0]]
    states = _States()
    for invocation, end in itertools.zip_longest(invocations, starts[1:]):
        meanwhile = [one for one in outside if one.order >= invocation.started_order and (end is None or one.order < end)]
        events += _turn(invocation, meanwhile, states)
    by_hand = {change.kind for change in outside} | {one.kind for top in invocations for one in _changes(top) if not _tells(top)}
    not_recorded = [_not_recorded(one, by_hand, states) for one in invocations]
    conversation = conversation_of(made, events, id=capture.name)
    turns = tuple(
        attrs.evolve(turn, invocation=one, not_recorded=missing)
        for turn, one, missing in zip(conversation.turns, invocations, not_recorded, strict=True)
    )
    return attrs.evolve(conversation, turns=turns, not_recorded=frozenset().union(*not_recorded))


def _refuse_half_a_record(capture: Capture) -> None:
    health = capture.health
    found = health.faults or (health.doubts if capture.on_doubt == "fail" else ())
    if found:
        kind = AdapterError if health.faults else AgentAssertionError
        lines = "\n".join(f"  {one}" for one in found)
        raise kind(f"The recording cannot be relied on, so it is no conversation:\n{lines}", subject="the capture", actual=health)


class _States:
    """What the states of graphs held at the end of the turn before."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        """The names of the graphs that have a state."""
        self._last: dict[str, Mapping[str, Any]] = {}

    def changes(self, invocation: Invocation) -> Iterator[RawEvent]:
        """A slot for each field of the state that the run changed; what happened to it on the way is not known."""
        output = invocation.output
        if invocation.framework != _GRAPHS or not isinstance(output, Mapping):
            return
        given = invocation.input if isinstance(invocation.input, Mapping) else {}
        before = {**self._last.get(invocation.name, {}), **given}
        state = {name: value for name, value in output.items() if name != _MESSAGES and not str(name).startswith("__")}
        if state:
            self.seen.add(invocation.name)
        self._last[invocation.name] = state
        for name, value in state.items():
            if name not in before or not equal(snapshot(before[name]), snapshot(value)):
                yield {"event": "slot", "name": str(name), "value": value}


def _turn(invocation: Invocation, meanwhile: Iterable[ConversationEvent], states: _States) -> Iterator[RawEvent]:
    happened: list[tuple[int, RawEvent]] = [(change.order, _event(change)) for change in meanwhile]
    for one in invocation.with_nested():
        happened += [(tool.started_order, _action(tool)) for tool in one.tool_executions]
        happened += [(change.order, _event(change)) for change in one.conversation_events]
    yield {"event": "user", "text": _said(invocation), "metadata": {}}
    yield from (event for _, event in sorted(happened, key=lambda one: one[0]))
    yield from states.changes(invocation)
    if invocation.status is Status.COMPLETED:
        yield from _answer(invocation)


def _said(invocation: Invocation) -> str | None:
    given = invocation.input
    if given is None and invocation.own_chat_model_calls:
        given = invocation.own_chat_model_calls[0].messages
    said = said_by_user(given)
    return said if said is not None or given is None else render.json_text(given)


def _action(tool: ToolExecution) -> RawEvent:
    """An action, if it succeeded; else an event of a kind of its own, which no assertion takes for one."""
    kind = "action" if tool.outcome is Outcome.SUCCEEDED else f"action_{tool.outcome}"
    return {"event": kind, "name": tool.name, "arguments": tool.arguments}


def _answer(invocation: Invocation) -> Iterator[RawEvent]:
    if invocation.output is NOT_RECORDED:
        yield {"event": UNSEEN_MESSAGE}
    elif invocation.output_text is not None:
        yield {"event": "bot", "text": invocation.output_text, "metadata": _rests_on(invocation)}


def _rests_on(invocation: Invocation) -> Mapping[str, Any]:
    return {} if invocation.sources is NOT_RECORDED else {"search_results": [one.text for one in invocation.sources]}


def _changes(invocation: Invocation) -> Iterator[ConversationEvent]:
    for one in invocation.with_nested():
        yield from one.conversation_events


def _event(change: ConversationEvent) -> RawEvent:
    if change.kind is ConversationEventKind.SLOT_SET:
        return {"event": "slot", "name": change.name, "value": change.value}
    return {"event": str(change.kind), "flow_id": change.name, "step_id": change.step}


def _tells(invocation: Invocation) -> bool:
    return any(one.framework in _TELLING for one in invocation.with_nested())


def _not_recorded(invocation: Invocation, by_hand: Collection[ConversationEventKind], states: _States) -> frozenset[str]:
    """What nobody could see in a turn; what is recorded by hand in one, is in all of them."""
    missing = set(_NEVER_SEEN)
    if not (ConversationEventKind.SLOT_SET in by_hand or invocation.name in states.seen or _tells(invocation)):
        missing.add("slots")
    if not any(kind is not ConversationEventKind.SLOT_SET for kind in by_hand):
        missing.add("flows")
    return frozenset(missing)
