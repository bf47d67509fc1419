"""`agentassert show`: what was recorded as trees."""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agentassert.suites.exit_codes import FAILED, PASSED

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.errors import StoredCaptureError

_WIDTH: Final = 100
"""Where there is no terminal whose width could be had."""


def add(parser: argparse.ArgumentParser) -> None:
    """Give the command its arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="a file of captures, of spans or of messages, FILE:LINE for what begins in that line, or a folder of such files",
    )
    parser.set_defaults(command=show)


def show(options: argparse.Namespace) -> int:
    """Print what was recorded as trees: what ran in what, with what, and what came of it. In colour on a terminal, unless NO_COLOR is set."""
    from agentassert.reports.tree_text import heading_text
    from agentassert.text.terminals import has_colours

    between, color, width = "", has_colours(sys.stdout), _width()
    problems: list[StoredCaptureError] = []
    captures = _readable(options.files, problems)
    first = list(itertools.islice(captures, 2))
    for place, capture in itertools.chain(first, captures):
        heading = f"{heading_text(place, color=color)}\n" if len(first) > 1 else ""
        print(between + heading + capture.tree(width=width, color=color))  # noqa: T201  # what the command is for
        between = "\n"
    return FAILED if problems else PASSED


def _readable(paths: Sequence[str], problems: list[StoredCaptureError]) -> Iterator[tuple[str, Capture]]:
    """What can be read, with its place; why the rest cannot is told at once, and kept."""
    from agentassert.errors import StoredCaptureError
    from agentassert.text.pieces import escaped

    for found in _captures(paths):
        if isinstance(found, StoredCaptureError):
            print(f"agentassert: {escaped(str(found))}", file=sys.stderr)  # noqa: T201
            problems.append(found)
        else:
            yield found


def _captures(paths: Sequence[str]) -> Iterator[tuple[str, Capture] | StoredCaptureError]:
    from agentassert.errors import StoredCaptureError
    from agentassert.storing.pieces import files_in

    for path in paths:
        try:
            for file in files_in(path):
                yield from _captures_in(file)
        except StoredCaptureError as error:
            yield error


def _captures_in(place: str) -> Iterator[tuple[str, Capture] | StoredCaptureError]:
    from agentassert.errors import StoredCaptureError
    from agentassert.storing.pieces import pieces_at
    from agentassert.storing.reading import capture_of

    try:
        for piece in pieces_at(place):
            try:
                capture = capture_of(piece)
            except StoredCaptureError as error:
                yield error
            else:
                yield piece.place, capture
    except StoredCaptureError as error:
        yield error


def _width() -> int:
    from agentassert.reports.tree_text import NARROWEST

    return max(NARROWEST, shutil.get_terminal_size((_WIDTH, 0)).columns)
