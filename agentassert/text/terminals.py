"""What is printed for a terminal, and typed into one again."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TextIO


def has_colours(stream: TextIO) -> bool:
    """Whether colours can be written, and are wanted: https://no-color.org.

    Example:
        >>> import io
        >>> has_colours(io.StringIO())
        False
    """
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.platform != "win32" or _console_shows_them(stream)


def _console_shows_them(stream: TextIO) -> bool:
    """A console of Windows shows escape sequences as they are, until it is asked not to; an old one always does."""
    if sys.platform != "win32":
        return False
    import ctypes
    import msvcrt

    console, mode = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno())), ctypes.c_ulong()
    kernel = ctypes.windll.kernel32
    return bool(kernel.GetConsoleMode(console, ctypes.byref(mode)) and kernel.SetConsoleMode(console, mode.value | 4))


def shell_quoted(text: str) -> str:
    """A text as one word of a command.

    Example:
        >>> shell_quoted("tests/test_it.py::test[a b]")
        "'tests/test_it.py::test[a b]'"
    """
    if sys.platform != "win32":
        return shlex.quote(text)
    import subprocess

    return subprocess.list2cmdline([text])
