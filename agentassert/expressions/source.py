"""The text of an expression: read by Python's own parser, which runs nothing, and placed for messages."""

from __future__ import annotations

import ast
import functools
import keyword
import re
import threading
import warnings
from typing import Final, Never

import attrs

from agentassert.expressions.errors import ExpressionError

LONGEST: Final = 2_000
"""Characters that an expression may have."""

_parsing = threading.Lock()
"""The filters of `warnings` belong to the whole process, so only one thread may set them aside at a time."""

_MEANT: Final = {
    "=": "compare with ==",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    "<>": "write !=",
}
_CURLY_QUOTES: Final = frozenset("\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb")


def place_of(node: ast.expr) -> tuple[int, int]:
    """Where a part of the tree begins and ends, in bytes."""
    return node.col_offset, node.end_col_offset or node.col_offset


@attrs.frozen(eq=False)
class Source:
    """An expression as it was written, and in one line.

    Args:
        text: as it was written.
        line: the same without line breaks and without blanks before it.
    """

    text: str
    line: str

    @classmethod
    def of(cls, text: str) -> Source:
        """The source of `text`; line breaks are blanks."""
        line = re.sub(r"[\r\n]", " ", text)
        return cls(text, line.lstrip(" \t") or line)

    def tree(self) -> ast.expr:
        """What Python's parser makes of it.

        Raises:
            ExpressionError: when it makes nothing of it.
        """
        if not self.line.strip():
            self._refuse("it is empty, so it asks for nothing")
        if len(self.text) > LONGEST:
            self._refuse(f"an expression has at most {LONGEST:,} characters, but this one has {len(self.text):,}")
        try:
            with _parsing, warnings.catch_warnings():
                warnings.simplefilter("error")
                tree = ast.parse(self.line, mode="eval").body
        except SyntaxError as error:
            self._refuse_syntax(error)
        except ValueError:  # what no source file can hold
            self._refuse("it holds a character that is none")
        except (RecursionError, MemoryError):
            self._refuse("it is nested too deeply")
        # Everything stands in one line, so a comment that was the end of a line would hide the lines after it.
        if b"#" in self._bytes[tree.end_col_offset :]:
            self._refuse("a comment has no place in an expression", self.line.rindex("#"))
        return tree

    def part(self, start: int, end: int) -> str:
        """The text between two places; places count in bytes, as the parser does."""
        return self._bytes[start:end].decode()

    def column(self, start: int) -> int:
        """Where in the text a place is, from 1."""
        return self._column(len(self._bytes[:start].decode()))

    def part_of(self, node: ast.expr) -> str:
        """The text of a part of the tree."""
        return self.part(*place_of(node))

    def refuse_at(self, node: ast.expr, problem: str) -> Never:
        """Refuse a part of the tree."""
        raise ExpressionError(problem, expression=self.text, column=self.column(node.col_offset))

    def _refuse(self, problem: str, offset: int = 0) -> Never:
        raise ExpressionError(problem, expression=self.text, column=self._column(offset))

    def _column(self, offset: int) -> int:
        return len(self.text) - len(self.line) + offset + 1

    @functools.cached_property
    def _bytes(self) -> bytes:
        """What the parser counts in."""
        return self.line.encode()

    def _refuse_syntax(self, error: SyntaxError) -> Never:
        offset = error.offset - 1 if error.offset else len(self.line.rstrip())
        before, rest = self.line[:offset].rstrip(), self.line[offset:]
        word = re.match(r"\w+", rest)
        if word is not None and keyword.iskeyword(word[0]) and before.endswith("."):
            self._refuse(f'{word[0]!r} is a word of the language: write ["{word[0]}"] instead of .{word[0]}', offset)
        if rest[:1] in _CURLY_QUOTES:
            self._refuse("text stands in plain quotes, \"…\" or '…'", offset)
        meant = next((fix for written, fix in _MEANT.items() if rest.startswith(written)), None)
        why = (error.msg or "invalid syntax").partition(" (detected")[0]
        self._refuse(f"it cannot be read here: {why if meant is None else meant}", offset)
