"""Events of a conversation in the form of Rasa's trackers, and what may be missing or malformed in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

RawEvent: TypeAlias = Mapping[str, Any]
"""One event in the form of a Rasa tracker, whatever it was recorded from."""

CLARIFICATION: Final = "pattern_clarification"
"""The flow in which the bot asks what is meant."""

UNKNOWN_ACTION: Final = "action_unknown"
"""An action of which nobody saw whether it succeeded; no tracker of Rasa's holds such events, nor those of the next kind."""

UNSEEN_MESSAGE: Final = "bot_not_recorded"
"""A message of the bot's, of which nobody saw what it was."""


def metadata_of(event: RawEvent) -> Mapping[str, Any]:
    """An event's metadata, which may be missing or null.

    Example:
        >>> metadata_of({"event": "slot", "metadata": None})
        {}
    """
    found = event.get("metadata")
    return found if isinstance(found, Mapping) else {}


def buttons_of(event: RawEvent) -> list[Mapping[str, Any]]:
    """The buttons of a bot event, as they stand there.

    Example:
        >>> buttons_of({"event": "bot", "data": {"buttons": [{"title": "Yes"}, None]}})
        [{'title': 'Yes'}]
    """
    data = event.get("data")
    return _mappings(data.get("buttons")) if isinstance(data, Mapping) else []


def commands_of(event: RawEvent) -> list[Mapping[str, Any]]:
    """What a user event was understood to ask for.

    Example:
        >>> commands_of({"event": "user", "parse_data": {"commands": [{"command": "knowledge"}]}})
        [{'command': 'knowledge'}]
    """
    parsed = event.get("parse_data")
    return _mappings(parsed.get("commands")) if isinstance(parsed, Mapping) else []


def texts_in(value: Any) -> tuple[str, ...]:
    """The texts of a list; of anything else none.

    Example:
        >>> texts_in(["a", None]), texts_in("a")
        (('a',), ())
    """
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, (list, tuple)) else ()


def step_of(event: RawEvent) -> str | None:
    """Where a flow stood; the step that it starts with is in the metadata alone.

    Example:
        >>> step_of({"event": "flow_started", "flow_id": "f", "metadata": {"step_id": "ask"}})
        'ask'
    """
    step = event.get("step_id")
    if step is None and event["event"] == "flow_started":
        step = metadata_of(event).get("step_id")
    return step if isinstance(step, str) else None


def _mappings(found: Any) -> list[Mapping[str, Any]]:
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, (list, tuple)) else []
