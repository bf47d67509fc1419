"""A file cut into what can be read by itself: a capture, a list of messages, or the whole file where only all of it makes sense.

A file with a document in each line, and one that holds an array of documents, are read piece by piece, so that they may be larger than
memory. A document that stands in several lines is read whole, and so are spans, of which any may belong to a trace that began anywhere.
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Never

import attrs

from agentassert.errors import StoredCaptureError
from agentassert.storing.arrays import Elements
from agentassert.storing.documents import Kind, kind_of_document
from agentassert.storing.files import MANY, need_lasting, opened, texts, why_unreadable

_LINES: Final = frozenset({MANY, ".ndjson"})
_PACKED: Final = ".gz"
_HEAD: Final = 1 << 16
_PLACE: Final = re.compile(r"(?P<file>.+):[1-9][0-9]*", re.DOTALL)
_OPENING: Final = frozenset({b"[", b"{", b"[{"})


@attrs.frozen
class Piece:
    """What can be read by itself.

    Args:
        place: where it begins, as `file:line`; of a whole file, the file.
        text: JSON; `None` stands for everything in the file.
        kind: what it has to be, where that is known; else its text tells.
    """

    place: str
    text: bytes | None
    kind: Kind | None = None


def pieces_in(path: str, kind: Kind | None = None) -> Iterator[Piece]:
    """The pieces of a file, in order.

    Args:
        path: of a file, which may be compressed by gzip.
        kind: what it holds; without it, the file's beginning and each piece tell.

    Raises:
        StoredCaptureError: when it cannot be read, is empty, can be read only once, or is no JSON as far as it has to be understood here.
    """
    try:
        need_lasting(path)
        yield from _pieces(path, kind)
    except OSError as error:
        raise StoredCaptureError(f"{path}: {why_unreadable(error)}") from None


def pieces_at(place: str) -> Iterator[Piece]:
    """The pieces of a file, or those that begin in one line of it: several where an array has them in one line.

    Args:
        place: of a file, or `file:line`; a file whose name ends so is meant first.

    Raises:
        StoredCaptureError: when the file cannot be read, or nothing begins in the line.
    """
    named = _PLACE.fullmatch(place)
    if named is None or Path(place).exists() or not Path(named["file"]).is_file():
        yield from pieces_in(place)
        return
    from_there = itertools.dropwhile(lambda piece: piece.place != place, pieces_in(named["file"]))
    first = next(from_there, None)
    if first is None:
        raise StoredCaptureError(f"{place}: no capture begins in this line; without it, all of the file is read")
    yield first
    yield from itertools.takewhile(lambda piece: piece.place == place, from_there)


def _pieces(path: str, kind: Kind | None) -> Iterator[Piece]:
    start = _start(path)
    if kind is Kind.OTLP:
        yield Piece(path, None, kind)
    elif start == b"[" and not _has_lines(path):
        yield from _array(path, kind)
    else:
        yield from _documents(path, kind)


def _start(path: str) -> bytes:
    """The first character of the first document."""
    with opened(path) as file:
        while head := file.read(_HEAD):
            text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
            if text:
                return text[:1]
    raise StoredCaptureError(f"{path}: is empty")


def _has_lines(path: str) -> bool:
    name = Path(path)
    return (name.with_suffix("") if name.suffix == _PACKED else name).suffix in _LINES


def _lines(path: str, kind: Kind | None) -> Iterator[Piece]:
    """A piece for each line; all of the file at once where the first line tells that it holds spans."""
    lines = texts(path)
    first = next(lines)
    if kind is None and _is_of_spans(first[1]):
        yield Piece(path, None, Kind.OTLP)
        return
    for place, text in itertools.chain((first,), lines):
        yield Piece(place, text, kind)


def _array(path: str, kind: Kind | None) -> Iterator[Piece]:
    """A piece for each element; all of the file at once where the elements make sense together only."""
    with opened(path) as file:
        elements = iter(Elements(file, path))
        first = next(elements, None)
        if first is None:
            raise StoredCaptureError(f"{path}: holds an empty array, so there is nothing in it")
        together = _together(first[1], kind)
        if together is None:
            for place, text in itertools.chain((first,), elements):
                yield Piece(place, text.encode("utf-8", "surrogatepass"), kind)
            return
    if together is Kind.MESSAGES:
        yield from _documents(path, together)  # one list of them, or a list in each line
    else:
        yield Piece(path, None, together)


def _together(first: str, kind: Kind | None) -> Kind | None:
    """What the array is as a whole, by its first element; `None` where each element is something by itself."""
    try:
        found = kind_of_document([json.loads(first)])
    except (ValueError, RecursionError):
        return None
    return found if kind in (None, found) else None


def _documents(path: str, kind: Kind | None) -> Iterator[Piece]:
    """A document in each line; one that takes several lines is alone."""
    lines = texts(path)
    first = next(lines)
    second = next(lines, None)
    lines.close()
    if second is None or _is_json(first[1]) or ((_has_lines(path) or _is_json(second[1])) and first[1].strip() not in _OPENING):
        # A first line that is broken must not hide those after it; one that opens a document is not broken.
        yield from _lines(path, kind)
        return
    with opened(path) as file:
        text = file.read()
    yield Piece(path, None if kind is None and _is_of_spans(text) else text, kind)


def _is_json(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), (dict, list))
    except (ValueError, RecursionError):
        return False


def _is_of_spans(text: bytes) -> bool:
    try:
        return kind_of_document(json.loads(text)) is Kind.OTLP
    except (ValueError, RecursionError):
        return False


def files_in(path: str) -> list[str]:
    """The files that a path stands for: itself, or those below a folder whose names end as those of captures do.

    Raises:
        StoredCaptureError: when there is nothing there, or a folder cannot be read.
    """
    if not Path(path).is_dir():
        return [path]
    there = (Path(folder, name) for folder, _, names in os.walk(path, onerror=_refuse_folder) for name in names)
    # A link that leads nowhere is told when it is to be read.
    found = sorted(one.as_posix() for one in there if _is_named_so(one) and (one.is_file() or not one.exists()))
    if not found:
        raise StoredCaptureError(f"{path}: there is no .json, .jsonl or .ndjson file in this folder")
    return found


def _refuse_folder(error: OSError) -> Never:
    raise StoredCaptureError(f"{error.filename}: {why_unreadable(error)}") from None


def _is_named_so(file: Path) -> bool:
    return (file.with_suffix("") if file.suffix == _PACKED else file).suffix in {*_LINES, ".json"}
