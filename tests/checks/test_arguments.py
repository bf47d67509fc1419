"""Whether arguments are what was expected, and if not, why not."""

from __future__ import annotations

import enum
import re
from collections import UserDict
from importlib.metadata import version
from types import MappingProxyType
from unittest import mock

import pytest
from dirty_equals import IsInt

from agentassert.checks.arguments import Options, closest, compile_arguments
from agentassert.checks.differences import Difference
from agentassert.checks.paths import MISSING, child, compile_path
from agentassert.checks.plain import Plain
from agentassert.checks.returned import found_at
from agentassert.patterns import execution_of, result_of


class Name(enum.StrEnum):
    ID = "id"


class Returned:
    """Stands for what had been returned before an execution started."""

    def __init__(self, **results):
        self.results = results

    def before(self, name):
        return self.results.get(name, ())

    def alike(self, name, path, value):
        return found_at(path, self.before(name))


def matches(expected, arguments, results=None, **how):
    matcher = compile_arguments(expected, **how)
    matched = matcher.matches(arguments, results)
    assert matched == (matcher.differences(arguments, results) == ())
    return matched


def texts(expected, arguments, results=None, **how):
    return [one.text() for one in compile_arguments(expected, **how).differences(arguments, results)]


ORDER = {"id": 7, "to": {"city": "Oslo", "zip": "0150"}, "items": [{"id": 1}, {"id": 2}]}


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ({"id": 7}, {"id": 7}),
        ({"id": 7}, {"id": 7, "reason": "rain"}),
        ({"id": 7}, {"id": 7.0}),
        ({"id": 7}, {"id": "7"}),
        ({"fast": True}, {"fast": "true"}),
        ({"note": None}, {"note": None}),
        ({"note": mock.ANY}, {"note": None}),
        ({"tags": ["a", 1]}, {"tags": ["a", 1.0]}),
        ({Name.ID: 7}, {"id": 7}),
        (UserDict({"id": 7}), {"id": 7}),
        ({"id": IsInt()}, {"id": 7}),
        ({"id": re.compile("^MS")}, {"id": "MS-777"}),
        ({"id": lambda value: value > 3}, {"id": 7}),
        ({"order": {"id": IsInt(), "to": re.compile("O")}}, {"order": {"id": 7, "to": "Oslo"}}),
        (lambda arguments: arguments["id"] == 7, {"id": 7}),
        ({"id": 7}, MappingProxyType({"id": 7})),
    ],
)
def test_matches_when_every_expected_argument_is_there_and_equal(expected, arguments):
    assert matches(expected, arguments)


@pytest.mark.parametrize(
    ("expected", "arguments", "path"),
    [
        ({"id": 7}, {"id": 8}, "$.id"),
        ({"id": True}, {"id": 1}, "$.id"),
        ({"id": 1}, {"id": True}, "$.id"),
        ({"id": "7"}, {"id": 7}, "$.id"),
        ({"id": "true"}, {"id": True}, "$.id"),
        ({"id": 7}, {}, "$.id"),
        ({"note": None}, {}, "$.note"),
        ({"note": mock.ANY}, {}, "$.note"),
        ({"note": lambda value: True}, {}, "$.note"),
        ({"my note": 1}, {"my note": 2}, "$['my note']"),
        ({"ids": [3]}, {"ids": ["3"]}, "$.ids[0]"),
        ({"ids": [1]}, {"ids": [True]}, "$.ids[0]"),
        ({"order": {"fast": True}}, {"order": {"fast": 1}}, "$.order.fast"),
        ({"order": {"id": 3}}, {"order": {"id": "3"}}, "$.order.id"),
        ({"order": {"id": 3}}, {"order": {"id": 3, "new": 1}}, "$.order.new"),
        ({"id": IsInt()}, {"id": "7"}, "$.id"),
        ({"id": re.compile("7")}, {"id": 7}, "$.id"),
        ({"id": lambda value: value > 3}, {"id": 3}, "$.id"),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, "$.b"),
    ],
)
def test_does_not_match_otherwise_and_names_the_place(expected, arguments, path):
    assert not matches(expected, arguments)
    assert [path] == [one.path for one in compile_arguments(expected).differences(arguments)]


