"""Which files are suites: where they are, and what they are called."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

SUFFIX: Final = ".yaml"
SIDE_FOLDERS: Final = frozenset({"files", "builders", "mocks"})
"""Folders directly below a suites directory that hold what suites use, and no suites."""

_OTHER_SUFFIX: Final = ".yml"
_GLANCE: Final = 1_048_576
_LOOKS_LIKE_A_SUITE: Final = re.compile(rb"^tests[ \t]*:", re.MULTILINE)
_LOOKS_LIKE_RASAS: Final = re.compile(rb"^test_cases[ \t]*:", re.MULTILINE)


def suites_directory_of(file: Path, directories: Iterable[Path]) -> Path | None:
    """The suites directory that a file is a suite of, by its place and its name alone.

    Args:
        file: an absolute path.
        directories: the suites directories of the project, as :attr:`Settings.suite_directories` gives them.

    Returns:
        The nearest of the directories above the file; `None` for a file that is no suite.

    Example:
        >>> suites_directory_of(Path("/shop/tests/support.yaml"), [Path("/shop/tests")])
        PosixPath('/shop/tests')
        >>> suites_directory_of(Path("/shop/tests/files/order.yaml"), [Path("/shop/tests")]) is None
        True
    """
    if file.suffix.lower() not in {SUFFIX, _OTHER_SUFFIX}:
        return None
    above = [directory for directory in directories if file.is_relative_to(directory)]
    if not above:
        return None
    nearest = max(above, key=lambda directory: len(directory.parts))
    parts = file.relative_to(nearest).parts
    if (len(parts) > 1 and parts[0] in SIDE_FOLDERS) or any(part.startswith(".") for part in parts):
        return None
    return nearest if file.suffix.lower() == SUFFIX or _is_misnamed(file) else None


def suite_files(directories: Iterable[Path]) -> Iterator[tuple[Path, Path]]:
    """Every file that is a suite by its place and name, in the order of their paths, each with its suites directory.

    Folders that are symbolic links are not followed.

    Args:
        directories: absolute paths; one that is not there holds no suites.

    Example:
        >>> list(suite_files([Path("/nowhere")]))
        []
    """
    places = tuple(directories)
    found = {
        file: directory
        for place in places
        for file in _files_below(place)
        if (directory := suites_directory_of(file, places)) is not None
    }
    yield from sorted(found.items())


def has_wrong_suffix(file: Path) -> bool:
    """Whether a suite is called in a way that would keep it from being found.

    Example:
        >>> has_wrong_suffix(Path("support.yml")), has_wrong_suffix(Path("support.YAML"))
        (True, False)
    """
    return file.suffix.lower() == _OTHER_SUFFIX


def looks_like_rasas(file: Path) -> bool:
    """Whether a file is a test of a Rasa assistant, as far as a glance tells.

    Example:
        >>> looks_like_rasas(Path("/nowhere/e2e.yml"))
        False
    """
    return _holds(file, _LOOKS_LIKE_RASAS)


def _files_below(place: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(place):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in files)


def _is_misnamed(file: Path) -> bool:
    """Whether a file that ends otherwise is meant as a suite: nobody would miss it when it is not run."""
    return _holds(file, _LOOKS_LIKE_A_SUITE)


def content_of(file: Path, most: int) -> bytes:
    """The beginning of a file.

    Args:
        file: the file.
        most: how many bytes of it.

    Raises:
        OSError: when it cannot be read, or is a pipe or a device, which may never end.

    Example:
        >>> content_of(Path("/nowhere"), 10)
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: '/nowhere'
    """
    if not (stat.S_ISREG(mode := file.stat().st_mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a pipe or a device")
    with file.open("rb") as opened:
        return opened.read(most)


def _holds(file: Path, pattern: re.Pattern[bytes]) -> bool:
    try:
        return pattern.search(content_of(file, _GLANCE)) is not None
    except OSError:
        return False
