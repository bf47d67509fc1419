"""An environment for each contestant, kept from run to run: no two of them ask for the same versions of the same libraries."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import attrs

PINNED: Final = Path(__file__).with_name("environments.toml")
PROJECT: Final = Path(__file__).parents[3]

_QUIET: Final = {
    "ANONYMIZED_TELEMETRY": "false",
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "LANGSMITH_TRACING": "false",
    "LOGFIRE_SEND_TO_LOGFIRE": "false",
    "OPENAI_API_KEY": "none",  # deepeval asks for one to make a metric that calls no model
    "PYTEST_ADDOPTS": "",
}
_OURS: Final = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONPYCACHEPREFIX", "PYTEST_DISABLE_PLUGIN_AUTOLOAD")
"""What would change the contest: byte code is kept, and plugins are loaded, as on anybody's machine."""


def default_folder() -> Path:
    """Where the environments are kept, unless an option names another place."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "agentassert" / "benchmarks"


@attrs.frozen(slots=False)
class Environments:
    """The environments in a folder.

    Args:
        folder: where they are.
        may_install: whether one that is missing may be made.
    """

    folder: Path
    may_install: bool = True
    _known: dict[str, bool] = attrs.field(factory=dict, init=False)

    @cached_property
    def pinned(self) -> Mapping[str, Any]:
        """What is to be in them."""
        return tomllib.loads(PINNED.read_text("utf-8"))

    def have(self, name: str) -> bool:
        """Make sure that an environment is there and up to date; `False` when it is not and may not be made."""
        if name not in self._known:
            self._known[name] = self._made(name)
        return self._known[name]

    def python(self, name: str) -> Path:
        """The interpreter of an environment."""
        return self.folder / name / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def variables(self, name: str) -> dict[str, str]:
        """What its processes find in their surroundings."""
        return {key: value for key, value in os.environ.items() if key not in _OURS} | _QUIET

    def versions(self, name: str) -> dict[str, str]:
        """What was asked for, as it is there."""
        pinned = [one.partition("==")[0].partition("[")[0] for one in self._wanted(name).splitlines()[1:]]
        code = "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
        return dict(zip(pinned, self._run(name, "-c", code, *pinned).split(), strict=True))

    def _made(self, name: str) -> bool:
        wanted = self._wanted(name)
        stamp = self.folder / name / "requirements.txt"
        if not stamp.is_file() or stamp.read_text("utf-8") != wanted:
            if not self.may_install:
                return False
            print(f"  making the environment {name}", flush=True)
            venv.create(stamp.parent, clear=True, with_pip=True)
            project = ["-e", f"{PROJECT}[suites]"] if name in self.pinned["project"]["environments"] else []
            self._run(name, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *wanted.splitlines()[1:], *project)
            stamp.write_text(wanted, "utf-8")
        return True

    def _wanted(self, name: str) -> str:
        lines = [f"# Python {sys.version.split()[0]}", *self.pinned["everywhere"], *self.pinned["environments"][name]]
        return "".join(f"{line}\n" for line in lines)

    def _run(self, name: str, *arguments: str) -> str:
        command = [str(self.python(name)), *arguments]
        done = subprocess.run(command, env=self.variables(name), cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
        return done.stdout
