"""`agentassert show`: what was recorded as trees."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TextIO

from agentassert.suites.exit_codes import FAILED, PASSED

if TYPE_CHECKING:
    from agentassert.captures import Capture

_WIDTH: Final = 100
"""Where there is no terminal whose width could be had."""


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="a file of captures, of spans or of messages, or a folder of such files"
    )
    parser.set_defaults(command=show)


def show(options: argparse.Namespace) -> int:
    """Print what was recorded as trees: what ran in what, with what, and what came of it. In colour on a terminal, unless NO_COLOR is set."""
    from agentassert.pieces import escaped

    code, between, color, width = PASSED, "", _has_colours(sys.stdout), _width()
    for found in _captures(options.files):
        if isinstance(found, Exception):
            print(f"agentassert: {escaped(str(found))}", file=sys.stderr)  # noqa: T201
            code = FAILED
        else:
            print(between + found.tree(width=width, color=color))  # noqa: T201  # what the command is for
            between = "\n"
    return code


def _captures(paths: Sequence[str]) -> Iterator[Capture | Exception]:
    """What can be read, and why the rest cannot."""
    from agentassert.errors import StoredCaptureError
    from agentassert.storing.pieces import files_in

    for path in paths:
        try:
            for file in files_in(path):
                yield from _captures_in(file)
        except StoredCaptureError as error:
            yield error


def _captures_in(file: str) -> Iterator[Capture | Exception]:
    from agentassert.errors import StoredCaptureError
    from agentassert.storing.pieces import pieces_in
    from agentassert.storing.reading import capture_of

    try:
        for piece in pieces_in(file):
            try:
                capture = capture_of(piece)
            except StoredCaptureError as error:
                yield error
            else:
                yield capture
    except StoredCaptureError as error:
        yield error


def _has_colours(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int:
    from agentassert.reports.tree_text import NARROWEST

    return max(NARROWEST, shutil.get_terminal_size((_WIDTH, 0)).columns)
