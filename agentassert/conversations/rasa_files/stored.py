"""Which stored tracker is whose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from agentassert.conversations.rasa_files.dialogues import StoredDialogue
from agentassert.conversations.rasa_files.loading import ReadyCase
from agentassert.turns import Conversation


class StoredTrackers:
    """Trackers in files: one for a single test case, or a folder with one for each.

    Args:
        place: the file or folder.
        cases: the test cases that are to be evaluated.

    Raises:
        ValueError: when it is not clear which tracker is whose, or one is not there.
        TrackerError: when a file holds no tracker.
    """

    def __init__(self, place: Path, cases: Sequence[ReadyCase]) -> None:
        if not place.exists():
            raise ValueError(f"--tracker {place}: there is no such file or folder")
        files = [place] * len(cases) if place.is_file() else [place / file_name(ready.case.name) for ready in cases]
        if place.is_file() and len(cases) > 1:
            raise ValueError(
                f"--tracker {place} holds one conversation, and there are {len(cases)} test cases: choose one, as "
                f"file.yml::{cases[0].case.name}, or name a folder with a file for each, such as {file_name(cases[0].case.name)}"
            )
        _refuse_missing_or_shared(files)
        self._conversations = {id(ready): _read(file) for ready, file in zip(cases, files, strict=True)}

    def dialogue(self, ready: ReadyCase) -> StoredDialogue:
        """The stored conversation of a test case."""
        return StoredDialogue(self._conversations[id(ready)])


def _read(file: Path) -> Conversation:
    try:
        return Conversation.from_rasa_tracker(file)
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None


def _refuse_missing_or_shared(files: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for file in files:
        if not file.is_file():
            raise ValueError(f"there is no {file}, where the tracker of its test case must be")
        if file in seen:
            raise ValueError(f"{file} would be the tracker of two test cases: give them other names, or evaluate them apart")
        seen.add(file)


def file_name(case: str) -> str:
    """What the stored tracker of a test case is called.

    Example:
        >>> file_name("books a ferry, twice")
        'books_a_ferry_twice.json'
    """
    return re.sub(r"\W+", "_", case).strip("_") + ".json"
