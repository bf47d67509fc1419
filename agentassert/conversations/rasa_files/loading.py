"""Test files with the files around them: which cases there are, and what each of them needs."""

from __future__ import annotations

import bisect
import itertools
import operator
import os
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert.conversations.rasa_files.format import RasaCase, RasaFile, Remark, Slots, UserStep
from agentassert.conversations.rasa_files.reading import read_conftest, read_file
from agentassert.suites.problems import Problem, SuiteError, quoted
from agentassert.text.nearest import did_you_mean

_SUFFIXES: Final = frozenset({".yml", ".yaml"})
_CONFTEST: Final = "conftest"
_NAME: Final = operator.itemgetter(0)


@attrs.frozen(kw_only=True)
class ReadyCase:
    """A test case with all that its names stand for.

    Args:
        case: what the file says.
        file: the file.
        fixtures: what is set before the first message, in order.
        metadata: for each of its user steps, in their order, what the case and then the step says that it sends.
        stubs: the stubs of custom actions that hold for it, by the name of the action; `None` where the file stubs none.
        remarks: what to mind about it.
    """

    case: RasaCase
    file: Path
    fixtures: tuple[Slots, ...] = ()
    metadata: tuple[tuple[Mapping[str, Any], Mapping[str, Any]], ...] = ()
    stubs: Mapping[str, Any] | None = None
    remarks: tuple[Remark, ...] = ()

    @property
    def slots(self) -> Slots:
        """What is set before the first message, in order."""
        return tuple(itertools.chain.from_iterable(self.fixtures))

    @property
    def messages(self) -> Iterator[Mapping[str, Any]]:
        """The metadata that each of its user steps sends, in their order; what the step says holds.

        Made as it is asked for: if it were kept, a file would take the square of its length.
        """
        return ({**of_case, **own} for of_case, own in self.metadata)


def load(paths: Iterable[str]) -> list[ReadyCase]:
    """The test cases in some files and folders.

    Args:
        paths: files; folders, which are searched; or `file::name of a case`.

    Returns:
        The cases, in the order of the paths, of the files in a folder, and of the cases in a file.

    Raises:
        RasaFilesError: for everything that is wrong with the files.
        ValueError: when a path or a case is not there, or nothing is a test.
    """
    chosen = [one for path in paths for one in _files(path)]
    loaded, errors = [], []
    for path, name in chosen:
        try:
            found = read_file(path)
            if found is not None:
                loaded.append((found, _chain(path), name))
        except SuiteError as error:
            errors.append(error)
    metadata = _metadata_of(file for found, conftests, _ in loaded for file in (*conftests, found))
    ready: list[ReadyCase] = []
    for found, conftests, name in loaded:
        try:
            ready += _ready(found, conftests, name, metadata)
        except SuiteError as error:
            errors.append(error)
    if errors:
        raise RasaFilesError(errors)
    if not ready:
        raise ValueError(f"there are no test cases in {', '.join(paths)}")
    return ready


