"""The reference of suite files and settings says what the tables of the program say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentassert import settings_reading
from agentassert.suites.format import APPROVAL, CHILD, DEFAULTS, EXPECTATIONS, SUITE, TEST
from tests.suites.suite_files import Files

RECORDS = {"suite": SUITE, "defaults": DEFAULTS, "test": TEST, "child": CHILD, "approval": APPROVAL}


def rows(page):
    """The last column of each row of the page's tables of keys, by key."""
    text = page.read_text("utf-8").partition("## In Python")[0]
    found = re.findall(r"^\| `(\w+)`[^|]*\|(?:[^|]*)\|(?: *([^|]*?) *\|)?$", text, re.MULTILINE)
    return dict(found)


REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


@pytest.fixture
def page():
    return REFERENCE / "suites.md"


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_every_key_of_suite_files_is_explained_with_its_default(page, record):
    explained = rows(page)
    for name, field in record.fields.items():
        assert name in explained
        if field.required:
            assert explained[name] == "required"
        elif field.default is not None:
            assert explained[name] == f"`{json.dumps(field.default)}`"


def test_no_key_is_explained_that_is_none(page):
    assert set(rows(page)) == {name for record in RECORDS.values() for name in record.fields}
    assert set(EXPECTATIONS) < set(rows(page))


def test_the_suite_of_the_reference_is_one(page, tmp_path):
    (text,) = re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    suite = Files(tmp_path).load(text)
    assert [case.timeout_s for case in suite.cases] == [60, 60]


def test_every_setting_is_explained(tmp_path):
    page = REFERENCE / "settings.md"
    environment = {"variables", "agents"}
    assert set(rows(page)) == {*settings_reading._SETTINGS, *settings_reading._AGENT, *settings_reading._RASA, *environment}
    (text,) = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    read = settings_reading.read(tmp_path / "pyproject.toml", text.encode())
    assert read.agents_in("staging")["support"].target == "shop.staging:support"
