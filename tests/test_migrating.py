"""What the migration pages claim line by line: an assertion passes where it should, and fails on a capture of the contrary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentassert import AgentAssertionError
from tests.test_docs import PROJECT, blocks

PAGES = sorted((PROJECT / "docs" / "migrating").glob("*.md"))
ASSERTIONS = ("assert_that(", "judge.assert_that(", "soft.")


def lines(page: Path) -> list[str]:
    """The code in the last column of each table whose last column is ours."""
    found, ours = [], False
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]] if line.startswith("|") else []
        if not cells:
            ours = False
        elif cells[-1] == "agentassert":
            ours = True
        elif ours and not set(cells[-1]) <= set("-: "):
            found.append(cells[-1])
    return found


def namespace(page: Path) -> dict[str, object]:
    document = blocks(page)
    for example in document.examples():
        example.evaluate()
    return dict(document.namespace)


CASES = [(page, cell) for page in PAGES for cell in lines(page)]


@pytest.mark.parametrize(("page", "cell"), CASES, ids=lambda one: one.stem if isinstance(one, Path) else None)
def test_each_line_does_what_it_says(page, cell):
    names = namespace(page)
    code = re.fullmatch(r"`([^`]+)`.*", cell)
    assert code is not None, f"{page.name}: the last column holds no code: {cell!r}"
    text = code[1].replace("\\|", "|")

    exec(text, {**names, **names["subjects"]()})  # what a page tells its reader to write

    if text.startswith(ASSERTIONS):
        with pytest.raises(AgentAssertionError):
            exec(text, {**names, **names["contrary"]()})


def test_the_pages_have_lines():
    assert {page.stem for page, _ in CASES} == {page.stem for page in PAGES}
