"""Files that are compressed by gzip, read without letting a small one fill the memory."""

from __future__ import annotations

import gzip
import io
from typing import IO, Any, Final

from agentassert.errors import StoredCaptureError

MAGIC: Final = b"\x1f\x8b"
"""How such a file begins."""

UNPACKED: Final = 64 * 1024 * 1024
"""Bytes that any file may unpack to."""

_TIMES: Final = 200
"""What a larger one may unpack to, in sizes of the packed file: recordings of agents reach a fifth of that."""


class TooLargeError(StoredCaptureError):
    """A file unpacks to much more than any recording would."""


def unpacked(packed: IO[bytes]) -> IO[bytes]:
    """What a compressed file holds, to be read once from its beginning.

    Args:
        packed: the file, at its beginning.

    Raises:
        TooLargeError: while it is read, when it unpacks to more than a file of its size may.
        EOFError, zlib.error, gzip.BadGzipFile: while it is read, when it is broken.

    Example:
        >>> unpacked(io.BytesIO(gzip.compress(b"one\\ntwo\\n"))).readlines()
        [b'one\\n', b'two\\n']
    """
    size = packed.seek(0, io.SEEK_END)
    packed.seek(0)
    return io.BufferedReader(_Limited(packed, max(UNPACKED, _TIMES * size)))


class _Limited(io.RawIOBase):
    def __init__(self, packed: IO[bytes], most: int) -> None:
        super().__init__()
        self._unpacking = gzip.GzipFile(fileobj=packed, mode="rb")
        self._most = most
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._unpacking.read(len(buffer))
        self._read += len(data)
        if self._read > self._most:
            raise TooLargeError(
                f"unpacks to more than {self._most:,} bytes, which no recording does: if this one does, unpack it first"
            )
        buffer[: len(data)] = data
        return len(data)
