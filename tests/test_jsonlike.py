"""Snapshots: detached, in terms of JSON, and never raising."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import types
import uuid
from unittest import mock

import attrs
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentassert.jsonlike import CIRCULAR, DEEPEST, TOO_DEEP, decode, snapshot

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class Colour(enum.Enum):
    RED = "red"


class Size(enum.IntEnum):
    BIG = 3


class Text(str):
    pass


@attrs.define
class Place:
    name: str
    seen: list[int]


@dataclasses.dataclass
class Booking:
    number: str
    place: Place | None = None


class Model(pydantic.BaseModel):
    number: str
    on: datetime.date
    client: object = None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Colour.RED, "red"),
        (Size.BIG, 3),
        (Text("a"), "a"),
        ((1, (2, 3)), [1, [2, 3]]),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (datetime.date(2026, 1, 2), "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC), "2026-01-02T03:04:00+00:00"),
        (datetime.time(3, 4), "03:04:00"),
        (datetime.timedelta(seconds=90), 90.0),
        (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007"),
        (decimal.Decimal("1.10"), "1.10"),
        (pathlib.PurePosixPath("a/b"), "a/b"),
        (Booking("MS-7", Place("Oslo", [1])), {"number": "MS-7", "place": {"name": "Oslo", "seen": [1]}}),
        (Model(number="MS-7", on="2026-01-02"), {"number": "MS-7", "on": "2026-01-02", "client": None}),
        ({Colour.RED: 1, Text("b"): 2}, {"red": 1, "b": 2}),
        (types.MappingProxyType({"a": 1}), {"a": 1}),
        (collections.OrderedDict(a=1), {"a": 1}),
        (collections.namedtuple("Point", "x y")(1, 2), [1, 2]),  # noqa: PYI024
        ({1: "a", None: "b", (1, 2): "c"}, {1: "a", None: "b", (1, 2): "c"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_converted_to_what_json_knows(value, expected):
    converted = snapshot({"value": value})["value"]

    assert converted == expected
    assert type(converted) is type(expected)


@settings(max_examples=50, deadline=None)
@given(values)
def test_a_json_value_is_equal_to_its_snapshot_and_shares_no_container_with_it(value):
    def containers(one):
        if isinstance(one, (dict, list)):
            yield id(one)
            for item in one.values() if isinstance(one, dict) else one:
                yield from containers(item)

    copy = snapshot(value)

    assert repr(copy) == repr(value)
    assert not {*containers(copy)} & {*containers(value)}


@pytest.mark.parametrize(
    "value",
    [object(), len, lambda: None, (one for one in ()), iter([]), mock.Mock(), mock.MagicMock(), str],
    ids=lambda value: type(value).__name__,
)
def test_what_json_cannot_hold_is_kept_by_reference(value):
    assert snapshot({"value": value})["value"] is value


def test_an_iterator_is_not_advanced():
    numbers = iter([1, 2])
    snapshot([numbers, (number for number in numbers)])

    assert [*numbers] == [1, 2]


def test_a_cycle_is_cut_and_a_value_that_is_only_shared_is_not():
    shared = [1]
    cyclic = {"shared": [shared, shared]}
    cyclic["self"] = cyclic

    assert snapshot(cyclic) == {"shared": [[1], [1]], "self": CIRCULAR}


def test_a_model_that_holds_itself_is_cut():
    booking = Booking("MS-7")
    booking.place = booking

    assert snapshot(booking) == {"number": "MS-7", "place": CIRCULAR}


def test_deep_nesting_is_cut():
    value = deepest = []
    for _ in range(10_000):
        deepest.append([])
        deepest = deepest[0]

    copy, depth = snapshot(value), 0
    while isinstance(copy, list):
        copy, depth = copy[0], depth + 1

    assert (copy, depth) == (TOO_DEEP, DEEPEST)


def test_numbers_and_texts_of_any_size_and_kind_are_kept():
    values = [math.inf, -math.inf, 10**5_000, "x" * 1_000_000, "\ud800", "\x00"]

    assert snapshot(values) == values
    assert math.isnan(snapshot([math.nan])[0])


class Hostile:
    """Raises whatever it is asked."""

    def _refuse(self, *_):
        raise ZeroDivisionError("hostile")

    __repr__ = __str__ = __eq__ = __hash__ = __iter__ = __len__ = __bool__ = _refuse
    __deepcopy__ = __copy__ = __reduce_ex__ = __getattr__ = __getitem__ = __contains__ = __fspath__ = _refuse
    __class__ = property(_refuse)


class HostileDict(dict):
    def items(self):
        raise ZeroDivisionError("hostile")

    copy = __iter__ = keys = items


class HostileList(list):
    def __iter__(self):
        raise ZeroDivisionError("hostile")


class HostileModel(pydantic.BaseModel):
    number: int = 1

    def model_dump(self, **_):
        raise ZeroDivisionError("hostile")


@dataclasses.dataclass
class HostileField:
    @property
    def number(self):
        raise ZeroDivisionError("hostile")

    number: int


HOSTILE = {
    "object": Hostile,
    "dict": lambda: HostileDict(a=1),
    "list": lambda: HostileList([1]),
    "model": HostileModel,
    "field": lambda: object.__new__(HostileField),
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_object_is_kept_and_its_neighbours_are_converted(make):
    value = make()
    copy = snapshot({"hostile": value, "on": datetime.date(2026, 1, 2)})

    assert copy["hostile"] is value
    assert copy["on"] == "2026-01-02"
    assert snapshot(value) is value


def test_a_model_with_a_field_that_has_no_json_form_keeps_the_others():
    client = object()

    assert snapshot(Model(number="MS-7", on="2026-01-02", client=client)) == {
        "number": "MS-7",
        "on": "2026-01-02",
        "client": client,
    }


def test_a_class_is_no_value_of_its_own():
    assert snapshot([Model, Booking, Colour]) == [Model, Booking, Colour]


@pytest.mark.parametrize(
    "value", [mock.Mock(spec=Booking), mock.MagicMock(spec=str), mock.MagicMock(spec=int)], ids=["class", "str", "int"]
)
def test_a_mock_of_something_is_kept(value):
    assert snapshot([value])[0] is value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id": 7}', {"id": 7}),
        ("[1, 2]", [1, 2]),
        ("12", 12),
        ("true", True),
        ("null", None),
        ('"a"', "a"),
        ("ok", "ok"),
        ("", ""),
        ("NaN", "NaN"),
        ("[Infinity]", "[Infinity]"),
        ('{"id": ', '{"id": '),
        ("9" * 5_000, "9" * 5_000),
        ("[" * 100_000, "[" * 100_000),
    ],
    ids=lambda text: repr(text)[:20],
)
def test_json_text_is_decoded_and_any_other_stays_text(text, expected):
    decoded = decode(text)

    assert decoded == expected
    assert type(decoded) is type(expected)


@pytest.mark.parametrize("cut", [CIRCULAR, TOO_DEEP], ids=repr)
def test_what_stands_for_something_cut_off_is_equal_to_itself_alone_and_survives_copies(cut):
    import copy

    assert copy.copy(cut) is copy.deepcopy(cut) is cut
    assert cut != repr(cut)
