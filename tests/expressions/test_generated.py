"""What holds for any text that somebody calls an expression."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert.expressions import RESULT_NAMES, Expression, ExpressionError
from tests.expressions.generated import ESCAPES, EXPRESSIONS, RIGHT, Hostile, compares_nothing_with_itself, values


def parsed(text):
    try:
        return Expression.parse(text, RESULT_NAMES)
    except ExpressionError as error:
        if not 1 <= error.column <= len(text) + 1:
            raise RuntimeError("the error names no place") from error
        return None


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS)
def test_a_text_is_refused_with_its_place_or_evaluated_without_asking_any_object(text):
    hostile = Hostile()
    expression = parsed(text)

    if expression is not None:
        verdict = expression.evaluate(values(hostile))
        assert verdict.satisfied or verdict.reasons
    assert hostile.asked == []


@settings(max_examples=200, deadline=None)
@given(RIGHT)
def test_what_follows_the_grammar_is_understood(text):
    verdict = Expression.parse(text, RESULT_NAMES).evaluate(values(Hostile()))

    assert verdict.satisfied == (verdict.reasons == ())


@settings(max_examples=200, deadline=None)
@given(RIGHT)
def test_a_condition_and_its_negation_never_both_hold(text):
    given_values = values(Hostile())
    holds = Expression.parse(text, RESULT_NAMES).evaluate(given_values).satisfied
    fails = Expression.parse(f"not ({text})", RESULT_NAMES).evaluate(given_values).satisfied

    assert not (holds and fails)


PRESENT = {"a": 1, "b": 2, "c": -3, "d": 2.5}
NUMBERS = st.one_of(st.sampled_from([f"output.{name}" for name in PRESENT]), st.integers(-3, 3).map(str))
PLAIN = st.recursive(
    st.builds(
        lambda path, rest: f"output.{path}" + "".join(f" {op} {operand}" for op, operand in rest),
        st.sampled_from(list(PRESENT)),
        st.lists(st.tuples(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), NUMBERS), min_size=1, max_size=3),
    ),
    lambda smaller: st.one_of(
        st.builds(lambda left, word, right: f"{left} {word} {right}", smaller, st.sampled_from(["and", "or"]), smaller),
        smaller.map(lambda inner: f"not ({inner})"),
        smaller.map(lambda inner: f"({inner})"),
    ),
    max_leaves=6,
).filter(compares_nothing_with_itself)


@settings(max_examples=200, deadline=None)
@given(PLAIN)
def test_where_all_values_are_there_and_of_one_kind_it_means_what_python_means(text):
    verdict = Expression.parse(text, RESULT_NAMES).evaluate({"output": PRESENT})

    assert verdict.satisfied is eval(text, {"output": SimpleNamespace(**PRESENT)})


@settings(max_examples=200, deadline=None)
@given(PLAIN, st.sets(st.sampled_from(list(PRESENT)), min_size=1))
def test_what_is_satisfied_without_some_values_is_so_whatever_they_are(text, gone):
    left = {name: value for name, value in PRESENT.items() if name not in gone}

    if Expression.parse(text, RESULT_NAMES).evaluate({"output": left}).satisfied:
        for value in (-10, 0, 2, 10):
            known = {"output": left | dict.fromkeys(gone, value)}
            assert Expression.parse(text, RESULT_NAMES).evaluate(known).satisfied


@pytest.mark.parametrize("text", ESCAPES, ids=range(len(ESCAPES)))
def test_every_published_escape_is_refused_or_harmless(text):
    hostile = Hostile()
    expression = parsed(text)

    if expression is not None:
        expression.evaluate(values(hostile))
    assert (expression is None) == (text not in HARMLESS)
    assert hostile.asked == []


HARMLESS = {
    "output" + ".a" * 990,
    "output" + "[0]" * 660,
    "output == 1" + " or output == 1" * 125,
    "output == " + "9" * 1980,
    "output == 0x" + "f" * 1980,
    "output == '" + "a" * 1980 + "'",
    "output.mro",
}
"""They only look at what was recorded, however often or far."""
