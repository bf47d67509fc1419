"""The JSON Schema is valid, and says of every file what reading says of its structure."""

from __future__ import annotations

import copy
import json
import math

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert.suites import yaml
from agentassert.suites.fields import Record
from agentassert.suites.format import APPROVAL, CHILD, DEFAULTS, SUITE, TEST
from agentassert.suites.json_schema import json_schema
from agentassert.suites.kinds import Reader
from tests.suites.suite_files import one_test
from tests.suites.test_schema import EVERYTHING, WRONG_SUITES, WRONG_TESTS

VALIDATOR = jsonschema.Draft202012Validator(json_schema())
FULL = yaml.parse(EVERYTHING.encode()).data

LEFT_TO_READING = ("there is no files/", "there is no builders/", "there is no mocks/")
"""What no schema can say."""


def is_readable(data):
    """Whether reading finds the structure right, expressions and what is beside the file left aside."""
    reader = Reader(yaml.parse(json.dumps(data).encode()).marks)
    SUITE.read(data, (), reader)
    return not reader.problems


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(json_schema())
    assert json.loads(json.dumps(json_schema())) == json_schema()


def test_a_suite_that_uses_everything_is_valid():
    VALIDATOR.validate(FULL)


@pytest.mark.parametrize(
    "text", [text for text, words in WRONG_TESTS.items() if not any(one in words for one in LEFT_TO_READING)]
)
def test_what_reading_refuses_in_a_test_is_invalid(text):
    assert not VALIDATOR.is_valid(yaml.parse(one_test(text).encode()).data)


@pytest.mark.parametrize(
    "text", [text for text, words in WRONG_SUITES.items() if not any(one in words for one in LEFT_TO_READING)]
)
def test_what_reading_refuses_in_a_suite_is_invalid(text):
    assert not VALIDATOR.is_valid(yaml.parse(text.encode()).data)


@pytest.mark.parametrize("record", [SUITE, DEFAULTS, TEST, CHILD, APPROVAL], ids=lambda record: record.name)
def test_every_key_is_described_with_its_default(record: Record):
    described = (json_schema() if record is SUITE else json_schema()["$defs"][record.definition_name])["properties"]
    assert {name: one.get("default") for name, one in described.items()} == {
        name: field.default for name, field in record.fields.items()
    }
    assert all(one["description"] for one in described.values())


ODD_WORDS = [
    None,
    True,
    False,
    0,
    1,
    100,
    101,
    5.0,
    0.75,
    math.inf,
    "",
    " ",
    "a",
    "a.py",
    "..",
    "a/b",
    "approve",
    "1.0",
    "x" * 121,
]
ODD_PARTS = [[], ["a"], ["a", "a"], [" "], [{"a": "b"}], [{}], {}, {"a": {}}, {"a": None}, {"a": "b"}]
odd = st.sampled_from([*ODD_WORDS, *ODD_PARTS]).map(copy.deepcopy)
names = st.sampled_from(sorted({*SUITE.fields, *TEST.fields, *CHILD.fields, *APPROVAL.fields, "other"}))


def places(data):
    """Every mapping and every list in it."""
    if isinstance(data, (dict, list)):
        yield data
        for one in data.values() if isinstance(data, dict) else data:
            yield from places(one)


@st.composite
def suites(draw):
    """The full suite, changed in a few places."""
    data = copy.deepcopy(FULL)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(list(places(data))))
        if isinstance(place, list):
            place.append(draw(odd))
        elif place and draw(st.booleans()):
            key = draw(st.sampled_from(sorted(place)))
            if draw(st.booleans()):
                del place[key]
            else:
                place[key] = draw(odd)
        else:
            place[draw(names)] = draw(odd)
    return data


@given(suites())
@settings(max_examples=300, deadline=None)
def test_schema_and_reading_agree(data):
    assert VALIDATOR.is_valid(data) == is_readable(json.loads(json.dumps(data)))
