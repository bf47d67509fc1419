"""What would let an expression hold although it asks for nothing, or for something else than a reader sees."""

from __future__ import annotations

import pytest

from agentassert.expressions import RESULT_NAMES, Expression, ExpressionError

NAN = float("nan")


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("not (output.n > 5)", {"n": NAN}),
        ("not (output.n <= 5)", {"n": NAN}),
        ("output.n > 5 or output.n <= 5", {"n": NAN}),
        ('"" in output', "any text"),
        ('"" not in output', "any text"),
        ("output.code in output.text", {"code": "", "text": "any text"}),
        ("output.n == 1", {"n": True}),
        ("output.ok == true", {"ok": 1}),
        ("output.n == 3", {"n": "3"}),
        ("output.n == 3", {"n": "\u0663"}),
        ('output.name == "Ann"', {"name": "\u0410nn"}),
        ('output.name == "\u00e9"', {"name": "e\u0301"}),
        ("output.items == []", {"items": {}}),
        ("output.items == []", {"items": None}),
        ("output.items == {}", {"items": []}),
        ("output.n == 9007199254740993", {"n": 9007199254740992.0}),
        ("output.n != 1", {}),
        ("not (output.n == 1)", {}),
        ('output.n not in ["a"]', {}),
    ],
)
def test_it_does_not_hold(text, output):
    verdict = Expression.parse(text, RESULT_NAMES).evaluate({"output": output})
    assert not verdict.satisfied
    assert verdict.reasons


def test_an_empty_text_can_be_an_item_or_a_key():
    parsed = Expression.parse('"" in output.items and "" in output', RESULT_NAMES)
    assert parsed.holds({"output": {"items": ["", "a"], "": 1}})


def test_nan_is_equal_to_nan_and_to_nothing_else():
    assert Expression.parse("output.a == output.b", RESULT_NAMES).holds({"output": {"a": NAN, "b": NAN}})
    assert Expression.parse("output.a != 0", RESULT_NAMES).holds({"output": {"a": NAN}})


@pytest.mark.parametrize(
    "text", ["output == output", "output.a >= output['a']", "status is status", "not (output.a != output.a)"]
)
def test_what_is_compared_with_itself_is_refused(text):
    with pytest.raises(ExpressionError, match="is compared with itself: write what it must be"):
        Expression.parse(text, RESULT_NAMES)


@pytest.mark.parametrize(("key", "read"), [("\u00b5m", "\u03bcm"), ("\ufb01le", "file"), ("\uff41", "a")])
def test_a_key_that_python_reads_as_another_one_is_refused(key, read):
    with pytest.raises(ExpressionError) as error:
        Expression.parse(f"output.{key} == 1", RESULT_NAMES)
    assert error.value.problem == f'{key!r} would be read as {read!r}: write ["{key}"]'
    assert Expression.parse(f'output["{key}"] == 1', RESULT_NAMES).holds({"output": {key: 1}})


def test_other_letters_are_keys_like_any():
    assert Expression.parse("output.größe == 1", RESULT_NAMES).holds({"output": {"größe": 1}})
