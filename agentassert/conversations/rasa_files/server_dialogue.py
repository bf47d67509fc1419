"""A conversation with a running Rasa assistant, for one test case."""

from __future__ import annotations

import datetime
import re
import uuid
from collections.abc import Mapping
from typing import Any, Final

from agentassert.conversations.rasa_files.loading import ReadyCase
from agentassert.conversations.rasa_files.server import RasaServer, ServerError
from agentassert.errors import TrackerError
from agentassert.raw_events import RawEvent
from agentassert.turns import Conversation

_LONGEST_NAME: Final = 60


class ServerDialogue:
    """A new conversation, in which the session has started and the fixtures are set.

    Args:
        server: where the assistant runs.
        ready: the test case that it is for.

    Raises:
        ServerError: when it could not begin.
    """

    def __init__(self, server: RasaServer, ready: ReadyCase) -> None:
        self._server = server
        self.sender: Final = f"{re.sub(r'[^A-Za-z0-9]+', '_', ready.case.name)[:_LONGEST_NAME]}_{uuid.uuid4().hex}"
        self._looks_on = ready.case.has_legacy_steps
        tracker = server.tracker(self.sender, start_session=True)
        slots = [_slot(name, value) for name, value in ready.slots]
        if slots:
            tracker = server.add_events(self.sender, slots)
            _refuse_unknown_slots(ready, tracker)
        self._news = _read(tracker).events
        self._seen = len(self._news)

    def say(self, text: str, metadata: Mapping[str, Any]) -> bool:
        """Send a message; what followed is looked up where a step asks for it."""
        self._server.send(self.sender, text, metadata)
        if self._looks_on:
            events = self.conversation().events
            self._news, self._seen = events[self._seen :], len(events)
        return True

    @property
    def news(self) -> tuple[RawEvent, ...]:
        """What happened since the last message."""
        return self._news

    def conversation(self) -> Conversation:
        """All that happened.

        Raises:
            ServerError: when the tracker cannot be had, or is none.
        """
        return _read(self._server.tracker(self.sender))


def _read(tracker: dict[str, Any]) -> Conversation:
    try:
        return Conversation.from_rasa_tracker(tracker)
    except TrackerError as error:
        raise ServerError(f"the Rasa server gave a tracker that cannot be read: {error}") from None


def _slot(name: str, value: Any) -> dict[str, Any]:
    return {"event": "slot", "name": name, "value": value.isoformat() if isinstance(value, datetime.date) else value}


def _refuse_unknown_slots(ready: ReadyCase, tracker: Mapping[str, Any]) -> None:
    """A server takes a slot that its assistant has not, and forgets it."""
    there = tracker.get("slots")
    missing = [name for name, _ in ready.slots if isinstance(there, Mapping) and name not in there]
    if missing:
        names = ", ".join(map(repr, missing))
        raise ServerError(f"the assistant has no slot {names}, which a fixture of the test case {ready.case.name!r} sets")
