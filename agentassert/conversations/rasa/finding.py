"""Which part of a tracker a step of a test is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from agentassert.failures import Failure
from agentassert.raw_events import RawEvent, metadata_of
from agentassert.turns import Conversation


@attrs.frozen(kw_only=True)
class FoundTurn:
    """The events of a step.

    Args:
        prior: what came before the user's message; `turn`: that message and what follows it.
        pitfalls: why this may not be the turn that was meant, a sentence each.
    """

    prior: tuple[RawEvent, ...]
    turn: tuple[RawEvent, ...]
    pitfalls: tuple[str, ...] = ()


def find_turn(conversation: Conversation, user: str, metadata: Mapping[str, Any] | None) -> FoundTurn | Failure:
    """The first turn in which the user says just this, with this metadata at least.

    It ends before the user says something else, or says the same with the same metadata again.
    """
    events = conversation.events
    places = [place for place, one in enumerate(events) if _says(one, user, metadata)]
    if not places:
        return _not_found(conversation, user, metadata)
    start = places[0]
    end = start + 1
    while end < len(events) and not _ends(events[end], user, metadata):
        end += 1
    return FoundTurn(
        prior=events[:start], turn=events[start:end], pitfalls=_pitfalls(events[start + 1 : end], places, user, metadata)
    )


def _says(event: RawEvent, user: str, metadata: Mapping[str, Any] | None) -> bool:
    if event["event"] != "user" or event.get("text") != user:
        return False
    there = metadata_of(event)
    return all(key in there and there[key] == value for key, value in (metadata or {}).items())


def _ends(event: RawEvent, user: str, metadata: Mapping[str, Any] | None) -> bool:
    return event["event"] == "user" and (event.get("text") != user or _says(event, user, metadata))


def _pitfalls(after: tuple[RawEvent, ...], places: list[int], user: str, metadata: Mapping[str, Any] | None) -> tuple[str, ...]:
    found = []
    if len(places) > 1:
        same = " with this metadata" if metadata else ""
        found.append(f"the user says {user!r}{same} {len(places)} times; this is about the first: tell them apart by metadata")
    if any(one["event"] == "user" for one in after):
        found.append(f"the user says {user!r} again right after, with other metadata, which counts as part of this turn")
    return tuple(found)


def _not_found(conversation: Conversation, user: str, metadata: Mapping[str, Any] | None) -> Failure:
    said = tuple(dict.fromkeys(turn.user.text for turn in conversation.turns))
    if user in said:
        there = [dict(turn.user.metadata) for turn in conversation.turns if turn.user.text == user]
        found = f"but the metadata was {' and '.join(map(repr, there))}"
    else:
        found = f"but the user said {', '.join(map(repr, said)) or 'nothing'}"
    expected = f"to have the user message {user!r}" + (f" with the metadata {dict(metadata)!r}" if metadata else "")
    return Failure(expected=expected, found=found, wanted=user, actual=said)
