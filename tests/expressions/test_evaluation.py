"""What an expression comes to, value by value."""

from __future__ import annotations

import pytest

from agentassert import NOT_RECORDED
from agentassert.expressions import RESULT_NAMES, TOOL_NAMES, Expression

OUTPUT = {
    "id": 9,
    "half": 0.5,
    "text": "hello",
    "yes": True,
    "no": False,
    "nothing": None,
    "items": [1, "a", {"id": 2}],
    "empty": [],
    "object": {"a": 1},
    "class": "first",
    "a b": 1,
    "tags": ["b", "a"],
    "twice": ["a", "a"],
}


def holds(text, **values):
    return (
        Expression.parse(text, RESULT_NAMES)
        .evaluate({"output": OUTPUT, "status": "completed", "error": None, **values})
        .satisfied
    )


HOLDING = [
    "output.id == 9",
    "output.id == 9 or output.id == 1 and output.half == 1",
    "not output.id == 9 or output.half == 0.5",
    "output.id == 9.0",
    "9 == output.id",
    'output["id"] == 9',
    "output.id != 10",
    'output.id != "9"',
    "output.id > 8 and output.id >= 9 and output.id < 10 and output.id <= 9",
    "8 < output.id <= 9 < 10",
    "output.half == 0.5 and output.half > -1",
    "output.text > 'hallo'",
    "output.yes == true and output.yes is True",
    "output.no is false",
    "output.nothing is null and output.nothing == None",
    "output.id is not null",
    "output.id is 9",
    "output.items[0] == 1",
    "output.items[-1].id == 2",
    "output.items[-3] == 1",
    "output.items[2]['id'] == 2",
    'output["class"] == "first"',
    'output["a b"] == 1',
    "output.items == [1, 'a', {'id': 2}]",
    "output.items == (1, 'a', {'id': 2})",
    "output.object == {'a': 1}",
    "output.object == {'a': output.items[0]}",
    "output.tags == {'a', 'b'}",
    "{'a', 'b'} == output.tags",
    "output.tags != {'a', 'b', 'c'}",
    "output.tags != {'a'}",
    "output.text != {'h'}",
    "{output.id} == {9}",
    "'a' in output.items",
    "1.0 in output.items",
    "{'id': 2} in output.items",
    "'id' in output",
    "9 not in output",
    "'ell' in output.text",
    "output.id in [8, 9]",
    "output.id in (8, 9)",
    "output.id in {8, 9}",
    "output.id not in [8, 10]",
    "output.id",
    "output.yes",
    "output.text and output.items and output.object",
    "not output.no",
    "not output.nothing and not output.empty",
    "not (output.id == 10)",
    "(output.id == 10) == false",
    "(not output.no) == true",
    "(output.id == 9 and output.yes == true) == true",
    "(output.id == 9 or not output.yes) is true",
    "output.id == 10 or output.id == 9",
    "status == 'completed' and error is null",
    "status in ['completed', 'blocked']",
    "'complete' in status",
    "status != output.text",
]
FAILING = [
    "output.id == 10",
    "output.id == '9'",
    "output.id == true",
    "output.yes == 1",
    "output.no == 0",
    "output.nothing == false",
    "output.id is null",
    "output.tags == ['a', 'b']",
    "output.tags == {'a', 'c'}",
    "output.tags == {'a'}",
    "output.twice == {'a'}",
    "output.items == {1, 'a'}",
    "9 < output.id < 10",
    "output.empty",
    "output.no or output.nothing",
    "'x' in output.items",
    "true in output.items",
    "'a' in output.object.a",
    "not output.id",
    "output.object == {'a': 1, 'b': 2}",
]


@pytest.mark.parametrize("text", HOLDING)
def test_an_expression_that_holds_is_satisfied(text):
    assert holds(text)


@pytest.mark.parametrize("text", FAILING)
def test_an_expression_that_does_not_hold_is_not_satisfied(text):
    assert not holds(text)


UNKNOWN = [
    "output.gone == 1",
    "output.gone != 1",
    "output.gone < 1",
    "output.gone in [1]",
    "output.gone not in [1]",
    "1 in output.gone",
    "output.gone is null",
    "output.gone is not null",
    "output.id.gone == 1",
    "output.items[3] == 1",
    "output.items[-4] == 1",
    "output.items['0'] == 1",
    "output.text[0] == 'h'",
    "output[0] == 1",
    "output.gone == output.lost",
    "[output.gone] == [1]",
    "{'a': output.gone} != {'a': 1}",
    "(output.gone == 1) == false",
    "context.a == 1",
    "output.id < 'a'",
    "output.text > 5",
    "output.yes > 0",
    "output.nothing < 1",
    "output.items < [2]",
    "output.object <= {'a': 1}",
    "1 in output.id",
    "1 in output.text",
    "'a' in output.yes",
]


