"""What is wrong with a file, and where: one line a problem, all of them together."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import attrs

MOST_SHOWN: Final = 100


@attrs.frozen(order=True)
class Problem:
    """One thing that is wrong.

    Args:
        line: where, from 1.
        column: where in the line, from 1.
        message: what is wrong and what was meant, in one line.
    """

    line: int
    column: int
    message: str


def quoted(text: str, limit: int = 60) -> str:
    """A text as messages show it: in quotes, on one line, and not too long.

    Example:
        >>> quoted("a" * 70, 10)
        "'aaaaaaaaaa…'"
    """
    return repr(text if len(text) <= limit else f"{text[:limit]}…")


class SuiteError(ValueError):
    """A suite file that cannot be run; its text has a line `file:line:column: message` for each problem.

    Args:
        file: the file.
        problems: what is wrong with it, in any order.
        agent: the agent that the suite is for, as far as that could be read.

    Example:
        >>> print(SuiteError(Path("a.yaml"), [Problem(3, 5, "this is wrong"), Problem(1, 1, "so is this")]))
        a.yaml:1:1: so is this
        a.yaml:3:5: this is wrong
    """

    def __init__(self, file: Path, problems: Iterable[Problem], agent: str | None = None) -> None:
        self.file = file
        self.problems = tuple(sorted(problems))
        self.agent = agent
        shown = shown_path(file)
        lines = [f"{shown}:{each.line}:{each.column}: {each.message}" for each in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"{shown}: and more")
        super().__init__("\n".join(lines))


def shown_path(file: Path) -> str:
    """A path as messages show it: from the working directory where it is below that, bytes that are no UTF-8 spelt out.

    Example:
        >>> shown_path(Path.cwd() / "tests" / "support.yaml")
        'tests/support.yaml'
    """
    with contextlib.suppress(ValueError):
        file = file.relative_to(Path.cwd())
    return file.as_posix().encode(errors="backslashreplace").decode()


class YamlError(ValueError):
    """A text that is not read as YAML.

    Args:
        problem: what is wrong with it, and where.

    Example:
        >>> YamlError(Problem(2, 1, "a tab cannot indent")).problem.line
        2
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.line}:{problem.column}: {problem.message}")
        self.problem = problem