def test_arguments_that_did_not_parse_match_nothing_whatever_is_expected():
    assert not matches({"id": mock.ANY}, None)
    assert not matches(lambda arguments: True, None)
    assert not matches({}, None, exactly=True)
    assert (Difference("$", {"id": 7}, MISSING),) == compile_arguments({"id": 7}).differences(None)
    assert not compile_arguments({"id": 7}).matches(None)
    assert not Plain({"id": 7}, exactly=False).matches(None)


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ({"id": 7}, {"id": 7}),
        ({}, {}),
        ({"order": ORDER}, {"order": ORDER}),
        ({"$.order.id": 7}, {"order": ORDER}),
        ({"$.order.id": 7, "$.order.to.city": "Oslo"}, {"order": ORDER}),
        ({"$.order.items[*].id": [1, 2], "fast": True}, {"order": ORDER, "fast": "true"}),
        ({"$.order..city": ["Oslo"]}, {"order": ORDER}),
        ({"$['order'].id": IsInt()}, {"order": ORDER}),
    ],
)
def test_exactly_matches_when_there_is_no_other_argument(expected, arguments):
    assert matches(expected, arguments, exactly=True)
    assert not matches(expected, {**arguments, "reason": "rain"}, exactly=True)
    assert ["$.reason: not expected, was 'rain'"] == texts(expected, {**arguments, "reason": "rain"}, exactly=True)


def test_exactly_still_wants_what_is_expected():
    assert not matches({"id": 7}, {}, exactly=True)
    assert not matches({"id": 7}, {"no": 7}, exactly=True)
    assert not matches({"id": 7}, {"id": 8}, exactly=True)
    assert not matches({"$.id": IsInt()}, {"id": "x"}, exactly=True)


@pytest.mark.parametrize("path", ["$.*", "$..id", "$[0]", "$.a where $.b", "$[a,b].id"])
def test_exactly_refuses_a_path_that_does_not_say_which_argument_it_stands_for(path):
    told = f"{path!r} does not say which argument it stands for: in an exact comparison, begin it with a field"
    with pytest.raises(ValueError, match=f"^{re.escape(told)}$"):
        compile_arguments({"id": 7, path: [1]}, exactly=True)


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ({"$.order.to.city": "Oslo"}, {"order": ORDER}),
        ({"$.order.items[0].id": 1}, {"order": ORDER}),
        ({"$.order.items[-1].id": 2}, {"order": ORDER}),
        ({"$.order.items[-2].id": 1}, {"order": ORDER}),
        ({"$.order.items[*].id": [1, 2]}, {"order": ORDER}),
        ({"$.order.items[?(@.id > 1)].id": [2]}, {"order": ORDER}),
        ({"$.order.items[0:2].id": [1, 2]}, {"order": ORDER}),
        ({"$.order.nothing[*]": []}, {"order": ORDER}),
        ({"$.order.items[*].id": lambda ids: sum(ids) == 3}, {"order": ORDER}),
        ({"$.id": 3}, {"id": "3"}),
        ({"$['id']": True}, {"id": "true"}),
        ({"$.id": 3, "id": 3}, {"id": 3}),
        ({"$": 3}, {"$": 3}),
        ({"$cost": 3}, {"$cost": 3}),
    ],
)
def test_a_name_that_begins_like_a_path_is_followed(expected, arguments):
    assert matches(expected, arguments)


@pytest.mark.parametrize(
    ("expected", "arguments"),
    [
        ({"$.order.to.city": "Bergen"}, {"order": ORDER}),
        ({"$.order.to.street": None}, {"order": ORDER}),
        ({"$.order.to.street": mock.ANY}, {"order": ORDER}),
        ({"$.order.items[2]": mock.ANY}, {"order": ORDER}),
        ({"$.order.items[-3]": mock.ANY}, {"order": ORDER}),
        ({"$.order.items.id": mock.ANY}, {"order": ORDER}),
        ({"$.order.to[0]": mock.ANY}, {"order": ORDER}),
        ({"$.order.to.city[0]": mock.ANY}, {"order": ORDER}),
        ({"$.order.items[*].id": [1]}, {"order": ORDER}),
        ({"$.order.items[*].id": [2, 1]}, {"order": ORDER}),
        ({"$.order.itmes[*].id": mock.ANY}, {"order": ORDER}),
        ({"$.order.itmes[*].id": all}, {"order": ORDER}),
        ({"$.order.items[*].id": []}, {"order": ORDER}),
        ({"$.order.id": 7}, {"order": {"id": "7"}}),
        ({"$.items[*]": [3]}, {"items": ["3"]}),
        ({"$[0]": mock.ANY}, {"0": 1}),
    ],
)
def test_a_path_that_leads_elsewhere_or_nowhere_does_not_match(expected, arguments):
    assert not matches(expected, arguments)


