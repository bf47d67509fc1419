"""Reading the body of an HTTP request, whatever a client makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from email.message import Message
from io import BufferedIOBase
from typing import Final

LARGEST: Final = 64 * 1024 * 1024
"""Bytes that a body may have: pictures are sent in it."""

_LONGEST_LINE: Final = 1024
_MOST_TRAILERS: Final = 100
_LONGEST_NUMBER: Final = 20


class UnreadableError(Exception):
    """A body that is not read; `status` is the HTTP status that says so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class ClientGoneError(Exception):
    """The client closed the connection before it had sent everything."""


def read_body(headers: Message, stream: BufferedIOBase) -> bytes:
    """The body that follows these headers.

    Raises:
        UnreadableError: when it is not sent as HTTP asks, or is too large.
        ClientGoneError: when the client left in the middle.
    """
    coding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if len(set(headers.get_all("content-length", ()))) > 1:
        raise UnreadableError(400, "the body has several sizes")
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise UnreadableError(415, f"the body is compressed ({headers['content-encoding']}), which is not understood")
    if coding is None:
        return b"" if length is None else _exactly(stream, _checked_size(length, 10))
    if length is not None:
        raise UnreadableError(400, "the body has both a Content-Length and a Transfer-Encoding")
    if coding.strip().lower() != "chunked":
        raise UnreadableError(501, f"the body has Transfer-Encoding {coding!r}, of which only 'chunked' is understood")
    return b"".join(_chunks(stream))


def _chunks(stream: BufferedIOBase) -> Iterator[bytes]:
    total = 0
    while True:
        size = _checked_size(_line(stream).partition(b";")[0].decode("latin-1"), 16)
        if size == 0:
            break
        total += size
        if total > LARGEST:
            raise UnreadableError(413, f"the body is larger than {LARGEST:,} bytes")
        yield _exactly(stream, size)
        if _line(stream):
            raise UnreadableError(400, "a chunk of the body is longer than it says")
    for _ in range(_MOST_TRAILERS):
        if not _line(stream):
            return
    raise UnreadableError(400, f"the body is followed by more than {_MOST_TRAILERS} headers")


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_LONGEST_LINE)
    if not line.endswith(b"\n"):
        if len(line) < _LONGEST_LINE:
            raise ClientGoneError
        raise UnreadableError(400, "a line between the chunks of the body is too long")
    return line.rstrip(b"\r\n")


def _checked_size(text: str, base: int) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isalnum() and len(digits) <= _LONGEST_NUMBER):
        raise UnreadableError(400, f"the size of the body is {text!r}, which is no number")
    try:
        size = int(digits, base)
    except ValueError:
        raise UnreadableError(400, f"the size of the body is {text!r}, which is no number") from None
    if size > LARGEST:
        raise UnreadableError(413, f"the body is larger than {LARGEST:,} bytes")
    return size


def _exactly(stream: BufferedIOBase, size: int) -> bytes:
    read = stream.read(size)
    if len(read) < size:
        raise ClientGoneError
    return read
