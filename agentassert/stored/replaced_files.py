"""Files that are replaced as a whole, so that whoever reads one meanwhile finds the old one or the new one."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

_LONGEST: Final = 259
_PAUSES: Final = (0.01, 0.05, 0.2, 0.5, 1.0)
"""Seconds between attempts where somebody may have the file open for a moment: a reader, a virus scanner, an indexer."""


@contextlib.contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of another one, or its name, when the block is left without an error; else it is gone again.

    Args:
        target: the file to be replaced, whose permissions stay. Of a link, the link is.

    Raises:
        OSError: naming the target, when it cannot be written.

    Example:
        >>> import tempfile
        >>> target = Path(tempfile.mkdtemp(), "report.txt")
        >>> with replacing(target) as written:
        ...     _ = written.write(b"all of it")
        >>> target.read_text()
        'all of it'
    """
    mode = target.stat().st_mode & 0o7777 if target.exists() else None
    beside = target.with_name(f".agentassert-{secrets.token_hex(8)}")
    try:
        with open(beside, "xb", opener=functools.partial(os.open, mode=0o666 if mode is None else 0o600)) as written:
            if mode is not None:
                beside.chmod(mode)
            yield written
            written.flush()
            os.fsync(written.fileno())
        _put(beside, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.chmod(0o600)  # Windows deletes nothing that is read-only
            beside.unlink()
        if isinstance(error, OSError):
            error.filename = os.fspath(target)
            if sys.platform == "win32" and len(os.path.abspath(beside)) > _LONGEST:  # noqa: PTH100  # it need not be there
                error.add_note(
                    f"A path has up to {_LONGEST} characters in Windows, unless long paths are enabled: choose a shorter one."
                )
        raise


def _put(beside: Path, target: Path) -> None:
    """Give the file its name. Windows refuses that while somebody has the one of that name open."""
    for pause in _PAUSES if sys.platform == "win32" else ():
        try:
            beside.replace(target)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    beside.replace(target)
