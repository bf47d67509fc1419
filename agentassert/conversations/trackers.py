"""Reading the trackers of Rasa assistants."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Never, TypeVar

from agentassert import render
from agentassert.conversations.slicing import conversation_of
from agentassert.errors import TrackerError
from agentassert.jsonlike import DEEPEST, is_too_deep
from agentassert.raw_events import RawEvent
from agentassert.turns import Conversation

_C = TypeVar("_C", bound=Conversation)

_TEXTS: Final[Mapping[str, tuple[tuple[str, bool], ...]]] = {
    "user": (("text", False),),
    "bot": (("text", False),),
    "slot": (("name", True),),
    "action": (("name", False),),
    "flow_started": (("flow_id", True),),
    "flow_completed": (("flow_id", True),),
    "flow_cancelled": (("flow_id", True),),
}
"""What must be a text in events of each kind that assertions look at, and whether it must be there."""


def read_tracker(made: type[_C], tracker: Any) -> _C:
    """The conversation of a tracker, as `Conversation.from_rasa_tracker` describes it."""
    if isinstance(tracker, str) and tracker.lstrip().startswith(("{", "[")):
        raise TypeError("tracker must be a tracker, a list of its events, or a path, but was JSON text: parse it with json.loads")
    if isinstance(tracker, (str, Path)):
        return _read(made, _parsed(_content(Path(tracker)), str(tracker)), str(tracker))
    if not isinstance(tracker, (Mapping, list, tuple)):
        raise TypeError(f"tracker must be a tracker, a list of its events, or a path, but was {render.value(tracker)}")
    return _read(made, tracker, "the tracker")


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except ValueError:  # a character that no system has in a path
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path)) from None


def _parsed(content: bytes, place: str) -> Any:
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise TrackerError(f"{place}:{error.lineno}:{error.colno}: no JSON: {error.msg}{_cut(content, error)}") from None
    except UnicodeDecodeError as error:
        raise TrackerError(f"{place}: no text in UTF-8: {error.reason} at byte {error.start}") from None
    except RecursionError:
        raise TrackerError(f"{place}: nested too deeply for a tracker") from None
    except ValueError:  # what Python does not read, since it takes a time that grows with the square of the length
        raise TrackerError(f"{place}: a number has more than {sys.get_int_max_str_digits():,} digits") from None


def _cut(content: bytes, error: json.JSONDecodeError) -> str:
    ends_there = error.pos >= len(content.decode("utf-8", "replace").rstrip()) - 1 or error.msg.startswith("Unterminated")
    return "; the file ends in the middle, as if it had been cut off" if ends_there else ""


def _read(made: type[_C], document: Any, place: str) -> _C:
    if isinstance(document, (list, tuple)):
        return conversation_of(made, _events(document, place, "$"))
    if not isinstance(document, Mapping):
        _refuse(place, "$", f"must be a tracker or a list of events, but was {render.value(document)}")
    if "events" not in document:
        _refuse(place, "$.events", f"is missing, so this is no tracker: it has {_keys(document)}")
    events = document["events"]
    if events is None:
        _refuse(place, "$.events", "is null: ask the server for the tracker with include_events=ALL")
    if not isinstance(events, (list, tuple)):
        _refuse(place, "$.events", f"must be a list, but was {render.value(events)}")
    sender = document.get("sender_id")
    return conversation_of(made, _events(events, place, "$.events"), id=None if sender is None else str(sender))


def _events(events: Any, place: str, path: str) -> list[RawEvent]:
    for index, event in enumerate(events):
        if is_too_deep(event):  # which newer versions of Python read
            _refuse(place, f"{path}[{index}]", f"is nested deeper than {DEEPEST} levels")
        if type(event) is not dict and not isinstance(event, Mapping):
            _refuse(place, f"{path}[{index}]", f"must be an object, but was {render.value(event)}")
        kind = event.get("event")
        if type(kind) is not str:
            _refuse_kind(place, f"{path}[{index}]", event)
        for name, required in _TEXTS.get(kind, ()):
            found = event.get(name)
            if type(found) is not str and (required or found is not None):
                wrong = "is missing" if name not in event else f"must be a text, but was {render.value(found)}"
                _refuse(place, f"{path}[{index}].{name}", f"of a {kind!r} event {wrong}")
    return list(events)


def _refuse_kind(place: str, path: str, event: Mapping[str, Any]) -> Never:
    if "event" in event:
        _refuse(place, f"{path}.event", f"must be the name of a kind of event, but was {render.value(event['event'])}")
    nested = [key for key, value in event.items() if isinstance(value, Mapping) and key != "metadata"]
    if nested:
        _refuse(
            place,
            path,
            f"has no 'event', but nests {', '.join(map(repr, nested))}: this is the protobuf form of a tracker store or event broker. "
            "Give the flat form instead, as GET /conversations/{id}/tracker does",
        )
    _refuse(place, f"{path}.event", f"is missing, so this is no event: it has {_keys(event)}")


def _keys(document: Mapping[str, Any]) -> str:
    return ", ".join(repr(key) for key in list(document)[:5]) + (", …" if len(document) > 5 else "") or "no keys"  # noqa: PLR2004


def _refuse(place: str, path: str, problem: str) -> Never:
    raise TrackerError(f"{place}: {path}: {problem}")
