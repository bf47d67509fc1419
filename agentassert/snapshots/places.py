"""Where a snapshot lies: beside the test that asks for it."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.failures import hidden

__tracebackhide__ = hidden

FOLDER: Final = "__snapshots__"
SUFFIX: Final = ".trajectory"
_NAME: Final = re.compile(r"\w(?:[\w .-]{0,98}[\w-])?")
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
"""Which are devices in Windows, whatever follows the dot."""

_MOST_BYTES: Final = 200
_SWITCH: Final = "AGENTASSERT_UPDATE"
_written: Final[dict[str, str]] = {}
"""By tests that pytest does not run."""


@attrs.frozen
class Asker:
    """Who asks for snapshots.

    Args:
        folder: where they are.
        base: what a relative folder of the caller's choice is relative to.
        test: how messages name the test.
        updates: whether what differs is written anew.
        by_plugin: whether pytest tells at its end what was written.
        written: the files that were written since the tests began, each with the test.
    """

    folder: Path
    base: Path
    test: str
    updates: bool
    by_plugin: bool
    written: dict[str, str]


def asker() -> Asker:
    """The test that runs, or else the file that calls, found from where this is called.

    Raises:
        ValueError: when `AGENTASSERT_UPDATE` is neither 0 nor 1.
    """
    # Not imported: without pytest, or with `-p no:agentassert`, nobody tells which test runs.
    plugin = sys.modules.get("agentassert.pytest_plugin")
    item = None if plugin is None else plugin.running_test()
    if plugin is not None and item is not None:
        updates = bool(item.config.getoption("agentassert_update", default=False)) or _switched_on()
        written = plugin.written_snapshots()
        return Asker(folder_of(item.path), item.path.parent, item.nodeid, updates, by_plugin=True, written=written)
    file = Path(_calling_file())
    if file.is_file():
        return Asker(folder_of(file), file.parent, shown(file), _switched_on(), by_plugin=False, written=_written)
    # Of a notebook's cell no file is known: its kernel works in the notebook's folder. There a cell is changed and runs again.
    here = Path.cwd()
    return Asker(here / FOLDER, here, "this notebook", _switched_on(), by_plugin=False, written={})


def folder_of(test_file: Path) -> Path:
    """Where the snapshots of a test file are.

    Example:
        >>> folder_of(Path("tests/test_refund.py")).as_posix()
        'tests/__snapshots__/test_refund'
    """
    return test_file.parent / FOLDER / test_file.stem


def file_name(name: Any) -> str:
    """The name of a snapshot's file.

    Raises:
        TypeError: when the name is no string.
        ValueError: when it cannot be part of a file's name on every system.

    Example:
        >>> file_name("refund of a late order")
        'refund of a late order.trajectory'
    """
    if not isinstance(name, str):
        raise TypeError(f"matches_snapshot: name must be a string, but was {render.value(name)} ({type(name).__name__})")
    composed = unicodedata.normalize("NFC", name)  # as a Mac may spell what a keyboard spelt otherwise
    if not _NAME.fullmatch(composed) or len(composed.encode()) > _MOST_BYTES or _RESERVED.fullmatch(composed):
        raise ValueError(
            f"matches_snapshot: name becomes the name of a file, so it has up to 100 letters (fewer outside English), digits, '_', "
            f"'-', '.' and spaces, begins and ends with a letter or digit, and is no device of Windows, but was {name!r}"
        )
    return composed + SUFFIX


def refuse_near_name(file: Path) -> None:
    """Refuse a snapshot beside one whose name differs in capital letters alone: Windows and macOS take both for one file.

    Raises:
        ValueError: naming both.
    """
    try:
        there = {unicodedata.normalize("NFC", one.name) for one in file.parent.iterdir()}
    except FileNotFoundError:
        return
    near = None if file.name in there else next((name for name in there if name.casefold() == file.name.casefold()), None)
    if near is not None:
        raise ValueError(
            f"matches_snapshot: {file.stem!r} differs in capital letters alone from {near.removesuffix(SUFFIX)!r}, which is there, and "
            f"both are one file in Windows and macOS: write the name as the file has it, or give each its own"
        )


def shown(file: Path) -> str:
    """A file as messages name it: from the working directory where it lies below that.

    Example:
        >>> shown(Path.cwd() / "tests" / "a.trajectory")
        'tests/a.trajectory'
    """
    return (file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file).as_posix()


def _calling_file() -> str:
    frame = sys._getframe(1)  # noqa: SLF001  # `inspect.stack` reads the source of every frame
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("agentassert."):
        frame = frame.f_back
    return frame.f_code.co_filename


def _switched_on() -> bool:
    value = os.environ.get(_SWITCH, "0")
    if value not in ("", "0", "1"):
        raise ValueError(
            f"the environment variable {_SWITCH} is 1 to write snapshots and 0 to compare with them, but was {value!r}"
        )
    return value == "1"
