"""Watches a process from inside: what it opens, whom it asks, what it starts. Nothing can take the watch off again.

`python -m tests.compatibility.guarded FOLDER [PART…]` tells what `tests.compatibility.behaviour` tells, and ends with 3 when anything
asked for the network or for another process, also where the error that this raises was swallowed.
`python -m tests.compatibility.guarded --imports` imports each module of the package, and is stricter.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

SEEN: Final[list[str]] = []
_OUTSIDE: Final = ("socket.", "urllib.", "http.client.", "ftplib.", "smtplib.", "subprocess.", "os.exec", "webbrowser.")
_PROCESSES: Final = frozenset({"os.system", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "pty.spawn"})
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND


class GuardedError(Exception):
    """What is not to be done was tried."""


def _asks_outside(event: str, arguments: tuple[Any, ...]) -> str | None:
    if not event.startswith(_OUTSIDE) and event not in _PROCESSES:
        return None
    import socket

    if event == "socket.__new__" and arguments[1] == getattr(socket, "AF_UNIX", None):
        return None  # the pair by which an event loop wakes itself
    return f"{event}{arguments[:1] if event.startswith('subprocess') else arguments[-1:]}"


def _is_more_than_an_import(event: str, arguments: tuple[Any, ...]) -> str | None:
    if event != "open" or not isinstance(arguments[0], (str, bytes, os.PathLike)):
        return None
    path = os.path.realpath(os.fsdecode(arguments[0]))
    if arguments[2] & _WRITING:
        return f"open {path} for writing"
    return None if path.startswith(_places()) else f"open {path}"


def _places() -> tuple[str, ...]:
    """Where modules and what belongs to them are."""
    import agentassert

    compiled = {sys.pycache_prefix} if sys.pycache_prefix else set()
    return (*map(os.path.realpath, {sys.prefix, sys.base_prefix, *agentassert.__path__, *compiled}), "/usr/lib")


def watch(*rules: Callable[[str, tuple[Any, ...]], str | None]) -> None:
    """Refuse what one of the rules has a word for, from now on."""

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        for rule in rules:
            words = rule(event, arguments)
            if words is not None:
                SEEN.append(words)
                raise GuardedError(words)

    sys.addaudithook(hook)


def watch_threads() -> None:
    """Refuse threads, too: not every Python tells a hook of them."""

    def start(self: threading.Thread) -> None:
        SEEN.append(f"thread {self.name}")
        raise GuardedError(SEEN[-1])

    threading.Thread.start = start  # type: ignore[method-assign]


def ended() -> None:
    """Leave with 3 when something was refused."""
    sys.stdout.flush()
    if SEEN:
        sys.stderr.write("\n".join(["refused:", *SEEN, ""]))
        os._exit(3)


def import_all(frameworks: tuple[str, ...]) -> None:
    """Import every module, with no framework to be had, and print each, with the framework that it cannot do without."""
    import importlib
    import pkgutil

    import agentassert

    names = [one.name for one in pkgutil.walk_packages(agentassert.__path__, "agentassert.", onerror=lambda _: None)]
    for name in frameworks:
        sys.modules[name] = None  # type: ignore[assignment]  # which is how Python keeps that there is none
    watch(_asks_outside, _is_more_than_an_import)
    watch_threads()
    for name in names:
        if name == "agentassert.__main__":
            continue
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or error.name.startswith("agentassert"):
                raise
            sys.stdout.write(f"{name}: needs {error.name}\n")
        else:
            sys.stdout.write(f"{name}\n")


if __name__ == "__main__":
    if sys.argv[1] == "--imports":
        import_all(tuple(sys.argv[2:]))
    else:
        from tests.compatibility.behaviour import tell

        Path(sys.argv[1]).mkdir(exist_ok=True)
        watch(_asks_outside)
        tell(*sys.argv[1:])
    ended()
