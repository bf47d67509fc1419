"""What spans let one see: what they have shown, since who writes them decides what there is to see.

A framework that writes no span for its model calls looks like one that makes none, until the first is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from weakref import WeakKeyDictionary

from agentassert.recording.events import CaptureState, Event, ModelCallEvent
from agentassert.records import KIND_OF_CALL, ChatModelCall

_ALWAYS: Final = frozenset({"tool_failures", "sources"})
_REQUESTS: Final = "requests"


class Sight:
    """What is visible of each framework, capture by capture."""

    def __init__(self) -> None:
        self._silent: WeakKeyDictionary[CaptureState, set[str]] = WeakKeyDictionary()

    def declare(self, framework: str, captures: Iterable[CaptureState]) -> None:
        """Note that a framework's spans were seen."""
        for capture in captures:
            capture.visibility.setdefault(framework, _ALWAYS)

    def saw_call(self, event: ModelCallEvent, *, with_content: bool) -> None:
        """Note that a model call was seen: calls of its kind can be, and what they ask for if every one of them says so."""
        aspects = {KIND_OF_CALL[event.kind]}
        for capture in event.captures:
            silent = self._silent.setdefault(capture, set())
            if event.kind is ChatModelCall and not with_content:
                silent.add(event.adapter)
            known = capture.visibility.get(event.adapter, _ALWAYS) | aspects
            if event.kind is ChatModelCall:
                known = known - {_REQUESTS} if event.adapter in silent else known | {_REQUESTS}
            if known != capture.visibility.get(event.adapter):
                capture.visibility[event.adapter] = known

    def pass_on(self, event: Event, framework: str) -> None:
        """Note that what was recorded is part of a run of another framework, which lets one see as much."""
        for capture in event.captures:
            silent = self._silent.setdefault(capture, set())
            seen = capture.visibility.get(event.adapter, _ALWAYS) | capture.visibility.get(framework, _ALWAYS)
            if event.adapter in silent:
                silent.add(framework)
            capture.visibility[framework] = seen - {_REQUESTS} if framework in silent else seen
        event.adapter = framework


def doubt(event: Event, text: str) -> None:
    """Add a doubt, in words, to the captures that hold an event."""
    for capture in event.captures:
        if text not in capture.notes:
            capture.notes.append(text)
