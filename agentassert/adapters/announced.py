"""Adapters that other distributions announce by an entry point."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

ENTRY_POINTS: Final = "agentassert.adapters"


def announced() -> dict[str, Callable[[], Any]]:
    """What loads each of them, by the module that it waits for.

    Example:
        >>> announced()
        {}
    """
    if not _may_be_any():
        return {}
    from importlib.metadata import entry_points

    return {entry.name: entry.load for entry in entry_points(group=ENTRY_POINTS)}


def _may_be_any() -> bool:
    """Whether the name of the group stands anywhere: hardly ever, and `importlib.metadata` takes a sixth of a short test to load."""
    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return True
    return any(ENTRY_POINTS.encode() in text for place in dict.fromkeys(sys.path) for text in _texts(place))


def _texts(place: str) -> Iterator[bytes]:
    """The entry points of the distributions in one place of the path; an archive may have any."""
    try:
        with os.scandir(place or os.curdir) as entries:
            found = [entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info"))]
    except NotADirectoryError:
        yield ENTRY_POINTS.encode()
        return
    except OSError:  # as of the standard library's archive, which is named by every path and hardly ever there
        return
    for path in found:
        try:
            yield Path(path, "entry_points.txt").read_bytes()
        except OSError:
            continue