class RasaFilesError(ValueError):
    """Test files that cannot be run; a line for each thing that is wrong.

    Args:
        errors: one for each file.
    """

    def __init__(self, errors: Iterable[SuiteError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(dict.fromkeys(str(error) for error in self.errors)))


def _files(path: str) -> Iterator[tuple[Path, str | None]]:
    """The files that a path names, each with the case that is asked for."""
    place, colons, name = path.partition("::")
    found = Path(os.path.realpath(place))  # which, unlike `resolve`, has an answer for links in a circle, too
    if found.is_dir() and not colons:
        for folder, folders, files in os.walk(found):
            folders[:] = sorted(one for one in folders if not one.startswith("."))
            yield from ((Path(folder, one), None) for one in sorted(files) if _may_hold_tests(Path(one)))
    elif found.is_file():
        yield found, name if colons else None
    else:
        raise ValueError(f"{place}: there is no such file" + ("" if colons else " or folder"))


def _may_hold_tests(file: Path) -> bool:
    return file.suffix.lower() in _SUFFIXES and file.stem != _CONFTEST and not file.name.startswith(".")


def _chain(path: Path) -> list[RasaFile]:
    """Every `conftest.yml` from the top folder down to the file's own."""
    return [
        read_conftest(conftest)
        for folder in reversed(path.parents)
        for suffix in (".yml", ".yaml")
        if (conftest := folder / f"{_CONFTEST}{suffix}").is_file() and not _is_of_simulations(conftest)
    ]


def _is_of_simulations(conftest: Path) -> bool:
    """Whether it belongs to the other kind of tests, those in the folder `eval` of an assistant."""
    folder = conftest.parent
    return folder.name == "eval" and any(
        (folder.parent / one).exists() for one in ("config.yml", "domain.yml", "domain", "config")
    )


def _metadata_of(files: Iterable[RasaFile]) -> dict[str, tuple[Mapping[str, Any], Path]]:
    """By name, what the first file that defines it says."""
    found: dict[str, tuple[Mapping[str, Any], Path]] = {}
    for file in files:
        for name, one in file.metadata.items():
            found.setdefault(name, (one, file.path))
    return found


def _ready(
    file: RasaFile, conftests: list[RasaFile], name: str | None, metadata: Mapping[str, tuple[Mapping[str, Any], Path]]
) -> list[ReadyCase]:
    known: dict[str, Slots] = {}
    for one in (*conftests, file):
        known.update(one.fixtures)
    problems = [problem for case in file.cases for problem in _unknown_names(case, known, metadata)]
    if problems:
        raise SuiteError(file.path, problems)
    cases = [case for case in file.cases if name is None or case.name == name]
    if not cases and name is not None:
        meant = did_you_mean(name, [case.name for case in file.cases])
        raise SuiteError(file.path, [Problem(1, 1, f"there is no test case {quoted(name)}{meant and f'; {meant}'}")])
    stubs = _Stubs.of({stub: one for each in (*conftests, file) for stub, one in each.stubs.items()})
    return [_with_names(case, file, known, metadata, stubs) for case in cases]


def _unknown_names(case: RasaCase, fixtures: Mapping[str, Slots], metadata: Mapping[str, Any]) -> Iterator[Problem]:
    used = [(case.line, "metadata", case.metadata, metadata)]
    used += [(case.line, "fixture", one, fixtures) for one in case.fixtures]
    used += [(step.line, "metadata", step.metadata, metadata) for step in case.steps if isinstance(step, UserStep)]
    for line, what, name, known in used:
        if name is not None and name not in known:
            meant = did_you_mean(name, known)
            words = f"there is no {what} {quoted(name)} in this file or a conftest.yml above it"
            yield Problem(line, 1, f"{words}{meant and f'; {meant}'}")


def _with_names(
    case: RasaCase,
    file: RasaFile,
    fixtures: Mapping[str, Slots],
    metadata: Mapping[str, tuple[Mapping[str, Any], Path]],
    stubs: _Stubs,
) -> ReadyCase:
    of_case: Mapping[str, Any] = {} if case.metadata is None else metadata[case.metadata][0]
    remarks = list(case.remarks)
    sent = []
    for step in case.steps:
        if isinstance(step, UserStep):
            own: Mapping[str, Any] = {} if step.metadata is None else metadata[step.metadata][0]
            sent.append((of_case, own))
            remarks += _overridden(step, of_case, own)
            remarks += _shadowed(step.line, step.metadata, file, metadata)
    remarks += _shadowed(case.line, case.metadata, file, metadata)
    return ReadyCase(
        case=case,
        file=file.path,
        fixtures=tuple(fixtures[name] for name in dict.fromkeys(case.fixtures)),
        metadata=tuple(sent),
        stubs=stubs.of_case(case.name),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _overridden(step: UserStep, of_case: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[Remark]:
    both = [key for key in own if key in of_case and own[key] != of_case[key]]
    if both:
        keys = ", ".join(map(repr, both))
        yield Remark(
            step.line,
            f"the step's metadata {step.metadata!r} says otherwise than the case's about {keys}, and holds",
            decides=False,
        )


def _shadowed(
    line: int, name: str | None, file: RasaFile, metadata: Mapping[str, tuple[Mapping[str, Any], Path]]
) -> Iterator[Remark]:
    """The first file that defines a name of metadata holds, also against the file that uses it."""
    if name is not None and name in file.metadata and file.metadata[name] != metadata[name][0]:
        words = f"the metadata {name!r} is what {metadata[name][1].name}, which is read earlier, says, not what this file says"
        yield Remark(line, words)


@attrs.frozen
class _Stubs:
    """Stubs of all cases: looked up so that many cases with many stubs take no more than both together."""

    of_all: dict[str, Any]
    scoped: list[tuple[str, Any]]
    """In the order of their names, so that those of one case stand together."""

    @classmethod
    def of(cls, stubs: Mapping[str, Any]) -> _Stubs:
        of_all = {name: one for name, one in stubs.items() if "::" not in name}
        return cls(of_all, sorted(((name, one) for name, one in stubs.items() if "::" in name), key=_NAME))

    def of_case(self, case: str) -> Mapping[str, Any] | None:
        """By the name of the action; a stub for this case holds before one for all. `None` where the file stubs none."""
        if not self.of_all and not self.scoped:
            return None
        prefix = f"{case.replace(' ', '_')}::"
        first = bisect.bisect_left(self.scoped, prefix, key=_NAME)
        places = itertools.takewhile(lambda place: self.scoped[place][0].startswith(prefix), range(first, len(self.scoped)))
        found = {self.scoped[place][0].removeprefix(prefix): self.scoped[place][1] for place in places}
        return ChainMap(found, self.of_all) if found else self.of_all
