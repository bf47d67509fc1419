"""Files of captures: one in a file of its own, or many, a line each."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import time
import zlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO, Final, TypeAlias

from agentassert.errors import StoredCaptureError
from agentassert.stored.compressed import MAGIC, TooLargeError, unpacked
from agentassert.stored.replaced_files import replacing

AnyPath: TypeAlias = str | os.PathLike[str]

MANY: Final = ".jsonl"
"""How the name of a file ends that holds a capture in each line."""

_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_LOCKED: Final = 0x7FFF_0000
"""Where a lock of Windows is set: as far as it can be, as nobody can read what is locked."""


def save(text: str, path: AnyPath) -> None:
    """Make a file of one line; who reads it meanwhile finds the old one or the new one whole.

    Raises:
        ValueError: when its name is that of a file of many.
    """
    file = Path(path)
    if file.suffix == MANY:
        raise ValueError(
            f"{file}: a {MANY} file holds many captures, and would be replaced by this one: use append_to(), or end it in .json"
        )
    line = f"{text}\n".encode()
    if file.exists() and not file.is_file():
        file.write_bytes(line)  # a file must not take the place of a device or of a pipe
    else:
        with replacing(file.resolve()) as written:  # what a link leads to is replaced, not the link
            written.write(line)


def append(text: str, path: AnyPath) -> None:
    """Add a line to a file of many, which may be appended to elsewhere at the same time.

    Raises:
        ValueError: when its name is not that of a file of many.
    """
    file = Path(path)
    if file.suffix != MANY:
        raise ValueError(
            f"{file}: captures are appended to a {MANY} file: end the name so, or use save() for a file of one capture"
        )
    with file.open("a+b", buffering=0) as opened, _alone(opened):
        # A writer that was stopped may have left half a line; it must not spoil this one, too.
        line = f"{'' if _ends_a_line(opened) else chr(10)}{text}\n".encode()
        written = 0
        while written < len(line):
            written += opened.write(line[written:]) or 0


def texts(path: AnyPath) -> Generator[tuple[str, bytes], None, None]:
    """Each line of a file that is not blank, with its place as `file:line`.

    Raises:
        OSError: when the file cannot be read.
        StoredCaptureError: when it is empty, or cannot be decompressed.
    """
    is_empty = True
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
            if text.strip():
                is_empty = False
                yield f"{os.fspath(path)}:{number}", text.rstrip(b"\r\n")
    if is_empty:
        raise StoredCaptureError(f"{os.fspath(path)}: is empty, so it holds no capture")


def only_text(path: AnyPath) -> tuple[str, bytes]:
    """The text of a file that holds one capture, in one line or in several, with its place.

    Raises:
        OSError: when the file cannot be read.
        StoredCaptureError: when it is empty, holds several captures, or can be read only once.
    """
    need_lasting(path)
    lines = texts(path)
    first, second = next(lines), next(lines, None)
    lines.close()
    if second is None:
        return first
    if _is_whole(first[1]):
        raise StoredCaptureError(f"{os.fspath(path)}: holds several captures, a line each: use Capture.load_all()")
    with opened(path) as file:
        return os.fspath(path), file.read()


def need_lasting(path: AnyPath) -> None:
    """Refuse what can be read only once: files are opened again after a look at what they hold.

    Raises:
        StoredCaptureError: when it is a pipe or a device.
    """
    file = Path(path)
    if file.exists() and not file.is_file() and not file.is_dir():
        raise StoredCaptureError(
            f"{os.fspath(path)}: is no file, but a pipe or a device, which can be read only once: write what comes out into a file"
        )


def why_unreadable(error: OSError) -> str:
    """Why the system gives no file, in words.

    Example:
        >>> why_unreadable(FileNotFoundError(2, "No such file or directory", "gone.json"))
        'there is no such file'
    """
    return "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)


@contextlib.contextmanager
def placed(place: str) -> Iterator[None]:
    """Have the error of what cannot be read in the block name its place.

    Raises:
        StoredCaptureError: instead of the `ValueError`.

    Example:
        >>> with placed("today.jsonl:3"):
        ...     raise ValueError("$.name: is missing")
        Traceback (most recent call last):
        agentassert.errors.StoredCaptureError: today.jsonl:3: $.name: is missing
    """
    try:
        yield
    except ValueError as error:
        raise StoredCaptureError(f"{place}: {error}") from None


@contextlib.contextmanager
def opened(path: AnyPath) -> Iterator[IO[bytes]]:
    """A file to be read from its beginning, as bytes; one that is compressed by gzip is decompressed meanwhile.

    Raises:
        OSError: when the file cannot be read.
        StoredCaptureError: when it cannot be decompressed.
    """
    with Path(path).open("rb") as plain:
        if plain.peek(2)[:2] != MAGIC:
            yield plain
            return
        try:
            yield unpacked(plain)
        except TooLargeError as error:
            raise StoredCaptureError(f"{os.fspath(path)}: {error}") from None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise StoredCaptureError(f"{os.fspath(path)}: cannot be decompressed: {error}") from None


def _is_whole(line: bytes) -> bool:
    """Whether a line is a JSON text by itself, as far as its end tells."""
    return line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}")


def _ends_a_line(file: IO[bytes]) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


@contextlib.contextmanager
def _alone(file: IO[bytes]) -> Iterator[None]:
    """Keep other writers out."""
    _lock(file, taken=True)
    try:
        yield
    finally:
        _lock(file, taken=False)


def _lock(file: IO[bytes], *, taken: bool) -> None:
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX if taken else fcntl.LOCK_UN)
        return
    import msvcrt

    file.seek(_LOCKED)
    while True:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK if taken else msvcrt.LK_UNLCK, 1)
        except PermissionError:
            if not taken:
                raise
            time.sleep(0.01)  # the call that waits by itself does so in whole seconds, and gives up
        else:
            return
