"""What a test's report carries of its captures: trees to read, and data for the HTML report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from agentassert import render
from agentassert.plugin import nesting
from agentassert.plugin.attempts import Attempt, unnoticed

if TYPE_CHECKING:
    from agentassert.captures import Capture

TITLE: Final = "Captured agents"
"""What the titles of sections with trees begin with."""
_MOST_SHOWN: Final = 20


def add_trees(report: pytest.TestReport, attempt: Attempt) -> None:
    """Add the trees of a test's captures to a report, as a section of its own; those inside others are part of their trees.

    Of very many, as Hypothesis makes them, the last ones tell most: the failing example is run at the end.
    """
    captures = [one.capture for one in nesting.shown(attempt.opened)]
    left_out = len(captures) - _MOST_SHOWN
    said = [f"{left_out} earlier captures are not shown."] if left_out > 0 else []
    report.sections.append((_title(report, attempt), "\n\n".join((*said, *map(_shown, captures[-_MOST_SHOWN:])))))


def add_data(report: Any, attempt: Attempt) -> None:
    """Add a test's captures, as JSON text that pytest-xdist carries: a list of `{"capture": …, "checked": [ids]}`, with `run` in a repeated test."""
    report.agentassert_captures = json.dumps([_data(one, attempt.run) for one in nesting.shown(attempt.opened)])


def _title(report: pytest.TestReport, attempt: Attempt) -> str:
    return TITLE if attempt.run is None else f"{TITLE} in run {attempt.run} ({report.outcome})"


def _shown(capture: Capture) -> str:
    try:
        with unnoticed(capture):
            # Not every stream can write, nor pytest-xdist carry, a character that is none.
            return capture.tree().encode(errors="backslashreplace").decode()
    except Exception as error:  # whatever is wrong with a capture, the report of the test must come out
        return f"{capture.name or 'a capture'} cannot be shown: {render.error(error)}"


def _data(shown: nesting.Shown, run: int | None) -> dict[str, Any]:
    with unnoticed(shown.capture):
        stored = json.loads(shown.capture.to_json())
    return {"capture": stored, "checked": shown.checked} | ({} if run is None else {"run": run})
