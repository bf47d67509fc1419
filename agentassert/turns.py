"""A conversation: turns, and what happened in each. Records alone; `agentassert.conversations` makes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import attrs

from agentassert.raw_events import CLARIFICATION, RawEvent, buttons_of, commands_of, metadata_of, step_of, texts_in
from agentassert.records import Invocation

if TYPE_CHECKING:
    from agentassert.captures import Capture


@attrs.frozen(kw_only=True)
class UserMessage:
    """What the user said.

    Args:
        text: the words; `None` where a message has none.
        metadata: what was sent along with it.
        commands: what the assistant understood it to ask for, where it says so.

    Example:
        >>> UserMessage(text="Hi").metadata
        {}
    """

    text: str | None
    metadata: Mapping[str, Any] = attrs.field(factory=dict)
    commands: tuple[Mapping[str, Any], ...] = ()


@attrs.frozen
class Button:
    """A button of a bot message.

    Args:
        title: what it says; `payload`: what pressing it sends.

    Example:
        >>> Button("Yes", "/affirm").title
        'Yes'
    """

    title: str | None
    payload: str | None = None


@attrs.frozen(kw_only=True)
class BotMessage:
    """What the bot said.

    Args:
        text: the words; `None` for a message that is an image, or of a kind of its own.
        buttons: what it offers to press.
        name: of the response that it was made from, such as `utter_greet`.
        source: what made it, such as `EnterpriseSearchPolicy`.
        metadata: everything that was recorded with it.
        order: its place among the events of the conversation.

    Example:
        >>> BotMessage(text="Sure?", buttons=(Button("Yes"),)).name is None
        True
    """

    text: str | None
    buttons: tuple[Button, ...] = ()
    name: str | None = None
    source: str | None = None
    metadata: Mapping[str, Any] = attrs.field(factory=dict)
    order: int = 0


@attrs.frozen(kw_only=True)
class SlotSet:
    """A slot that was given a value; `None` empties it.

    Args:
        name: the slot's name; `value`: what it was set to.
        reset: whether the end of a flow emptied it.
        order: its place among the events of the conversation.

    Example:
        >>> SlotSet(name="seats", value=2).reset
        False
    """

    name: str
    value: Any
    reset: bool = False
    order: int = 0


@attrs.frozen(kw_only=True)
class FlowEvent:
    """A flow that started, completed, or was cancelled.

    Args:
        flow: the flow's id.
        step: the id of the step where it stood, where that is known.
        unwound: whether it "completed" only because it had been cancelled.
        order: its place among the events of the conversation.

    Example:
        >>> FlowEvent(flow="book_ferry", step="confirm").unwound
        False
    """

    flow: str
    step: str | None = None
    unwound: bool = False
    order: int = 0


@attrs.frozen(kw_only=True)
class Clarification:
    """The bot asked which of several flows was meant.

    Args:
        flows: the ids of the flows that it offers; `names`: their readable names.
        order: its place among the events of the conversation.

    Example:
        >>> Clarification(flows=("book_ferry",), names=("book a ferry",)).flows
        ('book_ferry',)
    """

    flows: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    order: int = 0


@attrs.frozen(kw_only=True)
class Action:
    """An action that was executed: of Rasa, responses among them; of any other agent, a tool execution that succeeded.

    Args:
        name: the action's name.
        order: its place among the events of the conversation.

    Example:
        >>> Action(name="action_listen").order
        0
    """

    name: str
    order: int = 0


@attrs.frozen(kw_only=True, slots=False)
class Stretch:
    """A stretch of a conversation: its events, and what they say, which is read when it is asked for.

    Args:
        events: everything that was recorded in it, in order.
        first: the place of the first of them among the events of the conversation.
        unwound: places at which flows "complete" that were cancelled.

    Example:
        >>> Stretch(events=({"event": "slot", "name": "seats", "value": 2},)).slots_set
        (SlotSet(name='seats', value=2, reset=False, order=0),)
    """

    events: tuple[RawEvent, ...] = attrs.field(default=(), repr=False)
    first: int = attrs.field(default=0, repr=False)
    unwound: frozenset[int] = attrs.field(default=frozenset(), repr=False, eq=False)

    @cached_property
    def bot_messages(self) -> tuple[BotMessage, ...]:
        """What the bot said."""
        return tuple(_bot_message(event, order) for order, event in self._of("bot"))

    @cached_property
    def slots_set(self) -> tuple[SlotSet, ...]:
        """The slots that were set, emptied ones included."""
        return tuple(
            SlotSet(name=one["name"], value=one.get("value"), reset=metadata_of(one).get("reset") is True, order=order)
            for order, one in self._of("slot")
        )

    @cached_property
    def flows_started(self) -> tuple[FlowEvent, ...]:
        """The flows that started."""
        return self._flows("flow_started")

    @cached_property
    def flows_completed(self) -> tuple[FlowEvent, ...]:
        """The flows that completed, and cancelled ones that were led to their ends."""
        return self._flows("flow_completed")

    @cached_property
    def flows_cancelled(self) -> tuple[FlowEvent, ...]:
        """The flows that were cancelled."""
        return self._flows("flow_cancelled")

    @cached_property
    def clarifications(self) -> tuple[Clarification, ...]:
        """The times when the bot asked which flow was meant."""
        asked = [(order, metadata_of(one)) for order, one in self._of("flow_started") if one["flow_id"] == CLARIFICATION]
        return tuple(
            Clarification(flows=texts_in(said.get("clarification_ids")), names=texts_in(said.get("names")), order=order)
            for order, said in asked
        )

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """The actions that were executed."""
        return tuple(Action(name=one["name"], order=order) for order, one in self._of("action") if one.get("name") is not None)

    def _flows(self, kind: str) -> tuple[FlowEvent, ...]:
        return tuple(
            FlowEvent(flow=one["flow_id"], step=step_of(one), unwound=order in self.unwound, order=order)
            for order, one in self._of(kind)
        )

    def _of(self, kind: str) -> Iterator[tuple[int, RawEvent]]:
        return ((order, event) for order, event in enumerate(self.events, self.first) if event["event"] == kind)


@attrs.frozen(kw_only=True, slots=False)
class Turn(Stretch):
    """One user message and everything up to the next one.

    Args:
        index: 0 for the first turn.
        events: the user's message and everything that follows it.
        not_recorded: kinds of things that nobody could see, such as `"flows"`.
        invocation: of a recorded agent, the run that answered.

    Example:
        >>> Turn(index=0, events=({"event": "user", "text": "Hi"},)).user.text
        'Hi'
    """

    index: int
    not_recorded: frozenset[str] = frozenset()
    invocation: Invocation | None = attrs.field(default=None, eq=False, repr=False)

    @cached_property
    def user(self) -> UserMessage:
        """What the user said."""
        event = self.events[0]
        return UserMessage(text=event.get("text"), metadata=metadata_of(event), commands=tuple(commands_of(event)))

    def __repr__(self) -> str:
        return f"<Turn {self.index} {self.user.text!r}: {len(self.events)} events>"


@attrs.frozen(kw_only=True)
class Conversation:
    """A conversation of a user and a bot.

    Args:
        prior: what happened before the first user message: the start of the session, slots that were filled, a greeting.
        turns: one for each user message.
        id: what names it, such as the sender of a Rasa tracker.
        not_recorded: kinds of things that nobody could see.

    Example:
        >>> events = [{"event": "user", "text": "Hi"}, {"event": "bot", "text": "Hello"}]
        >>> conversation = Conversation.from_rasa_tracker(events)
        >>> conversation.turn(0).bot_messages[0].text
        'Hello'
    """

    prior: Stretch = attrs.field(factory=Stretch)
    turns: tuple[Turn, ...] = ()
    id: str | None = None
    not_recorded: frozenset[str] = frozenset()

    @classmethod
    def from_rasa_tracker(cls, tracker: Mapping[str, Any] | Sequence[Any] | str | Path) -> Self:
        """Read the tracker of a Rasa assistant, or a stored one.

        Args:
            tracker: what `GET /conversations/{id}/tracker` gives, parsed; a list of events; or the path of a file that holds either.

        Raises:
            TypeError: when it is none of these.
            OSError: when the file cannot be read.
            TrackerError: when it holds something else, naming the place.

        Example:
            >>> Conversation.from_rasa_tracker({"sender_id": "ann", "events": []}).id
            'ann'
        """
        from agentassert.conversations.trackers import read_tracker

        return read_tracker(cls, tracker)

    @classmethod
    def from_capture(cls, capture: Capture) -> Self:
        """See what any agent did as a conversation: each top-level invocation is a turn.

        The user's message is the invocation's input, the bot's its output, actions are tool executions that succeeded, slots are
        what `record.slot` says and the changes of a LangGraph state or of ADK's sessions, flows what `record.flow` says.

        Args:
            capture: with at least one invocation.

        Raises:
            TypeError: when it is no capture.
            ValueError: when it holds no invocation.

        Example:
            >>> Conversation.from_capture(cap).turn(0).user.text
            'Cancel MS-777'
        """
        from agentassert.conversations.captured import captured_conversation

        return captured_conversation(cls, capture)

    @property
    def events(self) -> tuple[RawEvent, ...]:
        """Everything that was recorded, in order."""
        return tuple(event for stretch in self.stretches for event in stretch.events)

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """What came before the first turn, and the turns."""
        return (self.prior, *self.turns)

    def turn(self, index: int) -> Turn:
        """One turn.

        Args:
            index: 0 for the first, -1 for the last.

        Raises:
            IndexError: when there are not so many, saying what there is.

        Example:
            >>> Conversation.from_rasa_tracker([]).turn(0)
            Traceback (most recent call last):
            IndexError: there is no turn 0: the conversation has no turns
        """
        try:
            return self.turns[index]
        except IndexError:
            raise IndexError(f"there is no turn {index}: the conversation has {_turns(self.turns)}") from None


def _turns(turns: Iterable[Turn]) -> str:
    said = [f"{one.index} {one.user.text!r}" for one in turns]
    return f"the turns {', '.join(said)}" if said else "no turns"


def _bot_message(event: RawEvent, order: int) -> BotMessage:
    metadata = metadata_of(event)
    return BotMessage(
        text=event.get("text"),
        buttons=tuple(Button(one.get("title"), one.get("payload")) for one in buttons_of(event)),
        name=metadata.get("utter_action"),
        source=metadata.get("utter_source"),
        metadata=metadata,
        order=order,
    )
