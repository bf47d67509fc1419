"""The map of the package is complete and true, and its modules stay small."""

from __future__ import annotations

import ast
import re
import sys
import threading
from pathlib import Path

import pytest

from agentassert import assert_that, capture, soft_assertions

PROJECT = Path(__file__).parent.parent
PACKAGE = PROJECT / "agentassert"
PAGE = (PROJECT / "docs" / "explanation" / "architecture.md").read_text("utf-8")
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 500, 45
"""Lines; of a function those of its body, without its docstring: what fits on a screen."""


def test_the_map_shows_every_part():
    parts = {
        path.name if path.is_file() else f"{path.name}/" for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()
    }
    table = PAGE.partition("## The parts")[2].partition("## ")[0]
    shown = set(re.findall(r"`([\w]+(?:/|\.py))`", table))

    assert parts - {"__init__.py", "__main__.py", "__pycache__/"} == shown


def test_the_way_leads_through_modules_that_are_there():
    way = re.findall(r"`([\w/]+\.py)`", PAGE.partition("## The way")[2])

    assert len(way) > 10
    assert [name for name in way if not (PACKAGE / name).is_file()] == []


def test_an_execution_takes_the_way_that_is_described():
    agents = pytest.importorskip("langchain.agents")
    from tests.scripted.langchain import ScriptedChatModel, asks_for

    def cancel_booking(booking_number: str) -> str:
        """Cancel a booking."""
        return "cancelled"

    steps = PAGE.partition("## The way")[2].partition("That is ")
    way = re.findall(r"`([\w/]+\.py)`", steps[0])
    model = ScriptedChatModel(asks_for(("cancel_booking", {"booking_number": "MS-778"}, "1")), "Done.")
    agent = agents.create_agent(model, [cancel_booking], name="support_agent")
    entered = set()

    def note(frame, event, _):
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(PACKAGE):
            entered.add(file.relative_to(PACKAGE).as_posix())

    threading.setprofile(note)  # a tool runs in a thread of its own
    sys.setprofile(note)
    try:
        with capture() as cap:
            agent.invoke({"messages": [("user", "Please cancel MS-777")]})
        with pytest.raises(AssertionError), soft_assertions():
            assert_that(cap).has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
    finally:
        sys.setprofile(None)
        threading.setprofile(None)

    assert set(way) - entered == set()
    assert steps[2].startswith(f"{len(set(way))} files")


def test_modules_and_functions_are_read_without_scrolling_far():
    modules = {path: len(path.read_text("utf-8").splitlines()) for path in MODULES}
    functions = {
        f"{path.relative_to(PACKAGE)}: {node.name}": (node.end_lineno or 0)
        - (node.body[1 if _has_docstring(node) else 0]).lineno
        + 1
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }

    assert {str(path): length for path, length in modules.items() if length > LONGEST_MODULE} == {}
    assert {name: length for name, length in functions.items() if length > LONGEST_FUNCTION} == {}
    assert len(functions) > 1_000


def test_half_of_the_modules_are_short():
    lengths = sorted(len(path.read_text("utf-8").splitlines()) for path in MODULES)

    assert lengths[len(lengths) // 2] <= 150


def _has_docstring(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return len(function.body) > 1 and ast.get_docstring(function) is not None
