"""Changes to valid inputs: in their structure where they have one, in their bytes now and then.

JSON is changed as a tree, in which an object is a list of pairs (so that a key can stand twice) and `Raw` writes itself (so that a tree
holds what no value is: half an escape, brackets a hundred thousand deep, an integer of five thousand digits).
"""

from __future__ import annotations

import contextlib
import gzip
import json
import random
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

_RAW: Final = (
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "1e999",
        "-0",
        "-1",
        "0",
        "1.5",
        "1e308",
        "2147483648",
        "18446744073709551616",
        "1" + "0" * 400,
    ),
    *(
        "9" * 5_000,
        "null",
        "true",
        "false",
        "{}",
        "[]",
        "[[]]",
        '{"":{}}',
        '""',
        '"\\ud800"',
        '"\\udc80x"',
        '"\\u0000"',
        "tru",
        "'x'",
    ),
    *(
        "[" * 300 + "]" * 300,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 300 + "1" + "}" * 300,
        '{"a":' * 50_000 + "1" + "}" * 50_000,
    ),
    "[" * 100_000,
)
_TEXTS: Final = (
    *(
        "",
        " ",
        "\x00",
        "\x1b[31mred\x1b]8;;http://x\x07",
        "\u202edesrever",
        "\u2028\u2029\x85",
        "\ud800",
        "\udfff\udbff",
        "a\r\nb",
        "\ufeff",
    ),
    *(
        "</script><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "]]>",
        "&lt;",
        "{{7*7}}",
        "${x}",
        "%s%n",
        "__class__",
        "$..",
    ),
    *(
        "../../../../etc/passwd",
        "/etc/passwd",
        "file:///etc/passwd",
        "http://127.0.0.1:9/",
        "!!python/object/apply:os.system",
        "NaN",
        "nan",
    ),
    *(
        "1e999",
        "-1",
        "9" * 5_000,
        "0x10",
        "\u0661\u0662",
        "\u00b2",
        "True",
        "null",
        "None",
        "{",
        "[",
        '{"a": 1',
        "[" * 5_000,
        "x" * 100_000,
    ),
    *(
        "a." * 3_000 + "a",
        "0." * 3_000 + "0",
        "C:/" * 4_000,
        "<uuid>",
        "<literal uuid>",
        "2026-01-02T10:00:00Z",
        "9999-12-31T23:59:59+23:59",
    ),
    *(
        "0001-01-01T00:00:00+14:00",
        "password",
        "sk-" + "a" * 40,
        "Bearer " + "b" * 40,
        "e\u0301" * 50,
        "\U0001f468\u200d\U0001f469" * 20,
    ),
)
_BYTES: Final = (
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\xc3(",
    b"\r",
    b"\n",
    b"\t",
    b"\\",
    b'"',
    b"{",
    b"[",
    b"}",
    b"]",
    b",",
    b":",
)

Tree: TypeAlias = Any


class Raw(str):
    """Text that is written as it is."""


class Pairs(list[tuple[str, Any]]):
    """An object, whose keys may stand twice."""


def parsed(data: bytes) -> Tree:
    """The tree of a JSON text.

    Raises:
        ValueError, RecursionError: when it is none.
    """
    return json.loads(data, object_pairs_hook=Pairs)


def written(tree: Tree, most: int = 10**9) -> bytes:
    """The text of a tree, or the beginning of it: changes multiply. What cannot be written, since it lies too deep, is left out."""
    parts: list[str] = []
    size = 0

    def put(text: str) -> None:
        nonlocal size
        size += len(text)
        if size > most:
            raise _FullError
        parts.append(text)

    with contextlib.suppress(_FullError):
        _write(tree, put, 0)
    return "".join(parts).encode("utf-8", "surrogatepass")


class _FullError(Exception):
    """There is no room for the rest."""


def _write(tree: Tree, put: Callable[[str], Any], depth: int) -> None:
    if isinstance(tree, Raw):
        put(tree)
    elif isinstance(tree, list) and depth > 200:
        put("null")
    elif isinstance(tree, Pairs):
        for index, (key, value) in enumerate(tree):
            put(f"{', ' if index else '{'}{key if isinstance(key, Raw) else json.dumps(key)}: ")
            _write(value, put, depth + 1)
        put("}" if tree else "{}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            put(", " if index else "[")
            _write(value, put, depth + 1)
        put("]" if tree else "[]")
    else:
        put(json.dumps(tree))


class Mutator:
    """Makes inputs out of valid ones.

    Args:
        corpus: those; not empty.
        form: what they are understood as, as a target says.
        words: texts that mean something.
        largest: bytes of an input at most.
    """

    def __init__(self, corpus: Sequence[bytes], form: str, words: Sequence[str], largest: int) -> None:
        self._corpus = list(corpus)
        self._form = form
        self._words = (*words, *_TEXTS)
        self._largest = largest
        self._trees = [self._tree(data) for data in corpus]

    def make(self, random: random.Random) -> bytes:
        """One input."""
        index = random.randrange(len(self._corpus))
        return self.change(self._corpus[index], random, self._trees[index])

    def change(self, data: bytes, random: random.Random, tree: Tree = None) -> bytes:
        """An input like another one."""
        tree = self._tree(data) if tree is None else tree
        if tree is not None and random.random() < 0.9:
            changed = _Changes(random, self._words, self._trees, self._largest // max(1, len(data))).of(tree)
            data = self._written_lines(changed) if self._form == "lines" else written(changed, self._largest)
        elif self._form == "text" and random.random() < 0.8:
            data = self._text(data, random)
        if tree is None or random.random() < 0.1:
            for _ in range(random.choice((0, 1, 1, 3))):
                data = self._bytes(data, random)
        return data[: self._largest]

    def _written_lines(self, trees: Tree) -> bytes:
        data = bytearray()
        for tree in trees if isinstance(trees, list) else [trees]:
            data += written(tree, self._largest) + b"\n"
            if len(data) > self._largest:
                break
        return bytes(data)

    def _tree(self, data: bytes) -> Tree:
        try:
            if self._form == "lines":
                return [parsed(line) for line in data.splitlines() if line.strip()]
            return parsed(data) if self._form == "json" else None
        except (ValueError, RecursionError):
            return None

    def _text(self, data: bytes, random: random.Random) -> bytes:
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        for _ in range(random.choice((1, 1, 2, 4))):
            at, other = random.randrange(len(lines)), random.randrange(len(lines))
            line, word = lines[at], random.choice(self._words)
            cut = random.randrange(len(line) + 1)
            end = random.randrange(cut, len(line) + 1)
            many = min(random.choice((2, 50, 5_000)), max(1, self._largest // (len(line) + 1)))
            lines[at : at + 1] = random.choice(
                (
                    [line[:cut] + word + line[end:]],
                    [line[:cut] + word + line[cut:]],
                    [line[:cut] + line[cut:end] * min(many, self._largest // (end - cut + 1) + 1) + line[end:]],
                    [line[:cut], line[cut:]],
                    [line] * many,
                    [" " * random.choice((1, 2, 4, 40)) + line],
                    [line.lstrip()],
                    [line[:cut]],
                    [line, lines[other]],
                    [lines[other]],
                    [],
                )
            )
            lines = lines or [word]
        return "\n".join(lines).encode("utf-8", "surrogateescape" if _is_escaped(lines) else "surrogatepass")

    def _bytes(self, data: bytes, random: random.Random) -> bytes:
        at = random.randrange(len(data) + 1)
        end = min(len(data), at + random.choice((1, 2, 16, 1_000)))
        piece = random.choice((*_BYTES, random.choice(self._words).encode("utf-8", "surrogatepass")))
        other = random.choice(self._corpus)
        return random.choice(
            (
                lambda: data[:at],
                lambda: data[at:],
                lambda: data[:at] + piece + data[at:],
                lambda: data[:at] + piece + data[end:],
                lambda: data[:at] + data[end:],
                lambda: data[:at] + data[at:end] * 50 + data[end:],
                lambda: data + b"\n" + other,
                lambda: data[:at] + other[: len(other) // 2],
                lambda: b"\xef\xbb\xbf" + data,
                lambda: data.decode("latin-1").encode("utf-16"),
                lambda: gzip.compress(data, 1, mtime=0),
                lambda: gzip.compress(data, 1, mtime=0)[:-9],
            )
        )()


def _is_escaped(lines: Sequence[str]) -> bool:
    """Whether its half surrogates stand for bytes that are no text, and not for themselves."""
    try:
        "".join(lines).encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


class _Changes:
    """One to four changes of a tree, which itself stays as it is: what is not changed is shared with it."""

    def __init__(self, random: random.Random, words: Sequence[str], donors: Sequence[Tree], room: int) -> None:
        self._random = random
        self._words = words
        self._donors = [one for one in donors if one is not None]
        self._room = max(2, room)

    def of(self, tree: Tree) -> Tree:
        for _ in range(self._random.choice((1, 1, 1, 2, 4))):
            tree = self._within(tree, 0)
        return tree

    def _within(self, tree: Tree, depth: int) -> Tree:
        """Go down at random, and change what is there."""
        if not isinstance(tree, list) or not tree or depth > 60 or (depth and self._random.random() < 0.15):
            return self._changed(tree)
        at = self._random.randrange(len(tree))
        if isinstance(tree, Pairs):
            key, value = tree[at]
            return Pairs([*tree[:at], *self._pair(key, value, tree, depth), *tree[at + 1 :]])
        return [*tree[:at], *self._items(tree[at], tree, depth), *tree[at + 1 :]]

    def _pair(self, key: str, value: Tree, tree: Pairs, depth: int) -> list[tuple[str, Tree]]:
        if self._random.random() < 0.8:
            return [(key, self._within(value, depth + 1))]
        other = self._random.choice(tree)
        return self._random.choice(
            (
                list,
                lambda: [(self._random.choice(self._words), value)],
                lambda: [(other[0], value)],
                lambda: [(key, other[1])],
                lambda: [(key, value), (key, self._leaf())],
                lambda: [(key, value), (self._random.choice(self._words), self._leaf())],
                lambda: [(f"{key}{number}", value) for number in range(self._many())],
                lambda: [(key + key.capitalize(), value)],
            )
        )()

    def _items(self, value: Tree, tree: list[Tree], depth: int) -> list[Tree]:
        if self._random.random() < 0.75:
            return [self._within(value, depth + 1)]
        return self._random.choice(
            (
                list,
                lambda: [value, value],
                lambda: [value] * self._many(),
                lambda: [value, self._leaf()],
                lambda: [self._random.choice(tree), value],
            )
        )()

    def _changed(self, value: Tree) -> Tree:
        choices: list[Callable[[], Tree]] = [
            self._leaf,
            self._leaf,
            self._donated,
            lambda: [value],
            lambda: Pairs([("a", value)]),
            lambda: Raw(_brackets(self._random)),
        ]
        if isinstance(value, str) and not isinstance(value, Raw):
            choices += [
                lambda: self._random.choice(self._words),
                lambda: value + self._random.choice(self._words),
                lambda: value * min(self._many(), 200_000 // (len(value) + 1) + 1),
                lambda: value[: len(value) // 2],
                value.swapcase,
                lambda: self._inside(value),
            ]
        if isinstance(value, (int, float)):
            choices += [lambda: str(value), lambda: -value, lambda: value + 1, lambda: value * 10**9, lambda: Raw(f"{value}e3")]
        return self._random.choice(choices)()

    def _inside(self, text: str) -> str:
        """What is JSON in a text is changed as JSON."""
        try:
            return written(self._within(parsed(text.encode("utf-8", "surrogatepass")), 0), 500_000).decode(
                "utf-8", "surrogatepass"
            )
        except (ValueError, RecursionError):
            return json.dumps(text)

    def _leaf(self) -> Tree:
        return Raw(self._random.choice(_RAW)) if self._random.random() < 0.6 else self._random.choice(self._words)

    def _donated(self) -> Tree:
        """Something out of a valid input."""
        value = self._random.choice(self._donors)
        while isinstance(value, list) and value and self._random.random() < 0.85:
            value = self._random.choice(value)
            value = value[1] if isinstance(value, tuple) else value
        return value

    def _many(self) -> int:
        return min(self._random.choice((2, 3, 30, 30, 1_000, 20_000)), self._room)


def _brackets(random: random.Random) -> str:
    depth = random.choice((10, 90, 101, 200, 500, 990, 3_000))
    opening, closing = random.choice((("[", "]"), ('{"a":', "}"), ('[{"content":', "}]"), ('{"type":"text","content":', "}")))
    return f"{opening * depth}1{closing * depth}"
