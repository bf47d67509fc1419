"""What became of the mutants, kept in a file of JSON lines while it is found out, and shown as far as it matters."""

from __future__ import annotations

import json
import os
from pathlib import Path

from tests.mutation.forks import Outcome
from tests.mutation.mutants import Mutant, file_of


class Book:
    def __init__(self, file: Path, explained: dict[str, str]) -> None:
        self.file = file
        self.explained = explained
        self._shown = os.fdopen(os.dup(1), "w", encoding="utf-8")  # whatever the tests do to theirs

    def add(self, mutant: Mutant, outcome: Outcome) -> None:
        """Write down one outcome, and show what is to be looked at."""
        line = {"mutant": mutant.name, "line": mutant.place.lines[0], "outcome": outcome.name}
        with self.file.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(line, ensure_ascii=False)}\n")
        if outcome == Outcome.SURVIVED and mutant.name not in self.explained:
            path = file_of(mutant.place.module).relative_to(Path.cwd())
            self.say(f"survived: {path}:{mutant.place.lines[0]}\n    {mutant.name}")

    def say(self, text: str) -> None:
        self._shown.write(f"{text}\n")
        self._shown.flush()

    def outcomes(self) -> dict[str, Outcome]:
        """The last outcome of each mutant."""
        lines = self.file.read_text(encoding="utf-8").splitlines() if self.file.exists() else []
        return {one["mutant"]: Outcome[one["outcome"]] for one in map(json.loads, lines)}
