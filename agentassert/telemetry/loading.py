"""Spans out of a file, or out of what was parsed already."""

from __future__ import annotations

import io
import json
import os
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from agentassert import render
from agentassert.errors import SpanError
from agentassert.stored.compressed import MAGIC, TooLargeError, unpacked
from agentassert.telemetry import flat, otlp
from agentassert.telemetry.fields import Fields
from agentassert.telemetry.spans import Span

SpanSource: TypeAlias = str | os.PathLike[str] | Mapping[str, Any] | list[Any]

_SPACE: Final = re.compile(r"[ \t\r\n,]+")
_LISTS: Final = ("spans", "data")
_WITHOUT_SPANS: Final = ("resourceLogs", "resourceMetrics")
_EXPECTED: Final = "an OTLP document with 'resourceSpans', or one span as the SDK or Phoenix writes it"


def described(source: SpanSource) -> str:
    """What errors call it: the path of a file, or that it was given."""
    return os.fspath(source) if isinstance(source, (str, os.PathLike)) else "the spans given"


def spans_in(source: SpanSource) -> Iterator[Span]:
    """Every span, one parsed document at a time.

    Args:
        source: the path of a file, plain or compressed by gzip, which holds one JSON document, or several one after another; or
            such a document, or a list of them, that was parsed already.

    Raises:
        TypeError: when it is neither.
        OSError: when the file cannot be read.
        SpanError: when it holds something else, naming the place; and for the text of a document.
    """
    if isinstance(source, str) and source.lstrip().startswith(("{", "[")) and not os.path.exists(source):  # noqa: PTH110  # a `Path` raises on long texts
        raise SpanError("what was given as spans is text, and not the path of a file: pass json.loads(text)")
    place = described(source)
    if isinstance(source, (str, os.PathLike)):
        documents = _parsed(_text(Path(source), place), place)
    elif isinstance(source, (Mapping, list)):
        documents = iter((source,))
    else:
        raise TypeError(f"spans are the path of a file, a mapping or a list, but were {render.value(source)}")
    number = 0
    found = False
    for document in documents:
        found = True
        for fields, scope in _spans(document, place):
            number += 1
            fields.place = f"{place}: span {number}"
            try:
                yield flat.span_of(fields) if scope is None else otlp.span_of(fields, scope)
            except RecursionError:
                raise SpanError(f"{fields.place}: is nested too deeply") from None
    if not found:
        raise SpanError(f"{place}: is empty; expected {_EXPECTED}")


def holds_spans(document: Mapping[str, Any]) -> bool:
    """Whether a document is one that :func:`spans_in` reads, or one of OpenTelemetry's that has no spans.

    Example:
        >>> holds_spans({"resourceSpans": []}), holds_spans({"messages": []})
        (True, False)
    """
    named = any(name in document for name in (*otlp.CONTAINERS, *_LISTS, *_WITHOUT_SPANS))
    return named or otlp.is_span(document) or flat.is_span(document)


def _spans(document: Any, place: str) -> Iterator[tuple[Fields, str | None]]:
    """The fields of each span, with its scope where it has the form of OTLP."""
    if isinstance(document, list):
        for item in document:
            yield from _spans(item, place)
        return
    if not isinstance(document, Mapping):
        raise SpanError(f"{place}: expected {_EXPECTED}, but found {render.value(document)}")
    fields = Fields(document, place)
    if any(name in document for name in otlp.CONTAINERS):
        yield from otlp.scoped_spans(fields)
    elif otlp.is_span(document):
        yield fields, ""
    elif flat.is_span(document):
        yield fields, None
    elif any(name in document for name in _LISTS):
        for one in fields.items(*_LISTS):
            yield from _spans(one.content, place)
    elif document and not any(name in document for name in _WITHOUT_SPANS):
        names = ", ".join(map(render.value, list(document)[:10])) or "nothing"
        raise SpanError(f"{place}: expected {_EXPECTED}, but found an object with {names}")


def _text(path: Path, place: str) -> str:
    content = path.read_bytes()
    try:
        if content.startswith(MAGIC):
            content = unpacked(io.BytesIO(content)).read()
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SpanError(f"{place}: must be text in UTF-8, but is not at byte {error.start}") from None
    except TooLargeError as error:
        raise SpanError(f"{place}: {error}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise SpanError(f"{place}: cannot be decompressed: {error}") from None


def _parsed(text: str, place: str) -> Iterator[Any]:
    """The JSON documents that stand one after another, on a line each or over many."""
    decoder = json.JSONDecoder()
    at = _past_space(text, 0)
    while at < len(text):
        try:
            document, at = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, column {error.colno}"
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                raise SpanError(f"{place}: ends in the middle of a document, at {where}") from None
            raise SpanError(f"{place}: is no JSON: {error.msg} at {where}") from None
        except ValueError as error:  # an integer of more digits than Python reads
            raise SpanError(f"{place}: is no JSON: {error}") from None
        except RecursionError:
            raise SpanError(f"{place}: is nested too deeply") from None
        at = _past_space(text, at)
        if at == len(text):
            text, at = "", 0  # which is as large as the file, and done with
        yield document


def _past_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()