@pytest.mark.skipif(version("jsonpath-ng").startswith("1.6"), reason="this release reads one index only")
def test_a_path_with_several_indices_compares_the_whole_list():
    assert matches({"$.order.items[1,0].id": [2, 1]}, {"order": ORDER})


def test_a_query_calls_nothing_of_the_objects_that_an_agent_passed_around():
    class Client:
        def get(self, *_):
            raise RuntimeError("a request was sent")

    client = Client()
    assert matches({"$..url": ["/a"]}, {"client": client, "page": {"url": "/a"}})
    assert matches({"$.clients[*]": [client]}, {"clients": [client]})


@pytest.mark.parametrize(
    ("expected", "error", "message"),
    [
        (
            {},
            ValueError,
            "^the expected arguments are empty, so every execution would match: leave them out, or ask for exactly none$",
        ),
        (3, TypeError, r"^expected arguments are a mapping such as \{'id': 7\}, or a predicate, but were 3 \(int\)$"),
        ([("id", 7)], TypeError, r"\(list\)"),
        (IsInt(), TypeError, r"\(IsInt\)"),
        (dict, TypeError, r"\$ must be a value, but is the class dict"),
        ({7: 1}, TypeError, r"^an argument's name must be a string, but was 7 \(int\)$"),
        ({"id": int}, TypeError, r"\$\.id must be a value, but is the class int"),
        ({"$.order.id": {"a": [int]}}, TypeError, r"\$\.order\.id\.a\[0\] must be a value"),
        ({"$.": 1}, ValueError, r"'\$\.' is no JSONPath"),
        ({"$[": 1}, ValueError, r"'\$\[' is no JSONPath"),
        ({"$.größe": 1}, ValueError, r"quoted: \$\['größe'\]"),
    ],
)
def test_an_expectation_that_cannot_be_meant_is_refused(expected, error, message):
    with pytest.raises(error, match=message):
        compile_arguments(expected)


@pytest.mark.parametrize("how", [{"exactly": True}, {"options": Options(any_order=True)}])
def test_a_predicate_takes_no_options(how):
    told = "^a predicate decides about all arguments by itself: options and an exact comparison are for a mapping$"
    with pytest.raises(ValueError, match=told):
        compile_arguments(lambda arguments: True, **how)


@pytest.mark.parametrize(("path", "error"), [(7, TypeError), ("id", ValueError), ("", ValueError)])
def test_what_is_no_path_is_refused(path, error):
    with pytest.raises(error, match="a JSONPath"):
        compile_path(path)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("orderid", "; did you mean 'order_id'?"),
        ("$.orderid", "; did you mean 'order_id'?"),
        ("$.to.ciyt", "; did you mean 'city'?"),
        ("$.to[0]", ""),
        ("$.gone.city", ""),
        ("$.*.ciyt", ""),
        ("reason", ""),
        ("amounts", ""),
    ],
)
def test_a_name_that_is_not_there_names_the_nearest_one_of_which_nothing_is_expected(path, meant):
    arguments = {"order_id": "A1", "to": {"city": "Oslo", 1: 2}, "amount": 3}
    written = path if path.startswith("$") else f"$.{path}"
    assert texts({path: "x", "amount": 3}, arguments) == [f"{written}: expected 'x', but it is missing{meant}"]


def test_a_name_of_which_something_is_expected_is_not_what_another_one_was_meant_to_be():
    expected, arguments = {"$.to.city": "Oslo", "$.to.citi": "Oslo"}, {"to": {"city": "Oslo"}}
    assert texts(expected, arguments) == ["$.to.citi: expected 'Oslo', but it is missing"]


