"""What an unquoted word means to Rasa: YAML 1.2 as its YAML library reads it, with dates, and with environment variables."""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator
from typing import Any, Final

from agentassert.suites.problems import quoted
from agentassert.suites.scalars import MOST_DIGITS, resolve

_MOMENT: Final = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)"
    r"|(?P<day>\d{4}-\d\d?-\d\d?)([Tt]|[ \t]+)(?P<hour>\d\d?)(?P<rest>:\d\d:\d\d(\.\d*)?)[ \t]*(?P<zone>Z|[-+]\d\d?(:\d\d)?)?",
    re.ASCII,
)
_GROUPED_NUMBER: Final = re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?")
_BINARY: Final = re.compile(r"([-+]?)0b([01]+)")


def meaning(word: str) -> Any:
    """The value of a word without quotes.

    Raises:
        ValueError: when it names an environment variable that is not set, or a day that there is none of.

    Example:
        >>> [meaning(word) for word in ("yes", "2026-11-30", "1_000", "2")]
        ['yes', datetime.date(2026, 11, 30), 1000, 2]
    """
    if "${" in word:
        return "".join(_filled(word))
    moment = _MOMENT.fullmatch(word)
    if moment is not None:
        return _moment(moment)
    if "_" in word and _GROUPED_NUMBER.fullmatch(word):
        return resolve(word.replace("_", ""))
    binary = _BINARY.fullmatch(word[: MOST_DIGITS + 1])
    if binary is None:
        return resolve(word)
    if len(word) > MOST_DIGITS:
        raise ValueError(f"this number has more than {MOST_DIGITS} digits; put it in quotes if it is a text")
    return int(binary[1] + binary[2], 2)


def _filled(word: str) -> Iterator[str]:
    """The word with what its variables stand for, piece by piece. A regular expression would take the square of its length."""
    end = 0
    while (start := word.find("${", end)) >= 0 and (closing := word.find("}", start)) >= 0:
        yield word[end:start]
        yield _from_environment(word[start + 2 : closing])
        end = closing + 1
    yield word[end:]


def _from_environment(name: str) -> str:
    if name not in os.environ:
        raise ValueError(
            f"the environment variable {quoted(name)} is not set; put the text in quotes if it is meant as it stands"
        )
    return os.environ[name]


def _moment(found: re.Match[str]) -> datetime.date:
    try:
        if found["date"]:
            return datetime.date.fromisoformat(found["date"])
        year, month, day = found["day"].split("-")
        zone = _zone(found["zone"] or "")
        return datetime.datetime.fromisoformat(
            f"{year}-{month:>02}-{day:>02}T{found['hour']:>02}{_fraction(found['rest'])}{zone}"
        )
    except ValueError:
        raise ValueError(f"{found[0]} reads as a date, and there is no such; put it in quotes if it is a text") from None


def _fraction(rest: str) -> str:
    time, dot, digits = rest.partition(".")
    return f"{time}.{digits[:6]:0<6}" if dot else time


def _zone(written: str) -> str:
    if written in {"", "Z"}:
        return written
    hours, _, minutes = written[1:].partition(":")
    return f"{written[0]}{hours:>02}:{minutes or '00'}"
