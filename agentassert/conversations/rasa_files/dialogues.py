"""Where the assistant's side of a test comes from: a conversation that is held now, or one that was stored."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from agentassert.raw_events import RawEvent
from agentassert.turns import Conversation


class Dialogue(Protocol):
    """One conversation, in which a test case says its messages one after the other."""

    def say(self, text: str, metadata: Mapping[str, Any]) -> bool:
        """Send the user's next message; whether that could be done."""
        ...

    @property
    def news(self) -> tuple[RawEvent, ...]:
        """What happened since the last message was sent, it included; before the first one, how the session started."""
        ...

    def conversation(self) -> Conversation:
        """All that happened."""
        ...


class StoredDialogue:
    """A conversation that took place before: each message must be found in it, after the one before.

    Args:
        conversation: what was stored.

    Example:
        >>> dialogue = StoredDialogue(Conversation.from_rasa_tracker([{"event": "user", "text": "Hi"}, {"event": "bot", "text": "Hello"}]))
        >>> dialogue.say("Hi", {}), dialogue.news[1]["text"], dialogue.say("Bye", {})
        (True, 'Hello', False)
    """

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._next = 0
        self._news = conversation.prior.events

    def say(self, text: str, metadata: Mapping[str, Any]) -> bool:
        """Go on to the next turn in which the user says this; whether there is one."""
        for turn in self._conversation.turns[self._next :]:
            if turn.user.text == text:
                self._next, self._news = turn.index + 1, turn.events
                return True
        return False

    @property
    def news(self) -> tuple[RawEvent, ...]:
        """The events of the turn; before the first one, those that precede it."""
        return self._news

    def conversation(self) -> Conversation:
        """What was stored."""
        return self._conversation
