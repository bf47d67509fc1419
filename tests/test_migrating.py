"""What the migration pages claim line by line: an assertion passes where it should, and fails on a capture of the contrary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from agentassert import AgentAssertionError, assert_that
from agentassert.conversations import rasa
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
    assert all(len(written_there(page)) > 5 for page in ("connic", "rasa"))


def written_there(name: str) -> list[tuple[str, str]]:
    """The code of the first column of a page, where it is code, beside what it is about in the last."""
    row = re.compile(r"^\| `([^`]+)` \| `assert_that\((.*?)\)\.[^`]+` \|$", re.MULTILINE)
    return [(code, about) for code, about in row.findall((PROJECT / "docs" / "migrating" / f"{name}.md").read_text("utf-8"))]


@pytest.mark.parametrize(("code", "about"), written_there("connic"))
def test_a_line_of_connic_means_the_same_here(code, about):
    names = namespace(PROJECT / "docs" / "migrating" / "connic.md")
    expected = yaml.safe_load(code)
    if isinstance(expected, list):
        expected = {"expected_tool_calls": expected}
    elif not all(key.startswith("expected_") for key in expected):
        expected = {"expected_child_agents": expected}

    assert_that(names["subjects"]()[about]).meets(**expected)
    with pytest.raises(AgentAssertionError):
        assert_that(names["contrary"]()[about]).meets(**expected)


@pytest.mark.parametrize(("code", "about"), [case for case in written_there("rasa") if ".turn(" in case[1]])
def test_a_line_of_rasa_holds_by_rasas_rules_too(code, about):
    names = namespace(PROJECT / "docs" / "migrating" / "rasa.md")
    assertion, number = yaml.safe_load(code), int(re.findall(r"\d+", about)[0])

    def checked(talk):
        return rasa.check(talk, assertion, user=talk.turn(number).user.text, step=number, judge=names["rater"])

    assert checked(names["subjects"]()["talk"]) is None
    assert checked(names["contrary"]()["talk"]) is not None
