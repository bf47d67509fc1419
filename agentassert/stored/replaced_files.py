"""Files that are replaced as a whole, so that whoever reads one meanwhile finds the old one or the new one."""

from __future__ import annotations

import contextlib
import functools
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO


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
        beside.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            error.filename = os.fspath(target)
        raise
