"""Projects with agents and suites, made for a test, and the program run in them."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from agentassert.cli import main

_numbers = itertools.count()


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def case(self):
        (case,) = self.json["cases"]
        return case


class Project:
    """A folder with a `pyproject.toml`, a module of agents of its own name, and suites."""

    def __init__(self, root: Path, capsys) -> None:
        self.root = root
        self.module = f"agents_{os.getpid()}_{next(_numbers)}"
        self._capsys = capsys
        self.settings("")

    def settings(self, text: str, agents: str = 'support = "{module}:support"') -> None:
        named = agents.replace("{module}", self.module)
        own = dedent(text).replace("{module}", self.module)
        self.write("pyproject.toml", f"[tool.agentassert]\n{own}\n[tool.agentassert.agents]\n{named}\n")

    def agent(self, code: str) -> None:
        self.write(f"{self.module}.py", "from agentassert import record\n" + dedent(code))

    def suite(self, text: str, name: str = "support") -> None:
        self.write(f"tests/{name}.yaml", dedent(text))

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")
        return file

    def run(self, *arguments: str) -> Ran:
        self._capsys.readouterr()
        code = main([*arguments])
        said = self._capsys.readouterr()
        return Ran(code, said.out, said.err)

    def test(self, *arguments: str) -> Ran:
        return self.run("test", *arguments)

    def in_a_process(self, *command: str, **environment: str) -> Ran:
        ended = subprocess.run(
            [sys.executable, *command],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        return Ran(ended.returncode, ended.stdout, ended.stderr)
