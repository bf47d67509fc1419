"""Each dependency in its oldest version with all others in their newest: what the package does must stay the same, word for word.

Run in an environment that has the package with the extra `suites`, in a folder that has the tests; ends with the newest versions again.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import version
from pathlib import Path

PROJECT = Path(__file__).parent.parent


def bounds() -> dict[str, str]:
    """The oldest version of each, by name."""
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    required = [*project["dependencies"], *project["optional-dependencies"]["suites"]]
    pins = dict(re.findall(r"^([\w-]+)==(\S+)$", (PROJECT / ".ci" / "oldest.txt").read_text("utf-8"), re.MULTILINE))
    return {name: pins[name] for name in (one.partition(">=")[0] for one in required)}


def install(*requirements: str) -> None:
    """By pip, in this environment."""
    subprocess.run([sys.executable, "-m", "pip", "install", "-qq", *requirements], check=True)  # noqa: S603  # from oldest.txt


def told() -> dict[str, str]:
    """What the package does."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "error", "-m", "tests.compatibility.behaviour", folder]
        environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        found = subprocess.run(command, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603
    if found.returncode:
        raise SystemExit(found.stderr)
    return json.loads(found.stdout)


def main() -> None:
    """Try each."""
    newest = told()
    differing = 0
    for name, oldest in bounds().items():
        before = version(name)
        install(f"{name}=={oldest}")
        changed = {step for step, words in told().items() if words != newest[step]}
        print(f"{name} {oldest} beside the newest of all others: {f'differs in {sorted(changed)}' if changed else 'the same'}")
        differing += bool(changed)
        install(f"{name}=={before}")
    if differing:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
