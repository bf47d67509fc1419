"""Gives a target one input, and holds it to what it promises: its errors, its time, its memory, and what it reaches for."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
import sysconfig
import time
import traceback
import tracemalloc
import typing
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

import assertpy
import attrs
import deepdiff
import jsonpath_ng.ext
import yaml

import agentassert
from tests.fuzzing.targets import Target

MB: Final = 1_000_000
_PATIENCE: Final = 20.0
"""Seconds of work after which an input is given up; what the machine does meanwhile is not its fault."""

_LONGEST_MESSAGE: Final = 20_000
_FORBIDDEN: Final = (
    *(
        "os.",
        "subprocess.",
        "socket.",
        "ctypes.",
        "shutil.",
        "tempfile.",
        "urllib.",
        "http.",
        "ftplib.",
        "smtplib.",
        "webbrowser.",
        "pty.",
    ),
    *("marshal.load", "pickle.find_class", "code.__new__", "sqlite3.", "mmap.", "pathlib.", "glob.", "exec", "import", "open"),
)
_HARMLESS: Final = frozenset({"os.listdir", "os.scandir", "os.fwalk", "os.walk", "marshal.loads", "marshal.load", "os.putenv"})
"""Done by every import; folders of Python's own are listed by it."""

_LOADED: Final = (assertpy, deepdiff, jsonpath_ng, yaml)
"""What the package loads on first use; here it is loaded before, so that any other module that an input has loaded is a finding."""

_MAKING: Final = ("<frozen importlib._bootstrap>", typing.__file__, f"ply{os.sep}lex.py", f"ply{os.sep}yacc.py")
"""What executes texts of its own: imports, annotations of classes, and the parser of JSONPath, which imports its tables so."""

_LIBRARIES: Final = tuple(
    {str(Path(path).resolve()) for name in ("stdlib", "platstdlib", "purelib", "platlib") if (path := sysconfig.get_path(name))}
    | {str(Path(one).resolve()) for one in sys.path if one.endswith("site-packages")}
    | {str(Path(agentassert.__file__).resolve().parent)}
    | ({sys.pycache_prefix} if sys.pycache_prefix else set())
)


class FindingError(Exception):
    """A promise that an input broke."""


class _GivenUp(BaseException):
    """Raised in the midst of what takes too long; no `except Exception` of the code under test keeps it."""