def test_differences_are_told_path_by_path():
    actual = {
        "order": {"id": 8, "to": {"city": "Bergen", "street": "1"}, "items": [{"id": 1}, {"id": "2"}, {"id": 3}]},
        "fast": "no",
    }
    expected = {"order": ORDER, "fast": True, "by": "post", "$.order.to.zip": "0150"}
    assert sorted(texts(expected, actual)) == [
        "$.by: expected 'post', but it is missing",
        "$.fast: expected True, was 'no'",
        "$.order.id: expected 7, was 8",
        "$.order.items[1].id: expected 2, was '2'",
        "$.order.items[2]: not expected, was {'id': 3}",
        "$.order.to.city: expected 'Oslo', was 'Bergen'",
        "$.order.to.street: not expected, was '1'",
        "$.order.to.zip: expected '0150', but it is missing",
        "$.order.to.zip: expected '0150', but it is missing",
    ]


@pytest.mark.parametrize(
    ("expected", "arguments", "text"),
    [
        ({"a": [1, 2]}, {"a": [1]}, "$.a[1]: expected 2, but it is missing"),
        ({"a": [1]}, {"a": [True]}, "$.a[0]: expected 1 (int), was True (bool)"),
        ({"a": {1: "x"}}, {"a": {True: "x"}}, "$.a: expected {1: 'x'}, was {True: 'x'}"),
        ({"a": [{"b": {0: 1}}]}, {"a": [{"b": {False: 1}}]}, "$.a[0].b: expected {0: 1}, was {False: 1}"),
        ({"a": {"x": [2**53 + 1]}}, {"a": {"x": [float(2**53)]}}, "$.a.x[0]: expected 9007199254740993, was 9007199254740992.0"),
        ({"a": {"__b": 1}}, {"a": {"__b": 2}}, "$.a.__b: expected 1, was 2"),
        ({"a": {"it's": 1}}, {"a": {"it's": 2}}, '$.a["it\'s"]: expected 1, was 2'),
        ({"a": {"b": {}}}, {"a": {"b": []}}, "$.a.b: expected {}, was []"),
        ({"a": {}}, {"a": None}, "$.a: expected {}, was None"),
        ({"a": [re.compile("x")]}, {"a": ["y"]}, "$.a[0]: expected re.compile('x'), was 'y'"),
        ({"a": [IsInt()]}, {"a": ["y"]}, "$.a[0]: expected IsInt(), was 'y'"),
        ({"a": [str.isdigit]}, {"a": ["y"]}, "$.a[0]: was 'y', not accepted by isdigit"),
        ({"$.a[*].b": [1]}, {"a": [{"b": 2}]}, "$.a[*].b[0]: expected 1, was 2"),
        (
            {"user": {"password": "a"}},
            {"user": {"password": "b"}},
            "$.user.password: expected '***', was '***' (a different value, masked)",
        ),
    ],
)
def test_a_difference_reads(expected, arguments, text):
    assert [text] == texts(expected, arguments)


def test_the_reason_of_a_predicate_is_its_failed_assertion():
    def is_small(amount):
        assert amount < 3, f"{amount} is too much"

    def is_for_ann(arguments):
        assert arguments["customer"] == "Ann"

    assert ["$.amount: was 5, not accepted by is_small: 5 is too much"] == texts({"amount": is_small}, {"amount": 5})
    difference = Difference("$", None, 3, "not accepted by f: first line\nsecond line " + "x" * 1000)
    assert "$: was 3, not accepted by f: first line" == difference.text()
    assert compile_arguments(is_for_ann).differences({"customer": "Bob"})[0].reason.startswith("not accepted by is_for_ann: ")


def test_a_reason_does_not_give_a_secret_away():
    def is_strong(password):
        assert len(password) > 8, f"{password} is weak"

    (text,) = texts({"password": is_strong}, {"password": "hunter2"})
    assert "hunter2" not in text


def test_the_explanation_asks_no_object_that_it_meets():
    class Hostile:
        def __eq__(self, other):
            raise RuntimeError

        __hash__ = None

        def __repr__(self):
            raise RuntimeError

    matcher = compile_arguments({"a": {"b": 1, "c": [2]}})
    differences = matcher.differences({"a": {"b": Hostile(), "c": [2, Hostile()], "d": Hostile()}})
    assert ["$.a.b", "$.a.c[1]", "$.a.d"] == sorted(one.path for one in differences)


