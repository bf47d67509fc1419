"""Keys that there are none of, and the one slot whose values have a form: the time that the assistant takes for now."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Final

from agentassert.suites.kinds import Reader, told
from agentassert.suites.marks import DataPath
from agentassert.suites.problems import quoted
from agentassert.text.nearest import did_you_mean

_NOW: Final = "mocked_datetime"
_FORMS: Final = ("%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d")


def refuse_unknown(reader: Reader, path: DataPath, found: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Note each key that there is none of.

    Args:
        reader: what notes it.
        path: where the mapping is.
        found: the mapping.
        known: the keys that there are.
        what: what the mapping is, for the message.
    """
    for key in found:
        if key not in known:
            meant = did_you_mean(key, known)
            reader.refuse_key((*path, key), f"{what} has no key {quoted(key)}{meant and f'; {meant}'}")


def refuse_wrong_moment(slot: str, value: Any, path: DataPath, reader: Reader) -> None:
    """Note a value of `mocked_datetime` that is no date or time in quotes."""
    if slot != _NOW or (isinstance(value, str) and any(_reads(value, form) for form in _FORMS)):
        return
    said = "a date without quotes" if isinstance(value, datetime.date) else told(value)
    reader.refuse(path, f"{_NOW!r} must be a date or time in quotes, such as '2026-11-30T09:00:00+01:00', but is {said}")


def _reads(value: str, form: str) -> bool:
    try:
        datetime.datetime.strptime(value, form)  # noqa: DTZ007 -- whether it reads is all that is asked
    except ValueError:
        return False
    return True
