"""Equality as JSON knows it, and what a user may expect a value to be."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import re
import uuid
from unittest import mock

import attrs
import pytest
from dirty_equals import IsInt, IsStr

from agentassert.checks.expectations import is_json, prepare, shown
from agentassert.checks.leaves import Comparison
from agentassert.checks.values import canonical, coarse, equal, equal_or_text, unpaired

NAN = float("nan")
LAST = 2**53


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclasses.dataclass
class Point:
    x: int
    y: object


@attrs.define
class Place:
    city: str


@dataclasses.dataclass
class Near:
    target: float

    def __eq__(self, other):
        return abs(self.target - other) < 0.1

    __hash__ = None


class AnyCase(str):
    __slots__ = ()

    def __eq__(self, other):
        return self.lower() == other.lower()

    __hash__ = str.__hash__


class Silent:
    """Compares by identity, as objects do."""


class Undecided:
    def __eq__(self, other):
        return NotImplemented

    __hash__ = None


class Hostile:
    def __eq__(self, other):
        raise RuntimeError("do not compare me")

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (3, 3.0),
        (3.0, 3),
        (0, -0.0),
        (NAN, float("nan")),
        (float("inf"), float("inf")),
        (10**400, 10**400),
        (True, True),
        (False, False),
        (None, None),
        ("a", "a"),
        (b"a", b"a"),
        ([], []),
        ({}, {}),
        ([1, [2, {"a": NAN}]], [1.0, [2, {"a": NAN}]]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}),
    ],
)
def test_values_that_are_the_same_json_are_equal_and_have_equal_keys(expected, actual):
    assert equal(expected, actual)
    assert canonical(expected) == canonical(actual)
    assert hash(canonical(expected)) == hash(canonical(actual))


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (True, 1),
        (1, True),
        (False, 0),
        (0, False),
        (True, False),
        (1.0, True),
        (3, "3"),
        ("3", 3),
        ("true", True),
        (None, 0),
        (None, False),
        (None, ""),
        (0, None),
        ("", None),
        ([], {}),
        ({}, []),
        ([1], [1, 2]),
        ([1, 2], [1]),
        ([1, 2], [2, 1]),
        ([True], [1]),
        ({"a": True}, {"a": 1}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1, "b": 2}, {"a": 1}),
        ({"a": 1}, {"b": 1}),
        ({1: "x"}, {True: "x"}),
        ({False: "x"}, {0: "x"}),
        ({"m": [{1: "x", "n": 2}]}, {"m": [{True: "x", "n": 2}]}),
        ({"a": None}, {"b": None}),
        (NAN, 1.0),
        (1.0, NAN),
        (LAST + 1, float(LAST)),
        (float(LAST), LAST + 1),
        (10**400, float("inf")),
        (NAN, None),
        ("a", "A"),
        ("a", " a"),
        ("a", b"a"),
        (b"a", "a"),
        ("ab", ["a", "b"]),
        ([["a", 1]], {"a": 1}),
    ],
)
def test_values_that_are_different_json_are_neither_equal_nor_have_equal_keys(expected, actual):
    assert not equal(expected, actual)
    assert canonical(expected) != canonical(actual)


def test_what_is_no_json_equals_itself_alone_and_is_not_asked():
    one, other = Hostile(), Hostile()
    assert equal({"client": one}, {"client": one})
    assert not equal({"client": one}, {"client": other})
    assert not equal("text", one)
    assert not equal(prepare(Undecided()), one)
    assert canonical([one]) == canonical([one])
    assert canonical([one]) != canonical([other])


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        (3, "3"),
        (3, "3.0"),
        (3.0, "3"),
        (300, "3e2"),
        (-3, "-3"),
        (3, " 3\n"),
        (True, "true"),
        (True, "True"),
        (False, "false"),
        (False, " False "),
        (0, "0"),
    ],
)
def test_a_text_that_holds_a_number_or_boolean_equals_it_but_not_the_other_way_round(expected, text):
    assert equal_or_text(expected, text)
    assert not equal_or_text(text, expected)
    assert not equal(expected, text)
    assert coarse(expected) == coarse(text)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (3, "4"),
        (3, "three"),
        (3, "3 apples"),
        (3, "03"),
        (3, "+3"),
        (3, "٣"),
        (3, "3-"),
        (True, "1"),
        (1, "true"),
        (True, "TRUE"),
        (True, "yes"),
        (True, "\x0bTrue"),
        (3, "\xa03"),
        (True, "false"),
        (False, ""),
        (None, "null"),
        ([3], "[3]"),
        ([3], ["3"]),
        ({"a": 3}, {"a": "3"}),
        (3, ["3"]),
        (NAN, "NaN"),
        ("3", "3.0"),
        ("true", "True"),
        (1, "1" * 5000),
    ],
)
def test_other_texts_equal_no_number_and_no_boolean(expected, actual):
    assert not equal_or_text(expected, actual)


def test_items_pair_up_in_any_order_and_as_often_as_they_stand_there():
    loosely = Comparison(any_order=True)
    assert equal([1, 2, 2], [2, 1, 2], loosely)
    assert not equal([1, 2, 2], [2, 1, 1], loosely)
    assert not equal([1, 2], [2, 1, 2], loosely)
    assert not equal([True, 2], [2, 1], loosely)
    assert equal({"a": [[1, 2], [3]]}, {"a": [[3], [2, 1]]}, loosely)
    assert not equal({"a": 1, "b": 2}, {"a": 2, "b": 1}, loosely)


def test_items_pair_up_even_where_taking_the_first_that_fits_would_not_do():
    loosely = Comparison(any_order=True)
    expected = prepare([lambda item: True, 1])
    assert equal(expected, [1, 2], loosely)
    assert ([1], [0]) == unpaired([7, 3], [4, 7], loosely)


def test_numbers_may_differ_by_the_tolerance_and_no_more():
    loosely = Comparison(tolerance=0.5)
    assert equal(1, 1.5, loosely)
    assert equal([{"a": 1.0}], [{"a": 0.5}], loosely)
    assert not equal(1, 1.6, loosely)
    assert not equal(True, 1, loosely)
    assert not equal(1, True, loosely)
    assert not equal("1", "1.1", loosely)
    assert not equal(NAN, 1.0, loosely)
    assert not equal(1.0, NAN, loosely)
    assert equal(NAN, NAN, loosely)
    assert not equal(10**400, 1.0, loosely)
    assert not equal(float("inf"), 1.0, loosely)
    assert equal_or_text(1, "1.25", loosely)


@pytest.mark.parametrize(
    ("expected", "prepared"),
    [
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Point(1, (2, 3)), {"x": 1, "y": [2, 3]}),
        (Place("Oslo"), {"city": "Oslo"}),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (uuid.UUID(int=0), "00000000-0000-0000-0000-000000000000"),
        (decimal.Decimal("1.50"), "1.50"),
        ({Colour.RED: (Colour.RED,)}, {"red": ["red"]}),
        ({"b", "a"}, ["a", "b"]),
        (b"raw", b"raw"),
    ],
)
def test_an_expected_value_is_converted_as_results_are(expected, prepared):
    assert prepared == prepare(expected)
    assert type(prepared) is type(prepare(expected))
    assert equal(prepare(expected), prepared)


def test_an_expected_value_is_detached_from_what_the_user_goes_on_changing():
    tags = ["a"]
    prepared = prepare({"tags": tags})
    tags.append("b")
    assert equal(prepared, {"tags": ["a"]})


@pytest.mark.parametrize(
    ("expected", "matching", "other"),
    [
        (IsInt(), 3, "3"),
        (IsInt() | IsStr(), "3", None),
        (mock.ANY, None, None),
        (Near(3.0), 3.05, 4.0),
        (AnyCase("Oslo"), "OSLO", "Bergen"),
        (pytest.approx(3.0), 3.0000001, 3.1),
        (re.compile("^MS-"), "MS-777", "XMS-777"),
        (re.compile("7"), "MS-777", 7),
        (str.isdigit, "12", "x2"),
        (lambda value: value > 3, 4, 3),
        (Point(1, lambda value: value > 3), {"x": 1, "y": 4}, {"x": 1, "y": 3}),
    ],
)
def test_objects_that_decide_for_themselves_do_so_at_any_depth(expected, matching, other):
    for wrap in (lambda value: value, lambda value: {"a": [value]}):
        prepared = prepare(wrap(expected))
        assert equal(prepared, wrap(matching))
        assert other is None or not equal(prepared, wrap(other))
        assert not is_json(prepared)


def test_an_error_in_a_users_own_equality_is_the_users_to_see():
    with pytest.raises(RuntimeError, match="do not compare me"):
        equal(prepare([Hostile()]), [1])


def test_a_failed_assertion_in_a_users_own_equality_is_no_match():
    class Strict:
        def __eq__(self, other):
            assert other == 3
            return True

        __hash__ = None

    assert equal(prepare(Strict()), 3)
    assert not equal(prepare(Strict()), 4)


def test_an_object_without_an_equality_of_its_own_is_compared_by_identity():
    client = Silent()
    assert equal(prepare({"client": client}), {"client": client})
    assert not equal(prepare({"client": client}), {"client": Silent()})


def test_what_the_user_wrote_can_be_shown_again():
    digits, pattern = str.isdigit, re.compile("x")
    assert {"a": [digits, pattern, 1]} == shown(prepare({"a": (digits, pattern, 1)}))


def test_what_is_prepared_may_be_prepared_again():
    prepared = prepare({"a": [str.isdigit]})
    assert equal(prepare(prepared), {"a": ["1"]})


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"a": [IsInt]}, r"\$\.a\[0\] must be a value, but is the class IsInt: write IsInt\(\)"),
        ({"a b": int}, r"\$\['a b'\] must be a value, but is the class int: .*isinstance\(value, int\)"),
        (Colour, r"\$ must be a value, but is the class Colour"),
        ({"a": list[int]}, r"\$\.a must be a value, but is the type list\[int\]"),
        ({"a": int | None}, r"\$\.a must be a value, but is the type int \| None"),
        ({"a": re.compile(b"x")}, r"\$\.a is searched for in text, .* write it without the b"),
    ],
)
def test_what_could_match_nothing_is_refused_at_its_place(expected, message):
    with pytest.raises(TypeError, match=message):
        prepare(expected)


def test_a_value_that_contains_itself_is_refused_at_its_place():
    loop = {"again": []}
    loop["again"].append(loop)
    with pytest.raises(ValueError, match=r"\$\.again\[0\] contains itself"):
        prepare(loop)
    knot = Point(1, None)
    knot.y = [knot]
    with pytest.raises(ValueError, match=r"\$\.y\[0\] contains itself"):
        prepare(knot)


def test_the_same_value_in_two_places_is_no_loop():
    shared = [1]
    assert {"a": [1], "b": [1]} == prepare({"a": shared, "b": shared})


def test_a_value_deeper_than_any_snapshot_is_refused():
    def nested(levels):
        value = "leaf"
        for _ in range(levels):
            value = [value]
        return value

    assert nested(100) == prepare(nested(100))
    with pytest.raises(ValueError, match="nested deeper than 100 levels"):
        prepare(nested(101))


def test_text_and_bytes_are_equal_by_what_they_hold_and_not_by_being_the_same_object():
    for one, other in (("order 7", str(b"order 7", "ascii")), (b"order 7", bytes(bytearray(b"order 7")))):
        assert one is not other
        assert equal(one, other)
        assert canonical(one) == canonical(other)
    assert not equal(b"7", "7")
    assert not equal("7", b"7")
    assert canonical(b"7") != canonical("7")


def test_what_is_no_json_has_a_key_that_no_list_has():
    thing = object()
    assert canonical(thing) == canonical(thing)
    assert canonical(thing) not in {canonical([id(thing)]), canonical([None, id(thing)])}
    assert canonical(thing) != canonical(object())


def test_a_tolerance_is_a_distance_and_no_share_of_the_number():
    near = Comparison(tolerance=0.5)
    assert equal(1e12, 1e12 + 0.25, near)
    assert not equal(1e12, 1e12 + 100, near)
    assert equal(NAN, NAN, near)
    assert not equal(NAN, 1.0, near)
    assert not equal(1.0, NAN, near)


def test_an_item_is_paired_once_on_either_side():
    assert (0, 1) == tuple(map(len, unpaired([1], [1, 1], Comparison(any_order=True))))
    assert (1, 0) == tuple(map(len, unpaired([1, 1], [1], Comparison(any_order=True))))


def test_texts_that_hold_no_number_have_keys_of_their_own():
    assert "tea" == coarse("tea")
    assert "4 pm" == coarse("4 pm")


@pytest.mark.parametrize("special", [[1, re.compile("x")], [re.compile("x"), 1], {"a": 1, "b": [re.compile("x")]}])
def test_one_part_that_is_no_json_makes_the_whole_none(special):
    assert not is_json(prepare(special))
    assert not is_json(prepare({"whole": special, "rest": 1}))
    assert is_json(prepare({"a": [1, None], "b": {}}))


def test_where_nothing_else_is_asked_for_a_list_has_its_order_and_a_number_its_value():
    assert equal([1, 2], [1, 2])
    assert not equal([1, 2], [2, 1])
    assert not equal(prepare({"a": [mock.ANY, 2]}), {"a": [2, 1]})
    assert not equal(1.0, 1.001)