@attrs.define
class _Watch:
    """What the audit hook, which stays for ever, is to look at now."""

    target: Target | None = None
    reached: list[str] = attrs.Factory(list)
    is_installed: bool = False

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note what only running code, reading files or talking to others does."""
        target = self.target
        if target is None or not event.startswith(_FORBIDDEN):
            return
        self.target = None  # what is done to find out is not watched
        try:
            if not (event in _HARMLESS or event in target.events or _is_fine(event, arguments, target)):
                self.reached.append(f"{event}{tuple(map(_short, arguments))}")
        finally:
            self.target = target


_watch = _Watch()


@contextlib.contextmanager
def watched(target: Target) -> Iterator[list[str]]:
    """Gives what the target reaches for in the block, and must not."""
    if not _watch.is_installed:
        sys.addaudithook(_watch.hook)
        _watch.is_installed = True
    _watch.reached = []
    _watch.target = target
    try:
        yield _watch.reached
    finally:
        _watch.target = None


def attempt(target: Target, data: bytes) -> str:
    """What becomes of an input: `accepted`, or the name of the error that is a proper answer to it.

    Raises:
        FindingError: when a promise is broken.
    """
    size = len(data) / MB
    most_seconds = target.seconds + target.seconds_per_mb * size
    most_megabytes = target.megabytes + target.megabytes_per_mb * size
    peak = _peak()
    came_to, taken = _once(target, data)
    if taken > most_seconds:
        taken = min(_once(target, data)[1] for _ in range(2))
        if taken > most_seconds:
            raise FindingError(f"takes {taken:.2f} s for {len(data):,} bytes")
    if _peak() - peak > most_megabytes:
        used = _traced(target, data)
        if used > most_megabytes:
            raise FindingError(f"takes {used:.0f} MB for {len(data):,} bytes")
    return came_to


def _once(target: Target, data: bytes) -> tuple[str, float]:
    try:
        with _patience(), watched(target) as reached:
            started = time.thread_time()
            try:
                target.run(data)
                came_to = "accepted"
            except BaseException as error:
                if type(error) not in target.allowed:
                    raise
                came_to = type(error).__name__
                _check_message(str(error))
            taken = time.thread_time() - started
    except (_GivenUp, FindingError) as error:
        raise FindingError(str(error)) from error
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise FindingError(f"raises {type(error).__name__}: {str(error)[:300]!r} at {place_of(error)}") from error
    if reached:
        raise FindingError(f"reaches for {', '.join(dict.fromkeys(reached))}")
    return came_to, taken


def _check_message(message: str) -> None:
    if len(message) > _LONGEST_MESSAGE:
        raise FindingError(f"its message has {len(message):,} characters")
    spoilt = [char for char in message if not char.isprintable() and char != "\n"]
    if spoilt:
        raise FindingError(f"its message holds {spoilt[0]!r}: {message[:200]!r}")
    if not message:
        raise FindingError("its message is empty")


def place_of(error: BaseException) -> str:
    """Where an error came up, the last frame of the package's own first."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [one for one in frames if f"{os.sep}agentassert{os.sep}" in one.filename]
    one = (own or list(frames))[-1]
    return f"{Path(one.filename).parent.name}/{Path(one.filename).name}:{one.lineno} ({one.name})"


@contextlib.contextmanager
def _patience() -> Iterator[None]:
    def give_up(*_: Any) -> None:
        raise _GivenUp(f"takes more than {_PATIENCE:g} s")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _peak() -> float:
    """Megabytes that this process had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (MB if sys.platform == "darwin" else 1_000)


def _traced(target: Target, data: bytes) -> float:
    gc.collect()
    tracemalloc.start()
    try:
        with contextlib.suppress(BaseException):
            target.run(data)
        return tracemalloc.get_traced_memory()[1] / MB
    finally:
        tracemalloc.stop()


def _is_fine(event: str, arguments: tuple[Any, ...], target: Target) -> bool:
    """Whether it is part of loading a module of Python's libraries or of the package, or of what was asked for."""
    if event == "import":
        top = str(arguments[0]).partition(".")[0]
        return top in sys.stdlib_module_names or top in {name.partition(".")[0] for name in sys.modules}
    if event == "exec":  # a text that is only parsed is compiled, too, which runs nothing
        return _is_of_library(arguments[0])
    if event == "open" and isinstance(arguments[0], int):
        return True
    if event == "open" or event.startswith(("os.", "shutil.", "tempfile.", "pathlib.", "glob.")):
        return bool(arguments) and _is_below(arguments[0], target, reading=event == "open" and not _writes(arguments))
    return False


def _is_of_library(code: Any) -> bool:
    """Whether code is that of a library, or made while one is imported, or of the annotations of a class."""
    if isinstance(code, CodeType) and code.co_filename.startswith(("<attrs generated", "<frozen ", *_LIBRARIES)):
        return True
    frame: FrameType | None = sys._getframe()
    while frame is not None and not frame.f_code.co_filename.endswith(_MAKING):
        frame = frame.f_back
    return frame is not None


def _is_below(path: Any, target: Target, *, reading: bool) -> bool:
    if not isinstance(path, (str, bytes, os.PathLike)):
        return False
    place = os.path.realpath(os.fsdecode(path))
    if target.folder is not None and Path(place).is_relative_to(Path(target.folder).resolve()):
        return True
    return reading and place.startswith(_LIBRARIES)


def _writes(arguments: tuple[Any, ...]) -> bool:
    mode, flags = (*arguments[1:], None, None)[:2]
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
