"""The fields of a document, read one by one, with errors that say where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, Never, TypeVar

from agentassert import render
from agentassert.errors import SpanError

_T = TypeVar("_T")
_DIGITS: Final = re.compile("[0-9a-f]+")
_LONGEST_ID: Final = 60
END_OF_TIME: Final = 2**64
"""What the nanoseconds of OpenTelemetry can count to."""


class _OfSpan(NamedTuple):
    """The place of a span, put into words where an error names it: there are very many spans, and few errors."""

    around: str | _OfSpan
    span_id: Any
    name: str | None

    def __str__(self) -> str:
        shown_id = "" if self.span_id is None else f" {render.words(str(self.span_id), _LONGEST_ID)}"
        shown_name = "" if self.name is None else f" ({render.value(self.name)})"
        return f"{self.around}{shown_id}{shown_name}"


class Fields:
    """A mapping out of a document, and its place there.

    Args:
        content: the mapping.
        place: how errors name it.

    Example:
        >>> Fields({"traceId": 7}, "trace.json, span 1").required_text("traceId", "trace_id")
        Traceback (most recent call last):
        agentassert.errors.SpanError: trace.json, span 1: traceId: must be a text, but was 7
    """

    __slots__ = ("content", "place")

    def __init__(self, content: Mapping[str, Any], place: str | _OfSpan) -> None:
        self.content = content
        self.place = place

    def named(self, name: str | None, span_id: Any) -> None:
        """Have errors name the span that these are the fields of."""
        self.place = _OfSpan(self.place, span_id, name)

    def raw(self, *names: str) -> Any:
        """The value under the first of these names that is there."""
        content = self.content
        for name in names:
            value = content.get(name)
            if value is not None:
                return value
        return None

    def text(self, *names: str) -> str | None:
        """A text, or nothing."""
        value = self.raw(*names)
        return value if value is None or isinstance(value, str) else self.refuse("must be a text", value, *names)

    def required_text(self, *names: str) -> str:
        """A text that must be there."""
        value = self.text(*names)
        return value if value is not None else self.refuse_missing(*names)

    def whole_number(self, *names: str) -> int | None:
        """A whole number, which JSON keeps as text when it is long; or nothing."""
        value = self.raw(*names)
        if value is None or (isinstance(value, int) and not isinstance(value, bool)):
            return value
        try:
            return int(value) if isinstance(value, str) else self.refuse("must be a whole number", value, *names)
        except ValueError:
            return self.refuse("must be a whole number", value, *names)

    def nanoseconds(self, *names: str) -> int | None:
        """A time in nanoseconds since 1970, or nothing."""
        value = self.whole_number(*names)
        return value if value is None or 0 <= value < END_OF_TIME else self.refuse_time(value, *names)

    def refuse_time(self, value: Any, *names: str) -> Never:
        """Say that a time is none that a clock could have shown."""
        self.refuse("must be a time from 1970 to 2554", value, *names)

    def mapping(self, *names: str) -> Fields:
        """A mapping; an empty one where there is nothing."""
        value = self.raw(*names)
        if value is None:
            return Fields({}, self.place)
        return Fields(value, self.place) if isinstance(value, Mapping) else self.refuse("must be an object", value, *names)

    def items(self, *names: str) -> Iterator[Fields]:
        """The mappings in a list; none where there is nothing."""
        value = self.raw(*names)
        if value is None:
            return
        if not isinstance(value, (list, tuple)):
            self.refuse("must be a list", value, *names)
        for index, item in enumerate(value):
            if not isinstance(item, Mapping):
                self.refuse(f"must be a list of objects, but has at {index}", item, *names)
            yield Fields(item, self.place)

    def one_of(self, meanings: Mapping[Any, _T], *names: str) -> _T:
        """What a value stands for."""
        value = self.raw(*names)
        try:
            return meanings[value]
        except (KeyError, TypeError):
            known = ", ".join(repr(one) for one in meanings if one is not None)
            self.refuse(f"must be one of {known}", value, *names)

    def refuse(self, wanted: str, value: Any, *names: str) -> Never:
        """Say what a field should be, and what it is."""
        name = next((one for one in names if one in self.content), names[0])
        raise SpanError(f"{self.place}: {name}: {wanted}, but was {render.value(value)}")

    def refuse_missing(self, *names: str) -> Never:
        """Say that a field is missing."""
        raise SpanError(f"{self.place}: {names[0]}: is missing")


def hexadecimal(fields: Fields, given: str, size: int, *names: str) -> str:
    """An id of so many bytes in lower case."""
    digits = given.lower().removeprefix("0x")
    if not _DIGITS.fullmatch(digits) or len(digits) > 2 * size:
        fields.refuse(f"must be an id of {size} bytes", given, *names)
    if not digits.strip("0"):
        fields.refuse("must be an id other than zero", given, *names)
    return digits.zfill(2 * size)