def test_a_callback_runs_once_for_each_candidate_however_often_the_matcher_is_asked():
    seen = []

    def note(value):
        seen.append(value)
        return False

    candidates = [{"n": 1, "deep": [1]}, {"n": 1, "deep": [1]}]
    for expected in ({"n": note}, {"deep": [note]}, {"$.deep[*]": note}, note):
        matcher = compile_arguments(expected)
        assert [False, False] == [matcher.matches(one) for one in candidates]
        assert [1, 1] == [len(matcher.differences(one)) for one in candidates]
        assert 0 == closest(matcher, candidates)
        assert 2 == len(seen)
        assert not matcher.fresh().matches(candidates[0])
        assert 3 == len(seen)
        seen.clear()


def test_a_callback_runs_once_where_something_is_ignored_too():
    seen = []

    def note(value):
        seen.append(value)
        return False

    matcher = execution_of("t", {"order": {"to": note}}).ignoring("$.order.id").ignoring_order().matcher
    arguments = {"order": {"id": 1, "to": {"id": 2}}}
    assert not matcher.matches(arguments)
    assert ["$.order.to"] == [one.path for one in matcher.differences(arguments)]
    assert [{"id": 2}] == seen


def test_two_expectations_of_one_value_are_both_asked():
    assert not matches({"n": lambda n: n > 1, "$.n": lambda n: n > 5}, {"n": 3})
    assert not matches({"n": 1, "$.n": 2}, {"n": 1})
    assert not matches({"n": 1, "$.n": 2}, {"n": 2})


def test_an_error_in_a_callback_is_the_users_to_see():
    with pytest.raises(ZeroDivisionError):
        compile_arguments({"n": lambda n: 1 / n}).matches({"n": 0})


def test_a_result_reference_stands_for_what_had_been_returned():
    results = Returned(lookup=[{"charge": {"id": "ch_1", "amount": 5}}])
    reference = result_of("lookup", "$.charge.id")
    assert matches({"charge": reference}, {"charge": "ch_1"}, results)
    assert matches({"order": {"charges": [reference]}}, {"order": {"charges": ["ch_1"]}}, results)
    assert matches({"$.order.charge": reference}, {"order": {"charge": "ch_1"}}, results)
    assert not matches({"charge": reference}, {"charge": "ch_2"}, results)
    assert not matches({"charge": reference}, {}, results)
    assert matches({"charge": result_of("lookup")}, {"charge": {"charge": {"id": "ch_1", "amount": 5}}}, results)
    assert matches({"note": result_of("lookup", "$..id")}, {"note": ["ch_1"]}, results)


def test_a_number_and_its_text_are_equal_to_a_result_reference_in_both_directions_and_at_any_depth():
    results = Returned(number=[{"id": 7}], text=[{"id": "7"}], nested=[{"id": [7]}])
    for name in ("number", "text"):
        for actual in (7, "7", 7.0):
            assert matches({"id": result_of(name, "$.id")}, {"id": actual}, results)
            assert matches({"ids": [result_of(name, "$.id")]}, {"ids": [actual]}, results)
    assert not matches({"id": result_of("nested", "$.id")}, {"id": ["7"]}, results)


def test_any_of_several_results_will_do():
    results = Returned(lookup=[{"id": 1}, {"no": 1}, {"id": 2}])
    assert matches({"id": result_of("lookup", "$.id")}, {"id": 2}, results)
    assert ["$.id: was 3, but result_of('lookup', '$.id') is 1 or 2"] == texts(
        {"id": result_of("lookup", "$.id")}, {"id": 3}, results
    )


@pytest.mark.parametrize(
    ("results", "reason"),
    [
        (None, "but no successful execution of 'lookup' had ended before"),
        (Returned(other=[{"id": None}]), "but no successful execution of 'lookup' had ended before"),
        (Returned(lookup=["text"]), "but 'lookup' had returned nothing at $.id"),
    ],
)
def test_a_reference_to_nothing_matches_nothing(results, reason):
    expected = {"id": result_of("lookup", "$.id")}
    assert not matches(expected, {"id": None}, results)
    assert [f"$.id: was None, {reason}"] == texts(expected, {"id": None}, results)
    assert not matches({"id": result_of("lookup", "$..id")}, {"id": []}, results)


def test_a_null_that_was_returned_is_a_value():
    assert matches({"id": result_of("lookup", "$.id")}, {"id": None}, Returned(lookup=[{"id": None}]))


