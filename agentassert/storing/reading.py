"""A piece of a file as a capture."""

from __future__ import annotations

import json
from typing import Any, Final

from agentassert.captures import Capture
from agentassert.errors import StoredCaptureError
from agentassert.stored.captures import VERSION_KEY, object_of
from agentassert.storing.documents import Kind, kind_of_document, messages_of
from agentassert.storing.files import why_unreadable
from agentassert.storing.pieces import Piece

_OURS: Final = f'{{"{VERSION_KEY}"'.encode()


def capture_of(piece: Piece) -> Capture:
    """What was recorded, whatever form it was kept in.

    Raises:
        StoredCaptureError: when it cannot be read, naming the place.
    """
    try:
        return _read(piece)
    except OSError as error:
        raise StoredCaptureError(f"{piece.place}: {why_unreadable(error)}") from None
    except (ValueError, TypeError, RecursionError) as error:
        words = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise StoredCaptureError(words if words.startswith(piece.place) else f"{piece.place}: {words}") from None


def _read(piece: Piece) -> Capture:
    if piece.text is None:
        return Capture.from_otlp(piece.place)
    if piece.kind is Kind.CAPTURE or (piece.kind is None and piece.text.startswith(_OURS)):
        return Capture.from_json(piece.text)
    document = _parsed(piece.text)
    kind = piece.kind or kind_of_document(document)
    if kind is Kind.CAPTURE:
        return Capture.from_json(piece.text)
    if kind is Kind.OTLP:
        raise ValueError("these are spans among something else; spans are read from a file of their own")
    return Capture.from_messages(messages_of(document))


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        raise ValueError(f"is no JSON: {error.msg} in line {error.lineno}, column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"must be text in UTF-8, but is not at byte {error.start}") from None
