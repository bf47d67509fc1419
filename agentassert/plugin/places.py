"""Where in the tests something of ours was called."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Final

import attrs
import pytest

_BETWEEN: Final = ("agentassert.", "contextlib", "unittest.")
"""The modules that a call goes through on its way from a test to us."""


@attrs.frozen
class Place:
    """A line of the tests, or of what they use.

    Args:
        file: its path.
        line: counted from 1.
    """

    file: str
    line: int


def calling_frame() -> FrameType:
    """The nearest frame that belongs to whoever uses this library."""
    frame = sys._getframe(1)  # noqa: SLF001  # `inspect.stack` reads source files
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_BETWEEN):
        frame = frame.f_back
    return frame


def place_of(frame: FrameType) -> Place:
    """The line that a frame is at."""
    return Place(frame.f_code.co_filename, frame.f_lineno)


def is_test_itself(frame: FrameType, item: pytest.Item) -> bool:
    """Whether a frame is of the test's function, or of a function written inside it, and not of a fixture or a helper."""
    function = getattr(item, "function", None)
    if function is None or frame.f_globals.get("__name__") != function.__module__:
        return False
    name, own = function.__qualname__, frame.f_code.co_qualname
    return bool(own == name or own.startswith(f"{name}.<locals>."))
