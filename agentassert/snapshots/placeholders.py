"""Texts whose volatile parts are told apart from the rest: a UUID is another one in every run, and still a UUID."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, TypeAlias

import attrs

from agentassert.checks.paths import mapped

Label: TypeAlias = str | int | None

_SEPARATOR: Final = r"[\\/]"
_NO_MORE: Final = r"(?=[\\/\s\"'<>)\],;:.]|\Z)"
_DRAWN: Final = (
    rf"tmp[a-z0-9_]{{8}}(?![a-z0-9_])|tmp\.[A-Za-z0-9]{{6,12}}\b|pytest-of-[^\\/\s]+{_SEPARATOR}pytest-\d+"
    rf"(?:{_SEPARATOR}popen-gw\d+)?(?:{_SEPARATOR}[^\\/\s\"'<>]*\d{_NO_MORE})?"
)
"""The part of a temporary path that is another one in every run: what an agent names below that is compared."""

_KINDS: Final = {
    "uuid": r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
    # A bare date, or a time without seconds, is what people write: an agent that books the wrong day must not pass.
    "timestamp": r"\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?\b",
    # As in `<Client object at 0x7f…>`; a colour or an error code is none.
    "address": r"(?<=\bat )0x[0-9a-fA-F]{6,16}\b",
    "temp path": (
        rf"(?<![\w.-])(?:(?:/private)?/tmp/(?:{_DRAWN})|(?:(?:/private)?/var/folders/[^/\s]+/[^/\s]+/T"
        rf"|[A-Za-z]:{_SEPARATOR}(?:[^\\/:\s\"'<>]+{_SEPARATOR})*(?i:te?mp)(?![\w-]))(?:{_SEPARATOR}(?:{_DRAWN}))?)"
    ),
    "hex": r"\b(?:[0-9a-f]{16,}|[0-9A-F]{16,})\b",
}
_WRITTEN_OUT: Final = {
    "uuid": re.compile(r"(?!.{14}[1-8].{4}[89abAB]).*"),
    "timestamp": re.compile(r".{16}:00(?:[.,]0+)?(?:Z|[+-].*)?"),
    "hex": re.compile(r"[0-9]+|[a-fA-F]+"),
}
"""What people make up rather than machines: ids that are no real UUIDs, times of full minutes, a card's number. A new file has it."""

_ONE_VALUE: Final = frozenset({"uuid", "temp path", "hex"})
"""Kinds of which two are the same, or not, for a reason. Whether two times fall into one second is chance, and an address is used again."""

_VOLATILE: Final = re.compile("|".join(f"(?P<{kind.replace(' ', '_')}>{pattern})" for kind, pattern in _KINDS.items()))
_PLACEHOLDER: Final = re.compile(rf"<((?:literal )*)({'|'.join(_KINDS)})(?: ([1-9][0-9]{{0,8}}))?>")


@attrs.frozen
class Slot:
    """A volatile part of a text.

    Args:
        kind: what it is, such as `uuid`.
        label: equal where the value is the same: the value itself, or the number that stands for it in a file; `None` where it may
            be any.
    """

    kind: str
    label: Label


@attrs.frozen
class Text:
    """A text with volatile parts.

    Args:
        parts: what it is made of, in order.

    Example:
        >>> found("order 123e4567-e89b-42d3-a456-426614174000 of 2026-01-02")
        Text(parts=('order ', Slot(kind='uuid', label='123e4567-e89b-42d3-a456-426614174000'), ' of 2026-01-02'))
    """

    parts: tuple[str | Slot, ...]

    @property
    def as_it_was(self) -> str:
        """The text of what ran, with its values."""
        return "".join(str(part.label) if isinstance(part, Slot) else part for part in self.parts)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The volatile parts, in order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

    def written(self, number: Callable[[Slot], int | None]) -> str:
        """The text as a file has it, each volatile part as its placeholder."""
        return "".join(_written(part, number) for part in self.parts)


def found(text: str, kept: Collection[str] = ()) -> str | Text:
    """The text with its volatile parts told apart; itself when there are none.

    Args:
        text: any text.
        kept: values that are compared as they are, because a file has them written out.
    """
    parts: list[str | Slot] = []
    position = 0
    for one in _VOLATILE.finditer(text):
        if one.group() not in kept:
            parts += text[position : one.start()], Slot(str(one.lastgroup).replace("_", " "), one.group())
            position = one.end()
    return text if not parts else Text(_tidy([*parts, text[position:]]))


