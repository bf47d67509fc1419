"""Steps in the form that is older than assertions: what the bot did since the last message, whatever the order."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

import attrs

from agentassert.checks.conversation import slot_value
from agentassert.conversations.rasa_files.format import NOTHING, LegacyStep
from agentassert.failures import Failure
from agentassert.raw_events import RawEvent, metadata_of

_MOST_LINES: Final = 50
_LONGEST_LINE: Final = 1_000


@attrs.frozen
class Mismatch:
    """A legacy step that does not hold.

    Args:
        step: the step.
        failure: why not.
        difference: what was and what should have been, line by line, as a difference of texts.
    """

    step: LegacyStep
    failure: Failure
    difference: tuple[str, ...]


def mismatch(step: LegacyStep, events: Iterable[RawEvent]) -> Mismatch | None:
    """Why a step does not hold.

    Args:
        step: what is expected.
        events: what happened since the last message.

    Example:
        >>> found = mismatch(LegacyStep(kind="bot", name="Hello!"), [{"event": "bot", "text": "Hello"}])
        >>> print(found.failure.text("the turn 'Hi'"))
        Expected the turn 'Hi' to have uttered 'Hello!',
        but it uttered 'Hello'.
        >>> found.difference
        ('- bot: Hello', '+ bot: Hello!', '?           +')
    """
    if step.kind in {"bot", "utter"}:
        return _said(step, [one for one in events if one["event"] == "bot"])
    return _slots(step, [one for one in events if one["event"] == "slot" and one["name"] == step.name])


def _said(step: LegacyStep, messages: list[RawEvent]) -> Mismatch | None:
    found = [one.get("text") if step.kind == "bot" else metadata_of(one).get("utter_action") for one in messages]
    if step.name in found:
        return None
    what = f"to have uttered {'' if step.kind == 'bot' else 'the response '}{step.name!r}"
    failure = Failure(
        expected=what, found=f"but it uttered {', '.join(map(repr, found)) or 'nothing'}", wanted=step.name, actual=tuple(found)
    )
    actual = [f"{step.kind}: {one}" for one in found] or [f"{step.kind}: * nothing *"]
    return Mismatch(step, failure, _difference(actual, [f"{step.kind}: {step.name}"]))


def _slots(step: LegacyStep, events: list[RawEvent]) -> Mismatch | None:
    values = [one.get("value") for one in events]
    any_value = step.value is NOTHING

    def told(value: object) -> str:
        return slot_value(step.name, value)

    matched = bool(values) if any_value else step.value in values
    if matched is (step.kind == "slot_was_set"):
        return None
    wanted = "" if any_value else f" to {told(step.value)}"
    verb = "to have set" if step.kind == "slot_was_set" else "not to have set"
    found = "but it did not set it" if not values else f"but it set it to {', then '.join(map(told, values))}"
    failure = Failure(expected=f"{verb} the slot {step.name!r}{wanted}", found=found, wanted=step.name, actual=tuple(values))
    actual = [f"{step.kind}: {step.name}: {told(one)} ({type(one).__name__})" for one in values] or [f"{step.kind}: * nothing *"]
    expected = f"{step.kind}: {step.name}" + ("" if any_value else f": {told(step.value)} ({type(step.value).__name__})")
    return Mismatch(step, failure, _difference(actual, [expected]))


def _difference(actual: list[str], expected: list[str]) -> tuple[str, ...]:
    """Long texts are not compared character by character, which would take the square of their length for each pair of lines."""
    if len(actual) > _MOST_LINES or max(map(len, (*actual, *expected))) > _LONGEST_LINE:
        lines = [*(f"- {line}" for line in actual[:_MOST_LINES]), *(f"+ {line}" for line in expected)]
        return tuple(line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]}…" for line in lines)
    return tuple(line.rstrip() for line in difflib.ndiff(actual, expected))