def test_lists_are_compared_in_any_order_where_that_is_asked_for():
    matcher = execution_of("t", {"tags": [{"n": [1, 2]}, "b"]}).ignoring_order().matcher
    assert matcher.matches({"tags": ["b", {"n": [2, 1]}]})
    assert not matcher.matches({"tags": ["b", {"n": [2, True]}]})
    assert ["$.tags[1].n[1]: expected 1 (int), was True (bool)"] == [
        one.text() for one in matcher.differences({"tags": ["b", {"n": [2, True]}]})
    ]
    assert ["$.tags[0]: expected {'n': [1, 2]}, but it is missing"] == [
        one.text() for one in matcher.differences({"tags": ["b"]})
    ]
    assert [
        "$.tags[0]: expected {'n': [1, 2]}, but it is missing",
        "$.tags[1]: expected 'b', but it is missing",
        "$.tags[0]: not expected, was 'c'",
        "$.tags[1]: not expected, was 'd'",
    ] == [one.text() for one in matcher.differences({"tags": ["c", "d"]})]


def test_numbers_are_compared_with_a_tolerance_where_that_is_asked_for():
    matcher = execution_of("t", {"amount": 0.3, "parts": [{"x": 1}]}).with_tolerance(1e-6).matcher
    assert matcher.matches({"amount": 0.1 + 0.2, "parts": [{"x": 1.0000001}]})
    assert matcher.matches({"amount": "0.3000000001", "parts": [{"x": 1}]})
    assert not matcher.matches({"amount": 0.30001, "parts": [{"x": 1}]})
    assert not matcher.matches({"amount": 0.3, "parts": [{"x": True}]})
    assert ["$.parts[0].x"] == [one.path for one in matcher.differences({"amount": 0.3, "parts": [{"x": 1.1}]})]


@pytest.mark.parametrize(
    ("expected", "paths", "arguments"),
    [
        ({"a": 1, "request_id": "x"}, ["$.request_id"], {"a": 1}),
        ({"a": 1, "request_id": "x"}, ["$.request_id"], {"a": 1, "request_id": "y"}),
        ({"order": {"id": 1, "x": 2}}, ["$.order.x"], {"order": {"id": 1}}),
        ({"order": {"id": 1}}, ["$.order.x"], {"order": {"id": 1, "x": 3}}),
        ({"order": {"id": 1, "to": {"x": 2}}}, ["$.order..x"], {"order": {"id": 1, "to": {"x": 3}, "x": 4}}),
        ({"items": [{"id": 1, "x": 2}, {"id": 2}]}, ["$.items[*].x"], {"items": [{"id": 1}, {"id": 2, "x": 1}]}),
        ({"items": [1, 2, 3]}, ["$.items[0]"], {"items": [9, 2, 3]}),
        ({"$.order.to": {"city": "Oslo", "x": 1}}, ["$.order.to.x"], {"order": {"to": {"city": "Oslo"}}}),
        ({"$.order.to.x": 1, "a": 1}, ["$.order.to"], {"a": 1}),
        ({"$.items[1]": {"id": 2, "x": 1}}, ["$.items[0]", "$.items[1].x"], {"items": [{"id": 1}, {"id": 2}]}),
        ({"$.items[*]": [2, 3]}, ["$.items[0]"], {"items": [1, 2, 3]}),
        ({"order": {"x": {"y": 1}, "id": 1}}, ["$.order.x", "$.order.x.y"], {"order": {"id": 1}}),
        ({"a": 1}, ["$.b", "$.c.d"], {"a": 1}),
    ],
)
def test_what_is_ignored_is_left_out_on_both_sides(expected, paths, arguments):
    matcher = execution_of("t", expected).ignoring(*paths).matcher
    assert matcher.matches(arguments)
    assert () == matcher.differences(arguments)
    assert not compile_arguments(expected).matches(arguments) or "b" in paths[0]


def test_what_is_not_ignored_still_counts():
    matcher = execution_of("t", {"order": {"id": 1, "x": 2}, "a": 1}).ignoring("$.order.x").matcher
    assert not matcher.matches({"order": {"id": 2, "x": 2}, "a": 1})
    assert not matcher.matches({"order": {"id": 1, "x": 2}, "a": 2})
    assert not matcher.matches({"order": {"id": 1, "x": 2, "y": 3}, "a": 1})
    assert not matcher.matches({"a": 1})
    assert ["$.order.id: expected 1, was 2"] == [one.text() for one in matcher.differences({"order": {"id": 2}, "a": 1})]


