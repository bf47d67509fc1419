"""From the text of a Rasa test file to what it holds; every mistake has its place."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from agentassert.conversations.rasa_files.cases import read_cases
from agentassert.conversations.rasa_files.format import RasaFile, Slots
from agentassert.conversations.rasa_files.refusing import refuse_unknown, refuse_wrong_moment
from agentassert.conversations.rasa_files.words import meaning
from agentassert.suites.discovery import content_of
from agentassert.suites.kinds import Reader, TooMuchWrongError, told
from agentassert.suites.marks import DataPath
from agentassert.suites.problems import Problem, SuiteError, YamlError, quoted
from agentassert.suites.yaml import MOST_BYTES, Document, parse

CASES: Final = "test_cases"
_OF_TESTS: Final = ("fixtures", "metadata", "stub_custom_actions", CASES)
_OF_CONFTESTS: Final = ("fixtures", "metadata", "stub_custom_actions", "llm_judge", "llm_as_judge")
_FIXTURE_NAME: Final = re.compile(r"[A-Za-z_]+[A-Za-z0-9_-]*")
_METADATA_NAME: Final = re.compile(r"[A-Za-z_]+[A-Za-z0-9_]*")


def read_file(path: Path) -> RasaFile | None:
    """What a test file holds, before names are looked up in the files around it.

    Args:
        path: the file.

    Returns:
        `None` for a file that is no test of Rasa's: one without `test_cases`.

    Raises:
        SuiteError: for everything that is wrong with the file.
    """
    document = _document(path)
    if not isinstance(document.data, dict) or CASES not in document.data:
        return None
    return _read(path, document, _OF_TESTS)


def read_conftest(path: Path) -> RasaFile:
    """What a `conftest.yml` holds; its configuration of a judge is Rasa's own and is left alone.

    Args:
        path: the file.

    Raises:
        SuiteError: for everything that is wrong with the file.
    """
    document = _document(path)
    return RasaFile(path=path) if document.data is None else _read(path, document, _OF_CONFTESTS)


def _document(path: Path) -> Document:
    try:
        return parse(content_of(path, MOST_BYTES + 1), meaning)
    except OSError as error:
        raise SuiteError(path, [Problem(1, 1, f"the file cannot be read: {error.strerror}")]) from None
    except YamlError as error:
        raise SuiteError(path, [error.problem]) from None


def _read(path: Path, document: Document, known: tuple[str, ...]) -> RasaFile:
    reader = Reader(document.marks)
    data = document.data
    if not isinstance(data, dict):
        reader.refuse((), f"the file must be a mapping with {' or '.join(map(repr, known))}, but is {told(data)}")
        raise SuiteError(path, reader.problems)
    found = RasaFile(path=path)
    with contextlib.suppress(TooMuchWrongError):
        refuse_unknown(reader, (), data, known, "the file")
        found = RasaFile(
            fixtures=dict(_named(data, "fixtures", _FIXTURE_NAME, _slots, reader)),
            metadata=dict(_named(data, "metadata", _METADATA_NAME, _metadata, reader)),
            stubs=_stubs(data, reader),
            cases=read_cases(data[CASES], reader) if CASES in data else (),
            path=path,
        )
    if reader.problems:
        raise SuiteError(path, reader.problems)
    return found


def _named(
    data: Mapping[str, Any],
    key: str,
    pattern: re.Pattern[str],
    read: Callable[[Any, DataPath, Reader], Any],
    reader: Reader,
) -> Iterator[tuple[str, Any]]:
    """The entries of a list of mappings from a name to what it stands for, each name once."""
    entries = data.get(key, [])
    if not isinstance(entries, list):
        reader.refuse_kind((key,), "a list of mappings, each from a name to what it stands for", entries)
        return
    seen: set[str] = set()
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict) or not entry:
            reader.refuse_kind((key, index), "a mapping from a name to what it stands for", entry)
            continue
        for name, value in entry.items():
            path = (key, index, name)
            if not pattern.fullmatch(name):
                reader.refuse_key(path, f"the name {quoted(name)} in {key!r} must match {pattern.pattern}")
            if name in seen:
                reader.refuse_key(path, f"{quoted(name)} is there twice in {key!r} of this file")
            seen.add(name)
            yield name, read(value, path, reader)


def _slots(value: Any, path: DataPath, reader: Reader) -> Slots:
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        reader.refuse_kind(path, "a list of mappings, each from a slot to its value", value)
        return ()
    for index, one in enumerate(value):
        for slot, given in one.items():
            refuse_wrong_moment(slot, given, (*path, index, slot), reader)
    return tuple((slot, given) for one in value for slot, given in one.items())


def _metadata(value: Any, path: DataPath, reader: Reader) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        reader.refuse_kind(path, "a mapping", value)
        return {}
    for key in value:
        if not _METADATA_NAME.fullmatch(key):
            reader.refuse_key((*path, key), f"the metadata key {quoted(key)} must match {_METADATA_NAME.pattern}")
    return value


def _stubs(data: Mapping[str, Any], reader: Reader) -> Mapping[str, Any]:
    key = "stub_custom_actions"
    stubs = data.get(key, {})
    if not isinstance(stubs, dict):
        reader.refuse_kind((key,), "a mapping from the name of an action to its stub", stubs)
        return {}
    for name, stub in stubs.items():
        if not isinstance(stub, dict):
            reader.refuse_kind((key, name), "a mapping with 'events' and 'responses'", stub)
            continue
        refuse_unknown(reader, (key, name), stub, ("events", "responses"), "a stub")
        for part, listed in stub.items():
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                reader.refuse_kind((key, name, part), "a list of mappings", listed)
    return stubs
