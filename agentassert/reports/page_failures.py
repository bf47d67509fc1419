"""Failure messages as HTML, in which what was expected, what was found and the difference between them stand out."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from agentassert.reports.page_text import readable

_QUOTED: Final = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PATH: Final = rf"\$(?:\[(?:{_QUOTED}|[^\]'\"]*)\]|[^\s\[:])*"
_DIFFERENCE: Final = re.compile(rf"(\s*)({_PATH})(: (?:not )?expected,? )(.*)", re.DOTALL)
_BOTH: Final = re.compile(rf"((?:{_QUOTED}|[^'\"])+?), was (.*)", re.DOTALL)
_BOTH_CUT: Final = re.compile(r"(.+), was (.*)", re.DOTALL)
"""Where a value was cut, its quotation marks need not pair up."""
_MISSING: Final = ", but it is missing"
_FOUND: Final = "was "
_EXECUTION: Final = re.compile(r"(\s*)(\[\d+\]) ([^\s(]+)(\(.*)", re.DOTALL)
_ENDED_BADLY: Final = re.compile(r" (?:FAILED|CANCELLED|UNFINISHED)(?= |$)")
_ASKED: Final = re.compile(r"(?:[\w.]+(?:Error|Exception|Failed): )?(?:\[[^\]]*\] )?Expected ")
_ERROR_LINE: Final = re.compile(r"(E(?: {3}|$))(.*)", re.DOTALL)
_PYTESTS_OWN: Final = re.compile(r"(?:AssertionError: )?assert ")
_LEAST_SHARED: Final = 2
"""Characters that two values must have in common for a part of them to be marked as what differs."""


def message_html(message: str) -> str:
    """The message of a failure; of those that begin as pytest's own do, the lines of its difference are marked, too.

    Args:
        message: as it was raised, or as pytest shows it.

    Example:
        >>> print(message_html("$.number: expected 'MS-777', was 'MS-778'"))
        <span class="m-path">$.number</span>: expected <ins>&#x27;MS-77<mark>7</mark>&#x27;</ins>, was <del>&#x27;MS-77<mark>8</mark>&#x27;</del>
    """
    lines = readable(message).split("\n")
    of_pytest = _PYTESTS_OWN.match(lines[0]) is not None
    return "\n".join(_line(line, of_pytest) for line in lines)


def traceback_html(text: str) -> str:
    """A traceback, in which the lines that pytest begins with `E` are marked as a message is.

    Example:
        >>> print(traceback_html("    check()\\nE   assert 1 == 2"))
            check()
        <span class="m-error"><span class="m-dim">E   </span>assert 1 == 2</span>
    """
    return "\n".join(_traced(line) for line in readable(text).split("\n"))


def _traced(line: str) -> str:
    error = _ERROR_LINE.fullmatch(line)
    if error is not None:
        return f'<span class="m-error"><span class="m-dim">{error[1]}</span>{_line(error[2], of_pytest=True)}</span>'
    if line.startswith(">"):
        return f'<span class="m-here">{escape(line)}</span>'
    return escape(line)


def _line(line: str, of_pytest: bool) -> str:
    difference = _DIFFERENCE.fullmatch(line)
    if difference is not None:
        indent, path, words, rest = difference.groups()
        return f'{indent}<span class="m-path">{escape(path)}</span>{words}{_difference(rest)}'
    execution = _EXECUTION.fullmatch(line)
    if execution is not None:
        indent, number, name, rest = execution.groups()
        called = _ENDED_BADLY.sub(r'<span class="m-bad">\g<0></span>', escape(rest))
        return f'{indent}<span class="m-dim">{number}</span> <span class="m-tool">{escape(name)}</span>{called}'
    return _whole(line, of_pytest)


def _whole(line: str, of_pytest: bool) -> str:
    """A line that is marked as one, by how it begins."""
    text, stripped = escape(line), escape(line.lstrip())
    indent = line[: len(line) - len(line.lstrip())]
    if _ASKED.match(line):
        return f'<span class="m-asked">{text}</span>'
    if line.startswith("but "):
        return f'<span class="m-found">{text}</span>'
    if of_pytest and stripped.startswith("- "):
        return f"{indent}<del>{stripped}</del>"
    if of_pytest and stripped.startswith("+ "):
        return f"{indent}<ins>{stripped}</ins>"
    return text


def _difference(values: str) -> str:
    if values.endswith(_MISSING):
        return f"<ins>{escape(values.removesuffix(_MISSING))}</ins>{_MISSING}"
    if values.startswith(_FOUND):
        return f"{_FOUND}<del>{escape(values.removeprefix(_FOUND))}</del>"
    both = _BOTH.fullmatch(values) or _BOTH_CUT.fullmatch(values)
    if both is None:
        return escape(values)
    wanted, found = _told_apart(both[1], both[2])
    return f"<ins>{wanted}</ins>, was <del>{found}</del>"


def _told_apart(wanted: str, found: str) -> tuple[str, str]:
    """Both values, the part in which they differ marked, unless they have hardly anything in common."""
    shortest = min(len(wanted), len(found))
    start = next((place for place in range(shortest) if wanted[place] != found[place]), shortest)
    most = shortest - start
    end = next((place for place in range(most) if wanted[-1 - place] != found[-1 - place]), most)
    if start + end <= _LEAST_SHARED:
        return escape(wanted), escape(found)
    return _marked(wanted, start, end), _marked(found, start, end)


def _marked(text: str, start: int, end: int) -> str:
    middle = text[start : len(text) - end]
    mark = f"<mark>{escape(middle)}</mark>" if middle else ""
    return escape(text[:start]) + mark + escape(text[len(text) - end :])
