"""What the page about pytest shows is what pytest shows.

A `py` block is a file, whose name its first line tells; a `console` block is what a command shows, with `...` for what is left out.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "pytest.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(py|console)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SHOWN = [text for kind, text in BLOCKS if kind == "console"]


@pytest.fixture
def page(project):
    for kind, text in BLOCKS:
        if kind == "py":
            project.file(re.match(r"# (\S+\.py)\n", text)[1], text)
    return project


def pattern(line):
    return line.replace("[", "[[]").replace("...", "*")


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.splitlines()[0])
def test_a_command_shows_what_the_page_says(page, shown):
    command, *lines = shown.splitlines()
    ran = page.run(*command.removeprefix("$ pytest ").split())
    ran.stdout.fnmatch_lines([pattern(line) for line in lines])


@pytest.mark.parametrize("name", ["test_support.py", "test_async.py"])
def test_what_the_page_shows_without_a_command_passes(page, name):
    # The second one: pytest 8.3 says so of a plugin that this process has imported already.
    ran = page.run("-p", "anyio", "-W", "error::UserWarning", "-W", "ignore:Module already imported", name)
    ran.assert_outcomes(passed=1)
