"""Assertions on slots, and on the memory of the Mantle engine, which are alike."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final, Self

import attrs

from agentassert.checks.conversation import slot_value
from agentassert.checks.values import equal
from agentassert.conversations.rasa import shapes
from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene, of_kind
from agentassert.failures import Failure
from agentassert.jsonlike import snapshot
from agentassert.raw_events import RawEvent

_NO_VALUE: Final = object()


@attrs.frozen
class _Entry:
    name: str
    value: Any = _NO_VALUE

    @property
    def asks_for_value(self) -> bool:
        return self.value is not _NO_VALUE


@attrs.frozen
class _Place:
    """Where an assertion's values are kept."""

    event: str
    key: str
    word: str
    needs: str


_SLOTS: Final = _Place("slot", "name", "slot", "slots")
_MEMORY: Final = _Place("memory_set", "key", "memory", "memory")


@attrs.frozen
class _Values(RasaAssertion):
    place: _Place
    entries: tuple[_Entry, ...]

    wide = True

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        place = _SLOTS if kind.startswith("slot_") else _MEMORY
        given = [shapes.fields(kind, one, ("name",), ("value",)) for one in shapes.listed(kind, body, "the body")]
        entries = [_Entry(shapes.text(kind, one["name"], "name"), one.get("value", _NO_VALUE)) for one in given]
        return cls(place, tuple(entries))

    @property
    def needs(self) -> tuple[str, ...]:
        return (self.place.needs,)

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.within(wide=True), self.place.event))
        matched: RawEvent | None = None
        pitfalls: tuple[str, ...] = ()
        for index, entry in enumerate(self.entries):
            found = self._entry(entry, [one for one in events if one.get(self.place.key) == entry.name])
            if found.failure is not None:
                return attrs.evolve(found, entry=index)
            matched = matched if found.matched is None else found.matched
            pitfalls += found.pitfalls
        return Finding(matched=matched, pitfalls=pitfalls)

    @abstractmethod
    def _entry(self, entry: _Entry, events: list[RawEvent]) -> Finding:
        """What came of one entry, given the events of its name."""


@attrs.frozen
class ValueWasSet(_Values):
    """`slot_was_set` and `memory_was_set`."""

    def _entry(self, entry: _Entry, events: list[RawEvent]) -> Finding:
        what = f"{self.place.word} {entry.name!r}"
        expected = f"to have set the {what}" + (f" to {slot_value(entry.name, entry.value)}" if entry.asks_for_value else "")
        if not events:
            return Finding(failure=Failure(expected=expected, found="but it did not set it", wanted=entry.name))
        if not entry.asks_for_value:
            emptied = all(one.get("value") is None for one in events)
            return Finding(matched=events[0], pitfalls=(f"the {what} was only emptied, which counts as set",) if emptied else ())
        for one in events:
            if one.get("value") == entry.value:
                return Finding(matched=one, pitfalls=_loosely_equal(entry, one.get("value"), what))
        values = ", then ".join(slot_value(entry.name, one.get("value")) for one in events)
        return Finding(
            failure=Failure(
                expected=expected, found=f"but it set it to {values}", wanted=entry.value, actual=events[-1].get("value")
            )
        )


@attrs.frozen
class ValueWasNotSet(_Values):
    """`slot_was_not_set` and `memory_was_not_set`: what was written last counts."""

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        read = super().read(kind, body)
        if read.place is _MEMORY and any(one.value is None for one in read.entries):
            shapes.refuse(kind, "'value' must not be null")
        return read

    def _entry(self, entry: _Entry, events: list[RawEvent]) -> Finding:
        if not events:
            return Finding()
        last = events[-1]
        value = last.get("value")
        holds = value != entry.value if entry.asks_for_value else value is None and self.place is not _MEMORY
        if holds:
            return Finding(matched=last, pitfalls=self._set_meanwhile(entry, events))
        wanted = f" to {slot_value(entry.name, entry.value)}" if entry.asks_for_value else ""
        return Finding(
            failure=Failure(
                expected=f"not to have set the {self.place.word} {entry.name!r}{wanted}",
                found=f"but it set it to {slot_value(entry.name, value)}",
                wanted=entry.name,
                actual=value,
            )
        )

    def _set_meanwhile(self, entry: _Entry, events: list[RawEvent]) -> tuple[str, ...]:
        for value in (one.get("value") for one in events):
            if value == entry.value if entry.asks_for_value else value is not None:
                said = f"the {self.place.word} {entry.name!r} was set to {slot_value(entry.name, value)} on the way"
                return (f"{said}, but only what it was set to last counts",)
        return ()


def _loosely_equal(entry: _Entry, value: Any, what: str) -> tuple[str, ...]:
    if equal(snapshot(entry.value), value):
        return ()
    shown = f"{slot_value(entry.name, value)}, which Python takes for equal to {slot_value(entry.name, entry.value)}"
    return (f"the {what} was set to {shown}",)


@attrs.frozen
class MemoryWasCleared(RasaAssertion):
    """`memory_was_cleared`."""

    names: tuple[str, ...]

    wide = True

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        given = [shapes.fields(kind, one, ("name",)) for one in shapes.listed(kind, body, "the body")]
        return cls(tuple(shapes.text(kind, one["name"], "name") for one in given))

    @property
    def needs(self) -> tuple[str, ...]:
        return ("memory",)

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.within(wide=True), "memory_cleared"))
        matched: RawEvent | None = None
        for index, name in enumerate(self.names):
            matched = next((one for one in events if one.get("key") == name), None)
            if matched is None:
                cleared = ", ".join(repr(one.get("key")) for one in events) or "nothing"
                failure = Failure(expected=f"to have cleared the memory {name!r}", found=f"but it cleared {cleared}", wanted=name)
                return Finding(failure=failure, entry=index)
        return Finding(matched=matched)
