"""Assertions on what the bot did and said."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, Self, TypeAlias

import attrs

from agentassert import render
from agentassert.checks.conversation import not_recorded, unknown_outcome
from agentassert.conversations.rasa import shapes
from agentassert.conversations.rasa.scene import Finding, RasaAssertion, Scene, of_kind
from agentassert.failures import Failure, shortened
from agentassert.raw_events import UNKNOWN_ACTION, UNSEEN_MESSAGE, RawEvent, buttons_of, metadata_of

LONGEST_PATTERN: Final = 10_000
"""Characters of a regular expression; what is longer takes seconds to read."""

_Button: TypeAlias = tuple[str, Any]
"""Title and payload, `None` where it was left out."""


@attrs.frozen
class ActionExecuted(RasaAssertion):
    """`action_executed`; responses are actions, too."""

    name: str

    wide = True

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        return cls(shapes.text(kind, body))

    @property
    def needs(self) -> tuple[str, ...]:
        return ("actions",)

    def evaluate(self, scene: Scene) -> Finding:
        everything = scene.within(wide=True)
        events = tuple(of_kind(everything, "action"))
        for event in events:
            if event.get("name") == self.name:
                return Finding(matched=event)
        if any(of_kind(everything, UNKNOWN_ACTION, lambda one: one.get("name") == self.name)):
            return Finding(failure=unknown_outcome(self.name))
        executed = tuple(dict.fromkeys(one.get("name") for one in events))
        failure = Failure(
            expected=f"to have executed the action {self.name!r}",
            found=f"but it executed {', '.join(map(repr, executed)) or 'none'}",
            wanted=self.name,
            actual=executed,
        )
        return Finding(failure=failure)


@attrs.frozen
class _Utterance(RasaAssertion):
    name: str | None
    pattern: re.Pattern[str] | None
    buttons: tuple[_Button, ...]

    wide = True

    @classmethod
    def read(cls, kind: str, body: Any) -> Self:
        given = shapes.fields(kind, body, (), ("utter_name", "text_matches", "buttons"))
        if not given:
            shapes.refuse(kind, "needs one of 'utter_name', 'text_matches' and 'buttons'")
        buttons = shapes.listed(kind, given["buttons"], "'buttons'") if "buttons" in given else ()
        return cls(
            shapes.optional_text(kind, given, "utter_name"), _pattern(kind, given), tuple(_button(kind, one) for one in buttons)
        )

    @property
    def needs(self) -> tuple[str, ...]:
        return (*(["responses"] if self.name is not None else []), *(["buttons"] if self.buttons else []), "messages")

    def _is_named(self, event: RawEvent) -> bool:
        return metadata_of(event).get("utter_action") == self.name

    def _reads(self, event: RawEvent) -> bool:
        text = event.get("text")
        return self.pattern is not None and isinstance(text, str) and self.pattern.search(text) is not None

    def _parts(self) -> Iterator[tuple[str, str]]:
        """What is asked for, in words."""
        if self.name is not None:
            yield "name", f"the response {self.name!r}"
        if self.pattern is not None:
            yield "text", f"a text that matches '{self.pattern.pattern}'"
        if self.buttons:
            yield "buttons", f"the buttons {', '.join(map(_shown, self.buttons))}"


@attrs.frozen
class BotUttered(_Utterance):
    """`bot_uttered`: each part is looked for by itself."""

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.within(wide=True), "bot"))
        found = {part: self._first(part, events) for part, _ in self._parts()}
        missing = [words for part, words in self._parts() if found[part] is None]
        notes = self._textless(events, found)
        if missing and any(of_kind(scene.within(wide=True), UNSEEN_MESSAGE)):
            return Finding(failure=not_recorded("messages"))
        if missing:
            failure = Failure(
                expected=f"to have uttered {' and '.join(missing)}",
                found="but it uttered",
                details=_uttered(events),
                wanted=missing,
            )
            return Finding(failure=failure, notes=notes)
        matched = next(found[part] for part in ("buttons", "text", "name") if found.get(part) is not None)
        return Finding(matched=matched, pitfalls=tuple(self._pitfalls(events)), notes=notes)

    def _first(self, part: str, events: tuple[RawEvent, ...]) -> RawEvent | None:
        meets = {"name": self._is_named, "text": self._reads, "buttons": self._starts_alike}[part]
        return next((one for one in events if meets(one)), None)

    def _starts_alike(self, event: RawEvent) -> bool:
        """Rasa compares pair by pair, up to the end of the shorter list."""
        there = _buttons_in(event)
        return bool(there) and all(one == other for one, other in zip(self.buttons, there, strict=False))

    def _meets_all(self, event: RawEvent) -> bool:
        return (
            (self.name is None or self._is_named(event))
            and (self.pattern is None or self._reads(event))
            and (not self.buttons or self._starts_alike(event))
        )

    def _pitfalls(self, events: tuple[RawEvent, ...]) -> Iterator[str]:
        fitting = [one for one in events if self._meets_all(one)]
        if not fitting:
            yield f"no single message has {' and '.join(words for _, words in self._parts())}: different ones do"
        elif self.buttons and not any(_buttons_in(one) == list(self.buttons) for one in fitting):
            there = _buttons_in(fitting[0])
            what = "are more than those expected" if len(there) > len(self.buttons) else "are fewer than those expected"
            yield f"the buttons {', '.join(map(_shown, there))} {what} ({', '.join(map(_shown, self.buttons))}): the rest is not compared"

    def _textless(self, events: tuple[RawEvent, ...], found: Mapping[str, RawEvent | None]) -> tuple[str, ...]:
        """Rasa stops with an error at a message without text."""
        if self.pattern is None:
            return ()
        for event in events:
            if event is found["text"]:
                break
            if event.get("text") is None:
                return (f"a message without text stands before one that could match '{self.pattern.pattern}'; it is passed over",)
        return ()


@attrs.frozen
class BotDidNotUtter(_Utterance):
    """`bot_did_not_utter`: any part is enough, of the buttons any one."""

    def evaluate(self, scene: Scene) -> Finding:
        events = tuple(of_kind(scene.within(wide=True), "bot"))
        for event in events:
            met = [words for part, words in self._parts() if self._meets(part, event)]
            if met:
                failure = Failure(
                    expected=f"not to have uttered {' or '.join(words for _, words in self._parts())}",
                    found="but it uttered",
                    details=_uttered((event,)),
                    wanted=met,
                )
                return Finding(failure=failure)
        unseen = any(of_kind(scene.within(wide=True), UNSEEN_MESSAGE))
        return Finding(failure=not_recorded("messages") if unseen else None)

    def _meets(self, part: str, event: RawEvent) -> bool:
        if part == "name":
            return self._is_named(event)
        if part == "text":
            return self._reads(event)
        return any(one in self.buttons for one in _buttons_in(event))


def _buttons_in(event: RawEvent) -> list[_Button]:
    return [(one.get("title"), one.get("payload")) for one in buttons_of(event)]  # type: ignore[misc]  # whatever stands there


def _pattern(kind: str, given: Mapping[str, Any]) -> re.Pattern[str] | None:
    if "text_matches" not in given:
        return None
    text = shapes.text(kind, given["text_matches"], "text_matches")
    if len(text) > LONGEST_PATTERN:
        shapes.refuse(kind, f"'text_matches' must have at most {LONGEST_PATTERN:,} characters, but has {len(text):,}")
    try:
        return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        shapes.refuse(kind, f"'text_matches' is no regular expression: {error}: {render.value(text)}")


def _button(kind: str, value: Any) -> _Button:
    given = shapes.fields(f"{kind}: a button", value, ("title",), ("payload",))
    return shapes.text(kind, given["title"], "title"), given.get("payload")


def _shown(button: _Button) -> str:
    title, payload = button
    return repr(title) if payload is None else f"{title!r} ({payload})"


def _uttered(events: tuple[RawEvent, ...]) -> tuple[str, ...]:
    def line(event: RawEvent) -> str:
        name = metadata_of(event).get("utter_action")
        buttons = _buttons_in(event)
        offered = f" with the buttons {', '.join(map(_shown, buttons))}" if buttons else ""
        return f"{'' if name is None else f'{name}: '}{render.value(event.get('text'))}{offered}"

    return shortened(events, line) or ("nothing",)