def test_an_ignored_argument_is_no_other_argument():
    matcher = execution_of("t", {"a": 1}).exactly().ignoring("$.request_id").matcher
    assert matcher.matches({"a": 1, "request_id": "x"})
    assert not matcher.matches({"a": 1, "request_id": "x", "b": 1})
    assert execution_of("t").exactly().ignoring("$.request_id").matcher.matches({"request_id": "x"})


def test_ignoring_all_that_is_expected_is_refused():
    told = r"^nothing is left of the expected arguments \{'order': \{'id': 1\}\} without what is ignored$"
    with pytest.raises(ValueError, match=told):
        execution_of("t", {"order": {"id": 1}}).ignoring("$.order")


def test_ignoring_changes_no_record():
    arguments = {"order": {"id": 1, "x": [1]}}
    assert execution_of("t", {"order": {"id": 1}}).ignoring("$.order.x").matcher.matches(arguments)
    assert {"order": {"id": 1, "x": [1]}} == arguments


def test_a_predicate_that_is_asked_about_several_items_answers_for_each():
    def matches(*expected, ids):
        return compile_arguments({"ids": [*expected]}, options=Options(any_order=True)).matches({"ids": ids})

    assert matches(lambda item: item > 3, 1, ids=[1, 5])
    assert not matches(lambda item: item > 3, 1, ids=[1, 2])
    assert not matches(lambda item: item > 3, lambda item: item > 4, ids=[5, 1])


def test_the_closest_candidate_has_the_fewest_and_then_the_smallest_differences():
    matcher = compile_arguments({"id": "MS-777", "order": {"a": 1, "b": 2}})
    order = {"a": 1, "b": 2}
    assert 2 == closest(matcher, [None, {}, {"id": "x", "order": order}])
    assert 1 == closest(matcher, [{"id": "XX-123", "order": order}, {"id": "MS-778", "order": order}])
    assert 1 == closest(matcher, [{"id": "MS-777", "order": {"a": 3, "b": 4}}, {"id": "MS-777", "order": {"a": 1, "b": 3}}])
    assert 1 == closest(matcher, [{"order": order}, {"id": "x", "order": order}, {"order": order}])
    assert 0 == closest(matcher, [{"id": "x"}, {"id": "x"}])
    assert 0 == closest(matcher, [None, None])
    assert 1 == closest(compile_arguments({"id": 1}, exactly=True), [{"id": 1, "a": 1, "b": 2}, {"id": 1, "a": 1}])


def test_the_closest_candidate_sees_its_own_results():
    matcher = compile_arguments({"id": result_of("lookup"), "n": 1})
    known = [Returned(lookup=[3]), Returned(lookup=[4])]
    assert 1 == closest(matcher, [{"id": 4, "n": 2}, {"id": 4, "n": 2}], known)


def test_the_closest_of_thousands_is_found_without_explaining_each(monkeypatch):
    explained = []
    monkeypatch.setattr(
        "agentassert.checks.differences.between", lambda *values: explained.append(values) or [Difference("$", 1, 2)]
    )
    candidates = [{"order": {"id": number}} for number in range(1000)]
    assert 0 == closest(compile_arguments({"order": {"id": -1}}), candidates)
    assert 20 == len(explained)


def test_equal_expectations_have_equal_keys_and_others_have_not():
    assert compile_arguments({"a": 1, "b": [2]}).key == compile_arguments({"b": [2.0], "$.a": 1}).key
    different = [{"a": 1}, {"a": True}, {"a": "1"}, {"a": 1, "b": 1}, {"b": 1}, {"a": [1]}, {"a": {"a": 1}}, {"a": None}]
    assert len(different) == len({compile_arguments(one).key for one in different})
    assert compile_arguments({"a": 1}).key != compile_arguments({"a": 1}, exactly=True).key
    for special in ({"a": IsInt()}, {"$.a.b": 1}, {"a": 1, "$.a": 1}):
        first, second = compile_arguments(special), compile_arguments(special)
        assert first.key != second.key
        assert first.key == first.key


def test_what_is_missing_says_so():
    assert "MISSING" == repr(MISSING)


def test_a_place_is_written_as_a_path():
    assert "$.a['b c'][0]" == child(child(child("$", "a"), "b c"), 0)
    assert "$['1a']" == child("$", "1a")
    assert "$['']" == child("$", "")
