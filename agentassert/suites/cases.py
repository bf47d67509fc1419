"""Makes cases of what was read from a suite file: fills in the defaults, and checks what no single value tells."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import attrs

from agentassert.driving.approving import ApprovalDecision
from agentassert.expressions.errors import ExpectationError, ExpressionError
from agentassert.expressions.expectations import Expectations, mistakes
from agentassert.suites.confidence import out_of_reach
from agentassert.suites.format import DEFAULTS, EXPECTATIONS
from agentassert.suites.kinds import Reader, label
from agentassert.suites.marks import DataPath
from agentassert.suites.problems import quoted
from agentassert.suites.schema import Case
from agentassert.text.nearest import did_you_mean

_BUILT_IN: Final = {name: field.default for name, field in DEFAULTS.fields.items() if field.default is not None}
_LONGEST_SHOWN: Final = 100
_OF_CHANCE: Final = ("success_confidence", "success_threshold", "runs")


def read_cases(suite: Mapping[str, Any], reader: Reader, directory: Path) -> tuple[Case, ...]:
    """The cases of a suite, of which those that cannot be made are left out once their problems are noted.

    Args:
        suite: the suite as it was read, any part of it missing where that was wrong.
        reader: what it was read with.
        directory: the suites directory that it is in.
    """
    defaults = suite.get("defaults") or {}
    tests = suite.get("tests") or []
    _Beside(directory, reader).look(defaults, ("defaults",))
    _check_names(tests, reader)
    making = _Making(reader, {**_BUILT_IN, **defaults}, _Beside(directory, reader))
    return tuple(making.cases(tests))


@attrs.frozen
class _Making:
    reader: Reader
    defaults: Mapping[str, Any]
    beside: _Beside

    def cases(self, tests: Sequence[Mapping[str, Any] | None]) -> Iterator[Case]:
        for index, test in enumerate(tests):
            if test is None:
                continue
            path: DataPath = ("tests", index)
            self.beside.look(test, path)
            fields = {**self.defaults, **{name: value for name, value in test.items() if name not in EXPECTATIONS}}
            fields["approval_decisions"] = self._approvals(test.get("approval_decisions") or (), path)
            fields["files"] = tuple(test.get("files") or ())
            expectations = _expectations(test, path, self.reader)
            if path not in self.reader.wrong:
                self._check_chance(fields, test, path)
                yield Case(line=self.reader.marks.of_value(path)[0], expectations=expectations, **fields)

    def _approvals(self, decisions: Sequence[Mapping[str, Any] | None], path: DataPath) -> tuple[ApprovalDecision, ...]:
        read = []
        for index, decision in enumerate(decisions):
            at = (*path, "approval_decisions", index)
            if decision is None or at in self.reader.wrong:
                continue
            try:
                read.append(ApprovalDecision(**decision))
            except ExpressionError as error:
                self.reader.refuse((*at, "params"), f"params: {error}")
        return tuple(read)

    def _check_chance(self, fields: Mapping[str, Any], test: Mapping[str, Any], path: DataPath) -> None:
        """Refuse a threshold that the runs cannot reach, even if all of them pass."""
        confidence, threshold, runs = (fields.get(name) for name in _OF_CHANCE)
        if confidence is None or threshold is None or runs is None:
            return
        refused = out_of_reach(runs, threshold, confidence)
        if refused is None:
            return
        own = next((name for name in _OF_CHANCE if name in test), None)
        at: DataPath = ("defaults", "success_confidence") if own is None else (*path, own)
        if at not in self.reader.wrong:
            self.reader.refuse(at, refused)


@attrs.frozen
class _Beside:
    """The files that tests name, which must be there."""

    directory: Path
    reader: Reader
    _there: dict[tuple[str, str], bool] = attrs.field(factory=dict, init=False)
    _listed: dict[Path, tuple[str, ...]] = attrs.field(factory=dict, init=False)

    def look(self, test: Mapping[str, Any], path: DataPath) -> None:
        """Note every file that a test, or the defaults, names and that is not there."""
        for name in ("builder", "mocks"):
            if isinstance(test.get(name), str):
                self._need("mocks" if name == "mocks" else "builders", f"{test[name]}.py", (*path, name))
        for index, file in enumerate(test.get("files") or ()):
            if isinstance(file, str):
                self._need("files", file, (*path, "files", index))

    def _need(self, folder: str, name: str, path: DataPath) -> None:
        place = self.directory / folder
        if (folder, name) not in self._there:
            self._there[folder, name] = os.path.isfile(place / name)  # noqa: PTH113 -- a name may be longer than any file's
        if not self._there[folder, name]:
            others = self._names_in(place)
            hint = did_you_mean(name[:100], others) or f"there is nothing in {folder}/"
            shown = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
            self.reader.refuse(path, f"{label(path)}: there is no {folder}/{shown} in the suites directory; {hint}")

    def _names_in(self, place: Path) -> tuple[str, ...]:
        if place not in self._listed:
            self._listed[place] = tuple(other.name for other in place.iterdir() if other.is_file()) if place.is_dir() else ()
        return self._listed[place]


def _check_names(tests: Sequence[Mapping[str, Any] | None], reader: Reader) -> None:
    lines: dict[str, int] = {}
    for index, test in enumerate(tests):
        name = (test or {}).get("name")
        if name is None:
            continue
        path: DataPath = ("tests", index, "name")
        if name in lines:
            reader.refuse(
                path, f"the name {quoted(name)} is that of the test in line {lines[name]}; a name is unique in its file"
            )
        lines.setdefault(name, reader.marks.of_value(path)[0])


def _expectations(test: Mapping[str, Any], path: DataPath, reader: Reader) -> Expectations:
    """What is expected, as far as its form is right; each expression that cannot be read is noted."""
    data = {name: test[name] for name in EXPECTATIONS if name in test and (*path, name) not in reader.wrong}
    try:
        return Expectations.parse(data)
    except ExpectationError:
        for error in mistakes(data):
            at = (*path, *error.path)
            reader.refuse(at, f"{label(at)}: {error.problem}")
        return Expectations()
