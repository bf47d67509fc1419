"""Reads YAML 1.2 into plain data, and remembers where everything stands.

Only the events come from the YAML library: what words mean, what is refused and how much is too much is decided here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NoReturn

import attrs

from agentassert.suites.marks import Marks, Position
from agentassert.suites.problems import Problem, YamlError, quoted
from agentassert.suites.scalars import resolve
from agentassert.suites.yaml_syntax import events, parser_of, problem_of, readable, yaml

MOST_BYTES: Final = 1_048_576
DEEPEST: Final = 50
MOST_FROM_ALIASES: Final = 100_000


@attrs.frozen
class Document:
    """What a text says.

    Args:
        data: mappings, lists, texts, numbers, booleans and `None`; `None` itself for a text that says nothing. What an alias
            stands for is the same object everywhere.
        marks: where everything stands.
    """

    data: Any
    marks: Marks


def parse(content: bytes, meaning: Callable[[str], Any] = resolve) -> Document:
    """Read a YAML file of one document.

    Args:
        content: what is in the file, in UTF-8.
        meaning: what a word without quotes means; a `ValueError` says why it means nothing.

    Raises:
        YamlError: for the first thing that is wrong: it is no YAML, too big, too deep, or uses what is refused (tags, keys that
            are no texts, keys that occur twice, aliases that multiply).

    Example:
        >>> document = parse(b"answers: {yes: 0o17}")
        >>> document.data, document.marks.of_value(("answers", "yes"))
        ({'answers': {'yes': 15}}, (1, 16))
    """
    if len(content) > MOST_BYTES:
        raise YamlError(Problem(1, 1, f"the file has more than {MOST_BYTES:,} bytes: split it into several"))
    text = readable(content)
    try:
        return _Composer(parser_of(text).get_event, meaning).document()
    except yaml.YAMLError as error:
        raise YamlError(problem_of(error, text)) from None


@attrs.frozen
class _Anchored:
    data: Any
    marks: Marks
    size: int


@attrs.define
class _Composer:
    """Puts the events of one document together."""

    _next: Callable[[], Any]
    _meaning: Callable[[str], Any]
    _anchors: dict[str, _Anchored | None] = attrs.field(factory=dict, init=False)
    """`None` while what is anchored is being read."""
    _values: int = attrs.field(default=0, init=False)
    """How many values were put together; what an alias stands for counts each time."""
    _from_aliases: int = attrs.field(default=0, init=False)

    def document(self) -> Document:
        self._next()
        start = self._next()
        if type(start) is events.StreamEndEvent:
            return Document(None, Marks((1, 1)))
        if start.version not in {None, (1, 2)}:
            _refuse(start, "suites are YAML 1.2: leave the %YAML directive out")
        data, marks = self._value(self._next(), 0)
        self._next()
        after = self._next()
        if type(after) is not events.StreamEndEvent:
            _refuse(after, "a second document begins here: a file holds one; put the other into a file of its own")
        return Document(data, marks)

    def _value(self, event: Any, depth: int) -> tuple[Any, Marks]:
        kind = type(event)
        if kind is events.AliasEvent:
            return self._alias(event)
        if event.tag is not None:
            _refuse(event, f"tags are refused, and this is {quoted(event.tag)}: write the value without it")
        if event.anchor is None:
            return self._content(event, kind, depth)
        self._anchors[event.anchor] = None
        before = self._values
        data, marks = self._content(event, kind, depth)
        self._anchors[event.anchor] = _Anchored(data, marks, self._values - before)
        return data, marks

    def _content(self, event: Any, kind: type, depth: int) -> tuple[Any, Marks]:
        self._values += 1
        if kind is events.ScalarEvent:
            return self._scalar(event), Marks(_position(event))
        if depth == DEEPEST:
            _refuse(event, f"this is nested more than {DEEPEST} levels deep")
        return self._mapping(event, depth) if kind is events.MappingStartEvent else self._list(event, depth)

    def _list(self, start: Any, depth: int) -> tuple[list[Any], Marks]:
        data: list[Any] = []
        items: list[Marks] = []
        while type(event := self._next()) is not events.SequenceEndEvent:
            one, marks = self._value(event, depth + 1)
            data.append(one)
            items.append(marks)
        return data, Marks(_position(start), None, items)

    def _mapping(self, start: Any, depth: int) -> tuple[dict[str, Any], Marks]:
        data: dict[str, Any] = {}
        keys: dict[str, Position] = {}
        items: dict[str, Marks] = {}
        merged: tuple[Any, Marks] | None = None
        while type(event := self._next()) is not events.MappingEndEvent:
            key = self._key(event)
            if key in keys:
                _refuse(event, f"the key {quoted(key)} is there twice, first in line {keys[key][0]}")
            keys[key] = _position(event)
            if key == "<<" and type(event) is events.ScalarEvent and event.implicit[0]:
                merged = self._value(self._next(), depth + 1)
            else:
                data[key], items[key] = self._value(self._next(), depth + 1)
        if merged is not None:
            del keys["<<"]
            _merge(*merged, data, keys, items)
        return data, Marks(_position(start), keys, items)

    def _key(self, event: Any) -> str:
        if type(event) not in {events.ScalarEvent, events.AliasEvent}:
            _refuse(event, "a key must be a text, not a mapping or a list; put a text that begins with '{' or '[' in quotes")
        key, _ = self._value(event, 0)
        if not isinstance(key, str):
            written = getattr(event, "value", "")
            quote = f"a key must be a text: put it in quotes, as {quoted(written)}"
            _refuse(event, quote if written else "a key is missing before this ':'")
        return key

    def _alias(self, event: Any) -> tuple[Any, Marks]:
        name = event.anchor
        if name not in self._anchors:
            _refuse(event, f"no anchor {quoted(name)} comes before this alias; put a text that begins with '*' in quotes")
        anchored = self._anchors[name]
        if anchored is None:
            _refuse(event, f"the alias {quoted(name)} stands inside of what it stands for")
        self._values += anchored.size
        self._from_aliases += anchored.size
        if self._from_aliases > MOST_FROM_ALIASES:
            _refuse(event, f"aliases multiply the file to more than {MOST_FROM_ALIASES:,} values: write out what is meant")
        return anchored.data, Marks(_position(event), anchored.marks.keys, anchored.marks.items)

    def _scalar(self, event: Any) -> Any:
        if not event.implicit[0]:
            return event.value
        try:
            return self._meaning(event.value)
        except ValueError as error:
            _refuse(event, str(error))


def _merge(merged: Any, marks: Marks, data: dict[str, Any], keys: dict[str, Position], items: dict[str, Marks]) -> None:
    """Add what the merge key `<<` names, without changing what is there."""
    sources = list(zip(merged, marks.items, strict=True)) if isinstance(marks.items, list) else [(merged, marks)]
    if not sources or not all(isinstance(source, dict) for source, _ in sources):
        raise YamlError(Problem(*marks.position, "the merge key << takes a mapping or a list of mappings, such as <<: *anchor"))
    for source, of_source in sources:
        for key, one in source.items():
            if key not in data and isinstance(of_source.items, dict) and of_source.keys is not None:
                data[key], keys[key], items[key] = one, of_source.keys[key], of_source.items[key]


def _position(event: Any) -> Position:
    mark = event.start_mark
    return mark.line + 1, mark.column + 1


def _refuse(event: Any, message: str) -> NoReturn:
    raise YamlError(Problem(*_position(event), message))
