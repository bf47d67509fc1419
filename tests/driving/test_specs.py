"""What the check of a double's arguments refuses, and what it lets pass."""

from __future__ import annotations

import datetime
from typing import Annotated, Any, Literal

import pytest

from agentassert.doubles.specs import function_complaint, schema_complaint

SCHEMA = {
    "type": "object",
    "properties": {
        "number": {"type": "string"},
        "amount": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "share": {"type": "number"},
        "urgent": {"type": "boolean"},
        "kind": {"enum": ["full", "part"]},
        "currency": {"const": "EUR"},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
        "extra": {"type": ["object", "null"]},
        "both": {"allOf": [{"type": "string"}, {"enum": ["a"]}]},
        "limit": {"type": "integer", "default": 3},
        "lost": {"$ref": "#/$defs/Nothing"},
        "anything": True,
    },
    "required": ["number", "limit"],
    "$defs": {
        "Line": {
            "type": "object",
            "properties": {"id": {"type": "integer"}},
            "required": ["id"],
            "additionalProperties": False,
        }
    },
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"number": "MS-777"},
        {"number": "", "amount": None, "share": 0.5, "urgent": True},
        {"number": "", "amount": 5, "share": 1},
        {"number": "", "amount": "5", "share": "0.5", "urgent": "true"},
        {"number": "", "amount": 5.0},
        {"number": "", "kind": "part", "currency": "EUR", "both": "a"},
        {"number": "", "lines": [{"id": 1}, {"id": 2}], "extra": {"free": "form"}},
        {"number": "", "extra": None, "lost": 7, "anything": 7},
    ],
)
def test_arguments_that_the_tool_takes_pass(arguments):
    assert schema_complaint(SCHEMA, arguments) is None


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "'number' is missing"),
        ({"number": 7}, "'number' must be string, but was 7"),
        ({"number": "", "amount": "much"}, "'amount' must be integer or null, but was 'much'"),
        ({"number": "", "amount": 5.5}, "'amount' must be integer or null, but was 5.5"),
        ({"number": "", "amount": True}, "'amount' must be integer or null, but was True"),
        ({"number": "", "urgent": "yes"}, "'urgent' must be boolean, but was 'yes'"),
        ({"number": "", "kind": "none"}, "'kind' must be one of 'full', 'part', but was 'none'"),
        ({"number": "", "currency": "USD"}, "'currency' must be one of 'EUR', but was 'USD'"),
        ({"number": "", "both": "b"}, "'both' must be one of 'a', but was 'b'"),
        ({"number": "", "lines": [{"id": 1}, {}]}, "'lines[1].id' is missing"),
        ({"number": "", "lines": [{"id": 1, "no": 2}]}, "'lines[0].no' is none of its parameters ('id')"),
        ({"number": "", "lines": {}}, "'lines' must be array, but was {}"),
        ({"number": "", "extra": "x"}, "'extra' must be object or null, but was 'x'"),
        ("text", "its arguments must be an object, but were 'text'"),
    ],
)
def test_arguments_that_the_tool_does_not_take_are_named(arguments, complaint):
    assert schema_complaint(SCHEMA, arguments) == complaint


def test_unknown_arguments_are_refused_unless_the_tool_takes_any():
    assert schema_complaint({"properties": {}}, {"a": 1}) == "'a' is none of its parameters (it has none)"
    assert schema_complaint({"properties": {}, "additionalProperties": True}, {"a": 1}) is None


def pay(
    amount: int,
    share: float = 0.5,
    *lines: str,
    kind: Literal["full", "part"] = "full",
    note: str | None = None,
    tags: list[str] | None = None,
    other: Annotated[dict[str, int], "free form"] = {},  # noqa: B006  # never changed
    anything: Any = None,
    **options: bool,
) -> None: ...


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        ((5,), {}),
        ((5, 1, "a", "b"), {"kind": "part", "note": "x"}),
        ((), {"amount": 5, "tags": ["a"], "other": {"a": 1}, "free": 1}),
    ],
)
def test_calls_that_a_function_takes_pass(args, kwargs):
    assert function_complaint(pay, args, kwargs) is None


@pytest.mark.parametrize(
    ("args", "kwargs", "complaint"),
    [
        ((), {}, "missing a required argument: 'amount'"),
        (("5",), {}, "'amount' must be int, but was '5'"),
        ((True,), {}, "'amount' must be int, but was True"),
        ((5,), {"share": "all"}, "'share' must be float, but was 'all'"),
        ((5,), {"kind": "none"}, "'kind' must be Literal['full', 'part'], but was 'none'"),
        ((5,), {"note": 7}, "'note' must be str | None, but was 7"),
        ((5,), {"tags": "a"}, "'tags' must be list[str] | None, but was 'a'"),
        ((5,), {"other": 7}, "'other' must be dict[str, int], but was 7"),
    ],
)
def test_calls_that_a_function_does_not_take_are_named(args, kwargs, complaint):
    assert function_complaint(pay, args, kwargs) == complaint


def test_objects_of_a_programs_own_classes_are_left_to_the_tool():
    def dated(day: datetime.date) -> None: ...

    assert function_complaint(dated, ("2026-01-01",), {}) is None


def test_what_cannot_be_known_is_no_complaint():
    def dated(day: Nowhere) -> None: ...  # noqa: F821  # what is only there for type checkers

    class Odd:
        __signature__ = "none"

        def __call__(self): ...

    assert function_complaint(dated, (7,), {}) is None
    assert function_complaint(Odd(), (), {}) is None
    assert function_complaint(print, (7,), {"end": ""}) is None