@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_unknown_is_neither_satisfied_nor_is_its_negation(text):
    assert not holds(text)
    assert not holds(f"not ({text})")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{u} and {t}", False),
        ("{u} or {t}", True),
        ("{t} or {u}", True),
        ("not ({u} and {f})", True),
        ("not ({f} and {u})", True),
        ("not ({u} and {t})", False),
        ("not ({u} or {f})", False),
        ("{u} or {u}", False),
        ("not ({u} or {u})", False),
        ("not ({u} and {u})", False),
    ],
)
def test_and_or_and_not_follow_three_valued_logic(text, expected):
    assert holds(text.format(t="output.id == 9", f="output.id == 10", u="output.gone == 1")) is expected


def test_null_contains_nothing():
    assert not holds("'x' in error")
    assert holds("'x' not in error")
    assert not holds("'x' in output.nothing")


def test_keys_that_are_numbers_are_read_by_numbers_alone():
    assert holds("output[1] == 'one' and 1 in output", output={1: "one", 2: "two"})
    assert holds("output[2] == 'two'", output={1: "one", 2: "two"})
    assert not holds("output[1] == 'yes'", output={True: "yes"})
    assert not holds("true in output", output={1: "one"})


def test_nan_equals_nan_and_has_no_order():
    nan = float("nan")

    assert holds("output.a == output.b", output={"a": nan, "b": nan})
    assert not holds("output.a < 1 or output.a >= 1", output={"a": nan})


def test_large_numbers_compare_exactly():
    assert holds("output.n > 9007199254740992.0 and output.n != 9007199254740992.0", output={"n": 9007199254740993})


def test_an_object_that_is_no_json_is_there_and_equals_only_itself():
    thing = object()

    assert holds("output.thing and output.thing is not null", output={"thing": thing})
    assert holds("output.thing == context", output={"thing": thing}, context=thing)
    assert not holds("output.thing == 1 or output.thing.x or 'a' in [output.thing]", output={"thing": thing})
    verdict = Expression.parse("'a' in output.thing", RESULT_NAMES).evaluate({"output": {"thing": thing}})
    assert "'a' in output.thing: something that is no JSON contains nothing" in verdict.reasons


def test_values_too_deep_to_compare_make_a_comparison_unknown():
    deep, other = [], []
    for _ in range(5_000):
        deep, other = [deep], [other]
    verdict = Expression.parse("output == context", RESULT_NAMES).evaluate({"output": deep, "context": other})

    assert not verdict.satisfied
    assert "output == context: the values are nested too deeply to be compared" in verdict.reasons


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("params.a == 4", True),
        ("4 == params.a", True),
        ("params.a != 4", False),
        ("params.a is 4", True),
        ("params.a in [3, 4]", True),
        ("params.a not in {3, 4}", False),
        ("params.a == '4'", True),
        ("params.b == true", True),
        ("params.n == '3'", False),
        ("params.n == 3", True),
        ("params.deep.a == 4", False),
        ("params == {'a': 4}", False),
        ("params.tags == {'x', 'y'}", True),
        ("{'x', 'z'} == params.tags", False),
        ("result.a == 4", False),
        ("params.a >= 4", False),
    ],
)
def test_the_text_of_an_argument_is_as_good_as_the_number_that_the_tool_receives(text, holds):
    params = {"a": "4", "b": "true", "n": 3, "deep": {"a": "4"}, "tags": ["y", "x"]}

    assert Expression.parse(text, TOOL_NAMES).evaluate({"params": params, "result": {"a": "4"}}).satisfied is holds


def test_what_nobody_recorded_is_named_when_the_verdict_depends_on_it():
    def verdict(text):
        return Expression.parse(text, RESULT_NAMES).evaluate(
            {"error": NOT_RECORDED, "output": {"a": NOT_RECORDED}, "status": "failed"}
        )

    assert verdict("'x' in error").unrecorded == ("error",)
    assert verdict("error").unrecorded == ("error",)
    assert verdict("output.a.b == 1").unrecorded == ("output.a.b",)
    assert verdict("[error] == ['x']").unrecorded == ("error",)
    assert verdict("'x' in error").explanation == "error was not recorded"
    assert verdict("'x' in error or status == 'failed'").satisfied
    assert verdict("'x' in error and status == 'completed'").unrecorded == ()
