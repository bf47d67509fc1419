"""What the protocols have in common."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from agentassert.scripted.faults import HttpFailure
from agentassert.scripted.requests import ScriptedRequest
from agentassert.scripted.steps import Reply

Event: TypeAlias = dict[str, Any]


class UnsayableError(Exception):
    """The protocol of a request has no way to say what the script has for it."""


class Protocol(ABC):
    """Puts the answer to one request into the words of its protocol.

    Args:
        request: what was asked.
        numbers: makes what is answered unique.
    """

    ending: ClassVar[str] = ""
    """What a complete stream closes with."""

    def __init__(self, request: ScriptedRequest, numbers: Iterator[int]) -> None:
        self._request = request
        self._numbers = numbers

    @abstractmethod
    def whole(self, reply: Reply) -> Mapping[str, Any]:
        """A response that is not streamed.

        Raises:
            UnsayableError: when the protocol has no words for it.
        """

    @abstractmethod
    def events(self, reply: Reply) -> Sequence[Event]:
        """A response that is streamed.

        Raises:
            UnsayableError: when the protocol has no words for it.
        """

    @abstractmethod
    def continues(self, event: Event) -> bool:
        """Whether an event carries a piece of text: a stream that breaks off ends with the last of these."""

    @abstractmethod
    def broken(self, failure: HttpFailure) -> Event:
        """The event by which a stream that has begun says that the provider failed."""

    def frame(self, event: Event) -> str:
        """An event as it is sent."""
        name = f"event: {event['type']}\n" if "type" in event else ""
        return f"{name}data: {json.dumps(event)}\n\n"

    def beginning(self, text: str) -> Iterator[Event]:
        """The events of a stream that has said this and breaks off."""
        events = self.events(Reply(parts=(text,)))
        last = max((index for index, event in enumerate(events) if self.continues(event)), default=0)
        yield from events[: last + 1]

    def _id(self, prefix: str) -> str:
        return f"{prefix}_{next(self._numbers)}"


def pieces(text: str) -> list[str]:
    """A text as models stream it: in pieces like words.

    Example:
        >>> pieces("It is confirmed."), pieces("")
        (['It ', 'is ', 'confirmed.'], [])
    """
    return re.findall(r"\s*\S+\s?|\s+", text)


def halves(text: str) -> tuple[str, str]:
    """JSON text as models stream it: cut where it does not parse.

    Example:
        >>> halves('{"id": 7}')
        ('{"id', '": 7}')
    """
    return text[: len(text) // 2], text[len(text) // 2 :]


def failure_body(failure: HttpFailure) -> dict[str, Any]:
    """The body of an error, which clients of either provider understand."""
    about = {"type": failure.kind, "message": failure.message, "code": failure.code, "param": None}
    return {"type": "error", "error": about}