def read(text: str) -> str | Text:
    """What a text of a file stands for.

    Example:
        >>> read("order <uuid 2>"), read("order <literal uuid>")
        (Text(parts=('order ', Slot(kind='uuid', label=2))), 'order <uuid>')
    """
    parts: list[str | Slot] = []
    position = 0
    for one in _PLACEHOLDER.finditer(text):
        literal, kind, number = one.groups()
        parts.append(text[position : one.start()])
        parts.append(one.group().replace("literal ", "", 1) if literal else Slot(kind, int(number) if number else None))
        position = one.end()
    tidy = _tidy([*parts, text[position:]])
    return Text(tidy) if any(isinstance(part, Slot) for part in tidy) else "".join(map(str, tidy))


def volatile_in(value: Any) -> Iterator[str]:
    """The values in a JSON-like value of a file that would be volatile in what ran.

    Example:
        >>> list(volatile_in(["at 2026-01-02T10:00:00Z", read("<uuid>")]))
        ['2026-01-02T10:00:00Z']
    """
    if isinstance(value, (str, Text)):
        # For what stands there a letter: beside a value, as beside a word, many a text is none that is volatile.
        text = value if isinstance(value, str) else "".join("x" if isinstance(part, Slot) else part for part in value.parts)
        yield from (one.group() for one in _VOLATILE.finditer(text))
        return
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ():
        yield from volatile_in(item)


def numbering(slots: Iterator[Slot]) -> Callable[[Slot], int | None]:
    """Numbers for values, for each kind from 1, in the order of these slots; none for a kind that stands at one place alone.

    Two values have two numbers even if each stands at one place: from an account to itself is not from one to another.

    Example:
        >>> number = numbering(iter([Slot("uuid", "a"), Slot("uuid", "b"), Slot("uuid", "b"), Slot("hex", "c")]))
        >>> number(Slot("uuid", "a")), number(Slot("uuid", "b")), number(Slot("hex", "c"))
        (1, 2, None)
    """
    of_kinds: defaultdict[str, list[Slot]] = defaultdict(list)
    for slot in slots:
        if slot.label is not None and (slot.kind in _ONE_VALUE or isinstance(slot.label, int)):
            of_kinds[slot.kind].append(slot)
    numbered = (dict.fromkeys(alike) for alike in of_kinds.values() if len(alike) > 1)
    return {slot: number for alike in numbered for number, slot in enumerate(alike, start=1)}.get


def written_out(slots: Iterator[Slot]) -> frozenset[str]:
    """The values among these that a new file has as they are.

    Example:
        >>> sorted(written_out(iter([Slot("timestamp", "2026-01-02T10:00:00Z"), Slot("timestamp", "2026-01-02T10:00:07Z")])))
        ['2026-01-02T10:00:00Z']
    """
    values = ((slot.kind, str(slot.label)) for slot in slots)
    return frozenset(value for kind, value in values if kind in _WRITTEN_OUT and _WRITTEN_OUT[kind].fullmatch(value))


def slots_in(value: Any) -> Iterator[Slot]:
    """The volatile parts in a JSON-like value, in an order that is the same for values of the same shape."""
    if type(value) is dict:
        for key in sorted(value):
            yield from slots_in(value[key])
    elif type(value) is list:
        for item in value:
            yield from slots_in(item)
    elif isinstance(value, Text):
        yield from value.slots


def convert(value: Any, text: Callable[[str], Any]) -> Any:
    """A copy of a JSON-like value with its texts converted."""
    return mapped(value, lambda leaf: text(leaf) if type(leaf) is str else leaf)


def _tidy(parts: list[str | Slot]) -> tuple[str | Slot, ...]:
    """Without empty texts, and with neighbouring ones as one: equal texts have equal parts."""
    tidy: list[str | Slot] = []
    for part in parts:
        if isinstance(part, str) and tidy and isinstance(tidy[-1], str):
            tidy[-1] += part
        elif part:
            tidy.append(part)
    return tuple(tidy)


def _written(part: str | Slot, number: Callable[[Slot], int | None]) -> str:
    if isinstance(part, str):
        return literal(part)
    own = number(part)
    return f"<{part.kind}>" if own is None else f"<{part.kind} {own}>"


def literal(text: str) -> str:
    """A text as a file has it: what looks like a placeholder in it is written so that it is read as itself.

    Example:
        >>> literal("<uuid> of <order>")
        '<literal uuid> of <order>'
    """
    return _PLACEHOLDER.sub(lambda one: f"<literal {one.group()[1:]}", text)
