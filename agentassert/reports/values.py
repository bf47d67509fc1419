"""Values, times and numbers in words: masked, bounded, and never raising."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from agentassert import render
from agentassert.records import NOT_RECORDED
from agentassert.reports.nodes import Field, Limits
from agentassert.stored.recorded_errors import members, message_of
from agentassert.text.masking import is_secret_name, masked, secrets_shown
from agentassert.text.pieces import escaped
from agentassert.token_usage import TokenUsage

_MOST_ROWS: Final = 40
_MOST_CAUSES: Final = 8
_SECOND: Final = 1.0
_MINUTE: Final = 60.0


def block(text: str, limit: int) -> str:
    """A text over several lines, its lines kept; of a long one the beginning, and how long it is.

    Example:
        >>> print(block("Dear Ann,\\nyour password='hunter2' \\x1b[31m", 100))
        Dear Ann,
        your password='***' \\x1b[31m
        >>> block("a" * 1_000_000, 10)
        'aaaaaaaaaa… (1,000,000 characters in all)'
    """
    text = str.__str__(text)
    taken, size = [], 0
    for chunk in (text[: limit + 1],) if secrets_shown() else masked(text):
        taken.append(chunk)
        size += len(chunk)
        if size > limit:
            break
    lines = "".join(taken)[:limit].replace("\r\n", "\n").expandtabs(4).split("\n")
    shown = "\n".join(map(escaped, lines))
    return shown if size <= limit else f"{shown}… ({len(text):,} characters in all)"


def field(label: str, value: Any, limits: Limits) -> Field:
    """What is to be known of any value: a text as it is, a mapping or a list a row an entry, anything else as `repr` has it.

    Example:
        >>> field("result", {"id": 7, "token": "abc"}, Limits()).rows
        (Field(label='id', text='7', rows=()), Field(label='token', text="'***'", rows=()))
    """
    room = limits.room()
    if value is NOT_RECORDED:
        return Field(label, "not recorded")
    if type(value) is str:
        return limits.spend(Field(label, block(value, room)))
    rows = _rows(value, room) if issubclass(type(value), (Mapping, list, tuple)) else ()
    return limits.spend(Field(label, rows=rows) if rows else Field(label, render.value(value, limit=room)))


def fits(value: Any, room: int) -> bool:
    """Whether a line of so many characters tells all about a value: a short text of one line, or a value whose `repr` is short.

    Example:
        >>> fits("one line", 40), fits("two\\nlines", 40), fits([1] * 100, 40)
        (True, False, False)
    """
    if type(value) is str:
        return len(value) + 2 <= room and "\n" not in value
    return len(render.value(value, limit=room)) < room // 2


def errors(raised: BaseException | str, limits: Limits) -> Iterator[Field]:
    """An error, what caused it, and what it is a group of, a field each."""
    waiting, seen = [("error", raised)], 0
    while waiting and seen < _MOST_CAUSES:
        label, one = waiting.pop(0)
        seen += 1
        text = one if isinstance(one, str) else f"{render.error_type(one)}: {message_of(one)}".removesuffix(": ")
        yield limits.spend(Field(label, block(text, limits.room())))
        if isinstance(one, BaseException):
            waiting += [("in it", member) for member in members(one)]
            waiting += [("caused by", one.__cause__)] if one.__cause__ is not None else []


def seconds(duration: float | None) -> str:
    """A duration in words.

    Example:
        >>> [seconds(duration) for duration in (0.00002, 0.00042, 0.0123, 1.5, 125.0)]
        ['< 0.1 ms', '0.4 ms', '12 ms', '1.50 s', '2 min 5 s']
    """
    if duration is None:
        return ""
    if duration < _SECOND / 10_000:
        return "< 0.1 ms"
    if duration < _SECOND:
        return f"{duration * 1000:.{1 if duration < _SECOND / 100 else 0}f} ms"
    if duration < _MINUTE:
        return f"{duration:.2f} s"
    return f"{duration // _MINUTE:,.0f} min {duration % _MINUTE:.0f} s"


def tokens(usage: TokenUsage | None) -> str:
    """Token usage in words, as far as it was reported.

    Example:
        >>> tokens(TokenUsage(input_tokens=1200, output_tokens=34)), tokens(TokenUsage(total_tokens=7)), tokens(None)
        ('1,234 tokens (1,200 in, 34 out)', '7 tokens', '')
    """
    if usage is None:
        return ""
    counts = ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
    parts = ", ".join(f"{count:,} {way}" for count, way in counts if count is not None)
    if usage.total_tokens is None:
        return f"tokens: {parts}" if parts else ""
    return f"{usage.total_tokens:,} tokens" + (f" ({parts})" if parts else "")


def moment(at: datetime | None) -> str:
    """A moment in words, to the millisecond."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d} {at.tzname() or ''}".rstrip()


def known(*facts: str) -> tuple[str, ...]:
    """Those that are not empty."""
    return tuple(filter(None, facts))


def _rows(values: Any, room: int) -> tuple[Field, ...]:
    """An entry a row; nothing for an empty container, or a hostile one."""
    try:
        return tuple(_entries(values, len(values), room))
    except Exception:  # what it holds is shown on one line then, as far as it can be
        return ()


def _entries(values: Any, size: int, room: int) -> Iterator[Field]:
    pairs: Iterable[tuple[Any, Any]] = values.items() if isinstance(values, Mapping) else enumerate(values)
    for key, value in itertools.islice(pairs, _MOST_ROWS):
        label = render.words(key, limit=60) if type(key) is str else render.value(key, limit=60)
        yield Field(label, render.value(value, limit=max(200, room // size), secret=is_secret_name(key)))
    if size > _MOST_ROWS:
        yield Field("…", f"{size - _MOST_ROWS:,} more")
