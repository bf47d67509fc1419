"""Patterns for tool executions: how they are written, and which mistakes they refuse."""

from __future__ import annotations

import pytest

from agentassert.patterns import execution_of, result_of
from agentassert.render import show_secrets


@pytest.mark.parametrize(
    "source",
    [
        "execution_of('cancel_booking', {'booking_number': 'MS-777'})",
        "execution_of('cancel_booking')",
        "execution_of('ping').exactly()",
        "execution_of('pay', {'amount': 3}).exactly()",
        "execution_of('pay', {'amount': 3}).ignoring_order()",
        "execution_of('pay', {'amount': 3}).ignoring('$.request_id', '$..x')",
        "execution_of('pay', {'amount': 3}).with_tolerance(1e-06)",
        "execution_of('pay', {'amount': 3}).exactly().ignoring_order().ignoring('$.x').with_tolerance(2)",
        "execution_of('refund', {'charge': result_of('lookup', '$.charge.id'), 'note': result_of('note')})",
    ],
)
def test_a_pattern_is_shown_as_the_source_that_makes_it(source):
    assert source == repr(eval(source))


def test_a_pattern_masks_secrets_unless_asked_otherwise():
    pattern = execution_of("login", {"user": "ann", "password": "hunter2", "$['api_key']": "k-1"})
    assert "execution_of('login', {'user': 'ann', 'password': '***', \"$['api_key']\": '***'})" == repr(pattern)
    with show_secrets():
        assert "hunter2" in repr(pattern)


def test_a_pattern_is_shown_in_bounded_room_and_never_raises():
    class Hostile:
        def __repr__(self):
            raise RuntimeError

    assert len(repr(execution_of("pay", {"note": "a" * 1_000_000}))) < 300
    assert "execution_of('pay', {'note': <Hostile: its repr raised RuntimeError>})" == repr(
        execution_of("pay", {"note": Hostile()})
    )


def test_each_method_leaves_the_pattern_itself_as_it_is():
    pattern = execution_of("pay", {"parts": [1, 2]})
    changed = pattern.ignoring_order().ignoring("$.x").ignoring("$.y").with_tolerance(1).exactly()
    assert "execution_of('pay', {'parts': [1, 2]})" == repr(pattern)
    assert not pattern.matcher.matches({"parts": [2, 1]})
    assert changed.matcher.matches({"parts": [3, 1], "x": 1, "y": 2})


def test_a_pattern_for_any_arguments_compares_none():
    assert execution_of("ping").matcher is None


def test_exactly_without_arguments_expects_none():
    matcher = execution_of("ping").exactly().matcher
    assert matcher.matches({})
    assert not matcher.matches({"count": 3})


def test_a_pattern_is_detached_from_the_mapping_that_made_it():
    arguments = {"tags": ["a"]}
    pattern = execution_of("tag", arguments)
    arguments["tags"].append("b")
    assert pattern.matcher.matches({"tags": ["a"]})


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: execution_of(7), TypeError, r"a tool's name must be a string, but was 7 \(int\)"),
        (lambda: execution_of(print), TypeError, "a tool's name must be a string"),
        (lambda: execution_of(""), ValueError, "must not be empty"),
        (
            lambda: execution_of("ping", {}),
            ValueError,
            r"write execution_of\('ping'\) for any .*\('ping'\)\.exactly\(\) for none",
        ),
        (lambda: execution_of("ping", 3), TypeError, "a mapping such as"),
        (lambda: execution_of("ping", {"a": int}), TypeError, "the class int"),
        (lambda: execution_of("ping", lambda arguments: True).exactly(), ValueError, "a predicate decides"),
        (lambda: execution_of("ping", lambda arguments: True).ignoring_order(), ValueError, "a predicate decides"),
        (lambda: execution_of("ping").ignoring_order(), ValueError, r"execution_of\('ping'\) accepts any arguments"),
        (lambda: execution_of("ping").ignoring("$.a"), ValueError, "accepts any arguments"),
        (lambda: execution_of("ping").with_tolerance(1), ValueError, "accepts any arguments"),
        (lambda: execution_of("ping", {"a": 1}).ignoring(), ValueError, r"ignoring\(\) needs a path"),
        (lambda: execution_of("ping", {"a": 1}).ignoring("a"), ValueError, "begins with \\$, but was 'a': write '\\$.a'"),
        (lambda: execution_of("ping", {"a": 1}).ignoring("$"), ValueError, "stands for all arguments"),
        (lambda: execution_of("ping", {"a": 1}).with_tolerance("1"), TypeError, r"a tolerance is a number, but was '1' \(str\)"),
        (lambda: execution_of("ping", {"a": 1}).with_tolerance(True), TypeError, "a tolerance is a number"),
        (lambda: execution_of("ping", {"a": 1}).with_tolerance(0), ValueError, "a number above 0, but was 0"),
        (lambda: execution_of("ping", {"a": 1}).with_tolerance(-1), ValueError, "a number above 0"),
        (lambda: execution_of("ping", {"a": 1}).with_tolerance(float("inf")), ValueError, "a number above 0"),
        (lambda: execution_of("ping", {"a": 1}).with_tolerance(float("nan")), ValueError, "a number above 0"),
        (lambda: result_of(7), TypeError, "a tool's name must be a string"),
        (lambda: result_of(""), ValueError, "must not be empty"),
        (lambda: result_of("lookup", "id"), ValueError, "a JSONPath begins with"),
        (lambda: result_of("lookup", 7), TypeError, "a JSONPath must be a string"),
        (lambda: result_of("lookup", "$.["), ValueError, "is no JSONPath"),
    ],
)
def test_a_pattern_that_cannot_be_meant_is_refused_when_it_is_made(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_a_fresh_pattern_asks_its_callbacks_anew():
    seen = []
    pattern = execution_of("pay", lambda arguments: not seen.append(arguments)).fresh()
    arguments = {"amount": 3}
    assert pattern.matcher.matches(arguments)
    assert pattern.matcher.matches(arguments)
    assert 1 == len(seen)
    assert pattern.fresh().matcher.matches(arguments)
    assert 2 == len(seen)
    assert repr(pattern) == repr(pattern.fresh())


@pytest.mark.parametrize("pattern", [execution_of("ping"), execution_of("pay", {"amount": 3})])
def test_a_pattern_without_callbacks_is_always_fresh(pattern):
    assert pattern is pattern.fresh()
