"""The spans that are open, and what they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from agentassert import recorder
from agentassert.recording.events import Event, InvocationEvent, ToolEvent


class Span:
    """A span that is open.

    Args:
        event: what the code in it is part of; `None` where that is what lies around it.
    """

    def __init__(self, event: Event | None = None) -> None:
        self._entered = None if event is None else recorder.enter(event)

    def leave(self) -> None:
        """The code that runs now is not in it."""
        if self._entered is not None:
            recorder.leave(self._entered)

    def end(self, result: Any) -> None:
        """It was left with a result."""

    def stop(self, error: BaseException) -> None:
        """It was left by an error."""


class Work(Span):
    """What a span stands for as a whole."""

    def __init__(self, event: InvocationEvent | ToolEvent) -> None:
        super().__init__(event)
        self.event = event

    def stop(self, error: BaseException) -> None:
        recorder.end_by(self.event, error)


class Entered(NamedTuple):
    """A method that begins: whose, with which arguments, inside which span that tells something, and the id of its own."""

    instance: Any
    arguments: Mapping[str, Any]
    around: Span | None
    id: str


opened: Final[dict[str, Span]] = {}
"""Those that tell something, by their ids."""
