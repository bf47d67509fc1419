"""Which tests run which lines, and how long they take."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

from tests.mutation.mutants import Place

# A mistake can make a loop endless; a machine that does other things, too, can make everything slow.
PATIENCE_S: Final = 5
PATIENCE_FACTOR: Final = 20


@attrs.frozen
class Observed:
    """What was seen of the tests when nothing was wrong.

    Args:
        seconds: how long each one takes.
        running: for each module, by line, the tests that run it.
        failing: the tests that fail without any mistake, of which no use is made.
    """

    seconds: dict[str, float] = attrs.field(factory=dict)
    running: dict[str, dict[int, list[str]]] = attrs.field(factory=dict)
    failing: list[str] = attrs.field(factory=list)

    def tests_of(self, place: Place) -> list[str]:
        """The tests that run the very statement, the quickest first."""
        by_line = self.running.get(place.module, {})
        return self._quickest_first(by_line.get(line, ()) for line in range(place.lines[0], place.lines[1] + 1))

    def tests_of_module(self, place: Place) -> list[str]:
        """The tests that run anything of the module, the quickest first."""
        return self._quickest_first(self.running.get(place.module, {}).values())

    def _quickest_first(self, tests: Iterable[Iterable[str]]) -> list[str]:
        return sorted({test for some in tests for test in some}, key=lambda test: (self.seconds[test], test))

    def patience(self, test: str) -> int:
        """How many seconds to give a test."""
        return int(PATIENCE_S + PATIENCE_FACTOR * self.seconds[test])

    def write(self, file: Path) -> None:
        file.write_text(json.dumps(attrs.asdict(self)), encoding="utf-8")

    @classmethod
    def read(cls, files: Iterable[Path]) -> Observed:
        """What several processes saw, each of some of the tests."""
        observed = cls()
        for file in files:
            part = json.loads(file.read_text(encoding="utf-8"))
            observed.seconds.update(part["seconds"])
            observed.failing.extend(part["failing"])
            for module, by_line in part["running"].items():
                lines = observed.running.setdefault(module, {})
                for line, tests in by_line.items():
                    lines.setdefault(int(line), []).extend(tests)
        return observed


def files_of(tests: Iterable[str]) -> list[str]:
    """The files of tests, those with the most of them first."""
    return [file for file, _ in Counter(test.partition("::")[0] for test in tests).most_common()]
