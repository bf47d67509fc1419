"""What a failed check says: subject, expected, found, the difference, what to do."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import attrs

from agentassert.errors import AgentAssertionError, UnknownNameError
from agentassert.records import ToolExecution

_T = TypeVar("_T")


@attrs.frozen(kw_only=True)
class Failure:
    """Why a check does not hold.

    Args:
        expected: what follows "Expected <subject>", such as `to have executed 'search'`.
        found: what follows, such as `but no successful execution matched`.
        details: lines that explain it, shown below.
        advice: the call or the change that settles it.
        kind: the class of the error.
        wanted: the expectation as a value; `actual`: what was found as a value.
        differences: one line a difference, without indentation.
        important: ids of the executions that a long list must not leave out.

    Example:
        >>> Failure(expected="to have executed 'search'", found="but it was not").text("invocation 'a'")
        "Expected invocation 'a' to have executed 'search',\\nbut it was not."
    """

    expected: str
    found: str
    details: tuple[str, ...] = ()
    advice: str | None = None
    kind: type[AgentAssertionError] = AgentAssertionError
    wanted: Any = None
    actual: Any = None
    differences: tuple[str, ...] = ()
    important: tuple[str, ...] = ()

    def text(self, subject: str) -> str:
        """The message without the list of what was recorded.

        Example:
            >>> Failure(expected="to have a turn", found="but it has none").text("the conversation")
            'Expected the conversation to have a turn,\\nbut it has none.'
        """
        end = ":" if self.details else "."
        lines = [f"Expected {subject} {self.expected},", f"{self.found}{end}"]
        lines += [f"  {line}" for line in self.details]
        if self.advice:
            lines.append(self.advice)
        return "\n".join(lines)

    def error(self, subject: str, *sections: str, description: str | None = None) -> AgentAssertionError:
        """The exception, with further sections below the text.

        Example:
            >>> Failure(expected="to have a turn", found="but it has none").error("the conversation").actual
            'but it has none'
        """
        text = "\n".join((self.text(subject), *(section for section in sections if section)))
        return self.kind(
            text if description is None else f"[{description}] {text}",
            subject=subject,
            expected=self.wanted if self.wanted is not None else self.expected,
            actual=self.actual if self.actual is not None else self.found,
            differences=self.differences,
        )


def listed(title: str, executions: Iterable[ToolExecution], important: Iterable[str] = (), *, first: int = 1) -> str:
    """A section with every execution, numbered from `first`."""
    from agentassert import render  # what passes shows nothing

    shown = tuple(executions)
    if not shown:
        return f"{title}: none"
    keep = frozenset(important)
    numbers = [index for index, execution in enumerate(shown) if execution.id in keep]
    return "\n".join((f"{title}:", *(f"  {line}" for line in render.executions(shown, important=numbers, first=first))))


def shortened(items: Sequence[_T], show: Callable[[_T], str], most: int = 20) -> tuple[str, ...]:
    """A line for each of the first items, and how many more there are.

    Example:
        >>> shortened([1, 2, 3], str, most=1)
        ('1', '… 2 more …')
    """
    lines = tuple(map(show, items[:most]))
    return lines if len(items) <= most else (*lines, f"… {len(items) - most:,} more …")


def counted(number: int, noun: str) -> str:
    """A number of things in words.

    Example:
        >>> counted(1, "execution"), counted(1234, "execution")
        ('1 execution', '1,234 executions')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def hidden(excinfo: Any) -> bool:
    """Whether pytest leaves a frame of ours out of a traceback: for our own failures only, so that our bugs stay visible."""
    return bool(excinfo.errisinstance((AgentAssertionError, UnknownNameError)))


def levels_to_the_test() -> int:
    """How far up the stack the test is, seen from the caller: its line is what a warning is about."""
    levels, frame = 1, sys._getframe(1)  # noqa: SLF001  # `skip_file_prefixes` of `warnings.warn` came with Python 3.12
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("agentassert."):
        levels, frame = levels + 1, frame.f_back
    return levels
