"""Compares .ci/oldest.txt with the lower bounds in pyproject.toml, and with what is installed."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

PROJECT = Path(__file__).parent.parent
FRAMEWORKS = (
    "agent-framework",
    "anthropic",
    "autogen",
    "fastmcp",
    "langchain",
    "mcp",
    "openai",
    "openai-agents",
    "opentelemetry",
    "pydantic-ai",
    "suites",
)


def numbers(text: str) -> list[int]:
    """The parts of a version, without the zeros that end it: 8.0 is 8.0.0."""
    parts = [int(part) for part in text.split(".")]
    while parts and parts[-1] == 0:
        parts.pop()
    return parts


def main() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    required = [*project["dependencies"], *(one for extra in FRAMEWORKS for one in extras[extra])]
    bounds = dict(requirement.split(">=") for requirement in required)
    pins = dict(re.findall(r"^([\w-]+)==(\S+)$", (PROJECT / ".ci" / "oldest.txt").read_text("utf-8"), re.MULTILINE))
    for name, bound in bounds.items():
        if not numbers(bound) == numbers(pins[name]) == numbers(version(name)):
            raise SystemExit(f"{name}: pyproject.toml admits {bound}, oldest.txt pins {pins[name]}, installed is {version(name)}")
        print(f"{name} {version(name)}")


if __name__ == "__main__":
    main()
