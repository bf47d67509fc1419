"""A JSON array, one element after the other, without holding all of it."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import IO, Final, Never

from agentassert.errors import StoredCaptureError

_CHUNK: Final = 1 << 20
_NEAR: Final = 16
"""Characters before the end of what was read within which an error can come from what was not read yet, such as half a number."""


class Elements:
    """The elements of the array that a file consists of, as text, each with its place.

    Args:
        file: at its beginning.
        path: what errors call it.

    Raises:
        StoredCaptureError: while it is read, when it is no JSON array; what follows a mistake cannot be read.

    Example:
        >>> import io
        >>> list(Elements(io.BytesIO(b'[{"id": 1},\\n {"id": 2}]'), "all.json"))
        [('all.json:1', '{"id": 1}'), ('all.json:2', '{"id": 2}')]
    """

    def __init__(self, file: IO[bytes], path: str) -> None:
        self._file = file
        self._path = path
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._line = 1
        self._is_over = False

    def __iter__(self) -> Iterator[tuple[str, str]]:
        self._take("[")
        if self._next() == "]":
            self._end()
            return
        while True:
            self._next()
            yield self._element()
            if self._next() == "]":
                self._end()
                return
            self._take(",")

    def _element(self) -> tuple[str, str]:
        place, end = self._place, self._end_of_element()
        element = self._text[self._at : end]
        self._move(end)
        return place, element

    def _end_of_element(self) -> int:
        wanted = _CHUNK
        while True:
            try:
                return self._scan(self._text, self._at)[1]
            except json.JSONDecodeError as error:
                is_open = error.msg.startswith("Unterminated string")
                if (is_open or error.pos >= len(self._text) - _NEAR) and self._read(wanted):
                    wanted *= 2  # an element of any size is scanned a few times only
                    continue
                line = self._line + self._text.count("\n", self._at, error.pos)
                ended = ": the file ends in the middle of it" if is_open or error.pos >= len(self._text.rstrip()) else ""
                self._refuse(f"is no JSON: {error.msg} in line {line}{ended}")
            except ValueError as error:  # an integer of more digits than Python reads
                self._refuse(str(error))
            except RecursionError:
                self._refuse("is nested too deeply")

    def _next(self) -> str:
        """The next character that is no space; empty at the end of the file."""
        while True:
            rest = len(self._text)
            at = self._at
            while at < rest and self._text[at] in " \t\r\n":
                at += 1
            is_there = at < rest
            self._move(at)
            if is_there:
                return self._text[self._at]
            if not self._read(_CHUNK):
                return ""

    def _take(self, wanted: str) -> None:
        found = self._next()
        if found != wanted:
            self._refuse(f"expected {wanted!r} of the array, but found {repr(found) if found else 'the end of the file'}")
        self._move(self._at + 1)

    def _end(self) -> None:
        self._move(self._at + 1)
        if self._next():
            self._refuse("something follows the array: put one array, or a document in each line")

    def _move(self, at: int) -> None:
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        if at > _CHUNK:
            self._text, self._at = self._text[at:], 0

    def _read(self, size: int) -> bool:
        """Read on; says whether there was more."""
        if self._is_over:
            return False
        chunk = self._file.read(size)
        self._is_over = not chunk
        try:
            self._text += self._decode(chunk, self._is_over)
        except UnicodeDecodeError as error:
            self._refuse(f"must be text in UTF-8, but is not: {error.reason}")
        return not self._is_over

    @property
    def _place(self) -> str:
        return f"{self._path}:{self._line}"

    def _refuse(self, problem: str) -> Never:
        raise StoredCaptureError(f"{self._place}: {problem}")
