"""A value as a stream of short pieces of text, of which no more is made than somebody takes.

The stream walks containers itself and asks only leaf objects for their `repr`, so that a huge or cyclic structure costs no more than
what is shown of it, and a hostile object spoils no more than its own place.
"""

from __future__ import annotations

import enum
import itertools
import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple, TypeAlias, cast

from agentassert.text.masking import MASK, is_secret_name, masked

SHORTEST: Final = 40
"""The least room, in characters, in which the middle of a text can be left out and the number of characters still be told."""

_CHUNK: Final = 4096
_LARGEST_SORTED: Final = 10_000
MOST_BITS: Final = 10_000
"""Python refuses to write, and to read, integers of much more than this in decimal."""

_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+")


class _Inner(NamedTuple):
    """A value inside another one, whose turn has come."""

    value: Any
    secret: bool = False


_Step: TypeAlias = str | _Inner


class _Frame(NamedTuple):
    """A value that is being shown: the text that begins it, what is left of it, and the text that ends it."""

    steps: Iterator[_Step]
    opening: str = ""
    closing: str = ""
    identity: int = 0


class Pieces:
    """One rendering of one value.

    Args:
        mask: whether what looks like a secret is replaced.
        room: about how many characters there are: texts are cut in the middle, containers at the end; `None` shows everything.
        quote: the quotation mark of texts; `None` takes the one that `repr` takes.

    Example:
        >>> "".join(Pieces().of({"id": 7, "tags": ["a"], "password": "x"}))
        "{'id': 7, 'tags': ['a'], 'password': '***'}"
        >>> "".join(Pieces().of_call({"id": 7, "odd key": None}))
        "id=7, 'odd key'=None"
        >>> "".join(Pieces(room=10).of(list(range(100))))
        '[0, 1, 2, … 97 more]'
    """

    def __init__(self, *, mask: bool = True, room: int | None = None, quote: str | None = None) -> None:
        self._mask = mask
        self._room = room
        self._share: int | None = None
        self._quote = quote

    def of(self, value: Any, *, secret: bool = False) -> Iterator[str]:
        """The value as its `repr` would show it; `secret` says that its name is that of a secret."""
        return self._run(iter((_Inner(value, secret),)))

    def of_call(self, arguments: Mapping[Any, Any]) -> Iterator[str]:
        """The arguments as a call would show them."""
        self._share_out()
        return self._run(self._items(arguments, call=True))

    def of_words(self, words: str) -> Iterator[str]:
        """A text as it is, without quotation marks, on one line."""
        return self._run(self._words(words))

    def _run(self, steps: Iterator[_Step]) -> Iterator[str]:
        stack = [_Frame(steps)]
        above: set[int] = set()
        while stack:
            frame = stack[-1]
            try:
                step = next(frame.steps, None)
            except Exception as raised:  # a hostile container: what it showed so far stays
                step = f" <raised {type_name(type(raised))}>"
            if isinstance(step, _Inner):
                opened = self._open(step, above)
                above.add(opened.identity)
                stack.append(opened)
                self._spend(opened.opening + opened.closing)
                yield opened.opening
            elif step is not None:
                self._spend(step)
                yield step
            else:
                stack.pop()
                above.discard(frame.identity)
                yield frame.closing

    def _open(self, inner: _Inner, above: set[int]) -> _Frame:
        if inner.secret and self._mask and _is_hidden(inner.value):
            return _Frame(iter((repr(MASK),)))
        if id(inner.value) in above:
            return _Frame(iter(("<circular reference>",)))
        try:
            return self._open_kind(inner.value, type(inner.value))
        except Exception:  # a class that cannot even be asked what it is
            return _Frame(self._leaf(inner.value))

    def _open_kind(self, value: Any, kind: type) -> _Frame:
        if issubclass(kind, (enum.Enum, bytes)):
            return _Frame(self._leaf(value))
        if issubclass(kind, str):
            return _Frame(self._text(str.__str__(value)))
        for container, opening, closing in _CONTAINERS:
            if issubclass(kind, container):
                return self._open_container(value, container, opening, closing)
        return _Frame(self._leaf(value))

    def _open_container(self, value: Any, container: Any, opening: str, closing: str) -> _Frame:
        self._share_out()
        if container is Mapping:
            return _Frame(self._items(value), opening, closing, id(value))
        size = container.__len__(value)
        if size == 0 and container in _SETS:
            return _Frame(iter((f"{container.__name__}()",)))
        closing = "," * (size == 1 and container is tuple) + closing
        return _Frame(self._elements(value, container), opening, closing, id(value))

    def _items(self, mapping: Mapping[Any, Any], call: bool = False) -> Iterator[_Step]:
        for index, (key, value) in enumerate(_pairs(mapping)):
            if index:
                yield ", "
            if self._full():
                yield f"… {len(mapping) - index:,} more"
                return
            if call and type(key) is str and key.isidentifier() and not keyword.iskeyword(key) and len(key) < SHORTEST:
                yield key
            else:
                yield _Inner(key)
            yield "=" if call else ": "
            yield _Inner(value, is_secret_name(key))

    def _elements(self, values: Any, kind: Any) -> Iterator[_Step]:
        for index, value in enumerate(_in_order(values) if kind in _SETS else kind.__iter__(values)):
            if index:
                yield ", "
            if self._full():
                yield f"… {kind.__len__(values) - index:,} more"
                return
            yield _Inner(value)

    def _leaf(self, value: Any) -> Iterator[str]:
        return self._words(_ADDRESS.sub("", _repr(value)))

    def _words(self, text: str) -> Iterator[str]:
        if self._room is not None and len(text) > self._text_room():
            yield self._shortened(text, "")
            return
        for chunk in masked(text) if self._mask else _chunks(text):
            yield escaped(chunk)

    def _text(self, text: str) -> Iterator[str]:
        quote = self._quote or ('"' if "'" in text and '"' not in text else "'")
        if self._room is not None and len(text) > self._text_room() - 2:
            yield self._shortened(text, quote)
            return
        yield quote
        for chunk in masked(text) if self._mask else _chunks(text):
            yield _escaped_in(quote, chunk)
        yield quote

    def _shortened(self, text: str, quote: str) -> str:
        """The text with its middle left out, in the room that there is."""
        room = self._text_room()
        # Enough on both sides of what is shown to know a secret that begins or ends there.
        edge = room + 10_000
        if len(text) <= 2 * edge:
            front = back = self._cleared(text)
        else:
            front, back = self._cleared(text[:edge]), self._cleared(text[-edge:])
        room -= len(f"{quote}…({len(text):,} characters)…{quote}")
        first = _fitting(front, room * 2 // 3, quote)
        last = _fitting(reversed(back), room - room * 2 // 3, quote)
        if front is back and first + last >= len(front):
            return quote + _escaped_in(quote, front) + quote
        left_out = (len(front) if front is back else len(text)) - first - last
        ending = back[len(back) - last :]
        return f"{quote}{_escaped_in(quote, front[:first])}…({left_out:,} characters)…{_escaped_in(quote, ending)}{quote}"

    def _cleared(self, text: str) -> str:
        return "".join(masked(text)) if self._mask else text

    def _text_room(self) -> int:
        room = self._room or 0
        return max(SHORTEST, room if self._share is None else min(room, self._share))

    def _share_out(self) -> None:
        """Leave no single text in a container more than a part of the room."""
        if self._room is not None and self._share is None:
            self._share = self._room * 2 // 5

    def _full(self) -> bool:
        return self._room is not None and self._room <= 0

    def _spend(self, text: str) -> None:
        if self._room is not None:
            self._room -= len(text)


_SETS: Final = (set, frozenset)
_CONTAINERS: Final[tuple[tuple[Any, str, str], ...]] = (
    (Mapping, "{", "}"),
    (list, "[", "]"),
    (tuple, "(", ")"),
    (set, "{", "}"),
    (frozenset, "frozenset({", "})"),
)


def escaped(text: str, spelling: Callable[[str], str] = repr) -> str:
    """The text on one line: what would move a cursor, break a line or change a colour is spelt out, as `spelling` quotes it.

    Example:
        >>> escaped("two\\nlines, \\x1b[31mred")
        'two\\\\nlines, \\\\x1b[31mred'
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else spelling(char)[1:-1] for char in text)


def type_name(kind: type) -> str:
    """The name of a class, whatever its metaclass makes of it.

    Example:
        >>> type_name(int)
        'int'
    """
    return escaped(str(type.__dict__["__name__"].__get__(kind)))[:100]


def _escaped_in(quote: str, text: str) -> str:
    """The text as `repr` writes it between these quotation marks, which `repr` chooses by the other one."""
    if not quote:
        return escaped(text)
    other = '"' if quote == "'" else "'"
    return repr(other + text)[2:-1]


def _fitting(chars: Iterable[str], room: int, quote: str) -> int:
    """How many of the characters fit into the room once they are escaped."""
    count = used = 0
    for char in chars:
        used += len(_escaped_in(quote, char))
        if used > room:
            break
        count += 1
    return count


def _chunks(text: str) -> Iterator[str]:
    return (text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK))


def _repr(value: Any) -> str:
    kind = type(value)
    if kind is int and value.bit_length() > MOST_BITS:
        return hex(value)
    if kind is bytes and len(value) > _CHUNK:
        return f"{value[:_CHUNK]!r}…({len(value) - _CHUNK:,} bytes)"
    try:
        return str.__str__(repr(value))
    except Exception as raised:  # an object that cannot even be shown must not hide the failure that it is part of
        return f"<{type_name(kind)}: its repr raised {type_name(type(raised))}>"


def _pairs(mapping: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    if issubclass(type(mapping), dict):
        return dict.items(cast("dict[Any, Any]", mapping))
    return ((key, mapping[key]) for key in mapping)


def _in_order(values: Any) -> Iterable[Any]:
    """The elements of a set in an order that does not change from run to run."""
    if len(values) > _LARGEST_SORTED:
        return itertools.islice(values, _LARGEST_SORTED)
    kinds = {type(value) for value in values}
    return sorted(values, key=None if kinds == {str} or kinds <= {int, float} else _repr)


def _is_hidden(value: Any) -> bool:
    """Whether a value in a secret's place can be one: an absent or empty one says something, and betrays nothing."""
    if value is None or type(value) is bool:
        return False
    return not any(type(value) is kind for kind in (str, bytes, list, tuple, dict)) or bool(value)
