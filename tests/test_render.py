"""What values, executions, errors and differences look like in a message."""

from __future__ import annotations

import collections
import enum
import math
import re
import types
from collections.abc import Iterator, Mapping

import pytest

from agentassert.records import NOT_RECORDED, Outcome, ToolExecution
from agentassert.render import arguments, difference, error, execution, executions, pair, value
from agentassert.stored.recorded_errors import RecordedError
from agentassert.text.masking import is_secret_name, show_secrets


class Colour(enum.Enum):
    RED = 1


class Hostile:
    """Raises wherever it can."""

    def __repr__(self):
        raise RuntimeError("no repr")

    def __str__(self):
        raise RuntimeError("no str")

    def __eq__(self, other):
        raise RuntimeError("no eq")

    def __hash__(self):
        raise RuntimeError("no hash")

    def __bool__(self):
        raise RuntimeError("no bool")

    def __len__(self):
        raise RuntimeError("no len")

    def __iter__(self):
        raise RuntimeError("no iter")

    def __getattr__(self, name):
        raise RuntimeError("no attributes")

    @property
    def __class__(self):
        raise RuntimeError("no class")


class BrokenMapping(Mapping[str, int]):
    """Gives one item, then breaks."""

    def __getitem__(self, key):
        if key == "bad":
            raise LookupError(key)
        return 1

    def __iter__(self) -> Iterator[str]:
        return iter(("good", "bad"))

    def __len__(self):
        return 2


class EndlessMapping(Mapping[int, int]):
    def __getitem__(self, key):
        return key

    def __iter__(self) -> Iterator[int]:
        number = 0
        while True:
            yield number
            number += 1

    def __len__(self):
        return 10**12


class Noisy:
    def __repr__(self):
        return "<Noisy\n\x1b[31mred\x1b[0m\u202e>"


class Megabytes:
    def __repr__(self):
        return "m" * 3_000_000


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("it's", '"it\'s"'),
        ("two\nlines\x1b[0m", r"'two\nlines\x1b[0m'"),
        ("\ud800", r"'\ud800'"),
        (math.nan, "nan"),
        ((1,), "(1,)"),
        ((), "()"),
        (set(), "set()"),
        (frozenset(), "frozenset()"),
        ({"b", "a"}, "{'a', 'b'}"),
        ({"b", 1, None}, "{'b', 1, None}"),
        (frozenset({2, 1}), "frozenset({1, 2})"),
        ({3: "x", (1, 2): None, None: True}, "{3: 'x', (1, 2): None, None: True}"),
        (types.MappingProxyType({"a": [1]}), "{'a': [1]}"),
        (collections.OrderedDict(a=1), "{'a': 1}"),
        (Colour.RED, "<Colour.RED: 1>"),
        (b"\x00a", r"b'\x00a'"),
        (re.compile("a+"), "re.compile('a+')"),
        (NOT_RECORDED, "NOT_RECORDED"),
        (Noisy(), r"<Noisy\n\x1b[31mred\x1b[0m\u202e>"),
        (BrokenMapping(), "{'good': 1 <raised LookupError>}"),
    ],
)
def test_a_value_is_shown_as_its_repr_would_on_one_line(shown, text):
    assert text == value(shown)


def test_an_object_that_raises_wherever_it_can_spoils_no_more_than_its_own_place():
    assert "[<Hostile: its repr raised RuntimeError>, 1]" == value([Hostile(), 1])
    assert "{'a': <Hostile: its repr raised RuntimeError>}" == value({"a": Hostile()})


def test_an_address_is_left_out_so_that_a_message_is_the_same_in_every_run():
    assert "<object object>" == value(object())


def test_a_cycle_is_named_where_it_closes():
    cyclic: dict = {"name": "a"}
    cyclic["self"] = [cyclic]

    assert "{'name': 'a', 'self': [<circular reference>]}" == value(cyclic)


def test_the_same_object_twice_side_by_side_is_no_cycle():
    shared = [1]

    assert "[[1], [1]]" == value([shared, shared])


def test_a_long_text_loses_its_middle_and_says_how_much():
    assert f"'{'a' * 49}…(999,926 characters)…{'b' * 25}'" == value("a" * 500_000 + "b" * 500_000, limit=100)


def test_the_number_of_characters_left_out_is_exact():
    text = "".join(chr(97 + index % 26) for index in range(12_345))

    front, left_out, back = re.fullmatch(r"'(\w+)…\(([\d,]+) characters\)…(\w+)'", value(text, limit=90)).groups()

    assert text.startswith(front)
    assert text.endswith(back)
    assert len(text) == len(front) + int(left_out.replace(",", "")) + len(back)


def test_a_long_text_in_a_container_leaves_room_for_its_neighbours():
    text = value({"text": "x" * 10_000, "number": 3})

    assert text.startswith("{'text': 'xxxxxxxx")
    assert text.endswith("xxxxxxxx', 'number': 3}")
    assert "…(9,943 characters)…" in text


def test_a_long_container_says_how_many_items_are_left_out():
    assert "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, … 99,989 more]" == value(list(range(100_000)), limit=50)


def test_what_fits_is_never_cut():
    shown = {"text": "x" * 180}

    assert repr(shown) == value(shown)


@pytest.mark.parametrize(
    "shown",
    [
        EndlessMapping(),
        Megabytes(),
        [Megabytes()] * 50,
        10**6_000,
        b"x" * 5_000_000,
        "\x00" * 1_000_000,
        {"k" * 1_000_000: 1},
        [[["deep" * 100] * 100] * 100] * 100,
    ],
    ids=["endless", "repr", "reprs", "integer", "bytes", "escapes", "key", "nested"],
)
@pytest.mark.parametrize("limit", [40, 57, 200, 5_000])
def test_whatever_is_shown_fits_into_the_limit(shown, limit):
    assert len(value(shown, limit=limit)) <= limit


def test_a_structure_deeper_than_the_recursion_limit_is_shown_as_far_as_it_fits():
    deep: list = []
    for _ in range(5_000):
        deep = [deep]

    assert re.fullmatch(r"\[+… 1 more\]+", value(deep))


def test_integers_that_python_refuses_to_write_in_decimal_are_shown_in_hexadecimal():
    assert value(10**6_000).startswith("0xbdd4a7155919bd827d55")


def test_a_set_too_large_to_sort_is_shown_as_far_as_it_fits():
    assert re.fullmatch(r"\{\d+, [\d, ]+… [\d,]+ more\}", value(set(range(100_000)), limit=60))


def test_showing_a_value_with_the_last_of_the_stack_raises_nothing():
    def at_the_brink():
        try:
            return at_the_brink()
        except RecursionError:
            return value([1]), pair([1], [2]), error(ValueError("x"))

    shown, compared, raised = at_the_brink()

    assert shown in {"[1]", "<cannot be shown>"}
    assert compared in {("[1]", "[2]"), ("<cannot be shown>",) * 2}
    assert raised in {"ValueError: x", "<cannot be shown>"}


def test_an_interrupt_passes_through():
    class Interrupting:
        def __repr__(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        value([Interrupting()])


@pytest.mark.parametrize(
    "name",
    [
        *("api_key", "apikey", "API-KEY", "stripe_api_key", "x-api-key", "authorization", "Proxy-Authorization", "password"),
        *("passwd", "db_password", "secret", "client_secret", "token", "access_token", "refreshToken", "id_token", "bearer"),
        *("cookie", "Set-Cookie", "private_key", "credentials", "AWS_SECRET_ACCESS_KEY", b"authorization", "secrets"),
    ],
)
def test_a_name_that_ends_like_that_of_a_secret_is_one(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "max_tokens",
        "input_tokens",
        "token_count",
        "total_tokens",
        "tokenizer",
        "key",
        "secretary",
        "author",
        "passport",
        "",
        7,
        None,
    ],
)
def test_a_name_that_only_resembles_one_is_none(name):
    assert not is_secret_name(name)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ({"Password": "hunter2", "n": 1}, "{'Password': '***', 'n': 1}"),
        ({"user": [{"api_key": "k"}]}, "{'user': [{'api_key': '***'}]}"),
        ({"credentials": {"user": "a", "pass": "b"}}, "{'credentials': '***'}"),
        ({"token": 123, "secret": b"x"}, "{'token': '***', 'secret': '***'}"),
        (
            {"token": None, "password": "", "secret": False, "cookies": {}},
            "{'token': None, 'password': '', 'secret': False, 'cookies': {}}",
        ),
        ({"max_tokens": 5, "token_count": 3}, "{'max_tokens': 5, 'token_count': 3}"),
        ("key sk-proj-abcdefgh1234 here", "'key sk-*** here'"),
        ("task-force-something-long", "'task-force-something-long'"),
        ("Bearer xyz", "'Bearer ***'"),
        ("ghp_abcdefghijklmnop", "'ghp_***'"),
        ("AKIAIOSFODNN7EXAMPLE", "'AKIA***'"),
        ("eyJhbGciOi.eyJzdWIi.sig-nature", "'eyJ***'"),
        ('{"api_key": "k1", "n": 1}', """'{"api_key": "***", "n": 1}'"""),
        ('{"a": "{\\"api_key\\": \\"k1\\", \\"n\\": 1}"}', """'{"a": "{\\\\"api_key\\\\": \\\\"***\\\\", \\\\"n\\\\": 1}"}'"""),
        ('{"password": "a\\"b", "n": 1}', """'{"password": "***", "n": 1}'"""),
        ('{"token": null, "max_tokens": 5}', """'{"token": null, "max_tokens": 5}'"""),
        ('{"api_key": "unfinis', """'{"api_key": "***'"""),
        ("https://x.test/?access_token=abc&page=2", "'https://x.test/?access_token=***&page=2'"),
        ("postgres://ann:pw@db/shop", "'postgres://ann:***@db/shop'"),
        ("curl -H 'Authorization: Bearer abc'", "\"curl -H 'Authorization: Bearer ***'\""),
        ("unexpected token: 'x'", "\"unexpected token: 'x'\""),
    ],
)
def test_what_looks_like_a_secret_is_masked(shown, text):
    assert text == value(shown)


def test_a_secret_in_the_repr_of_an_object_is_masked():
    class Client:
        def __repr__(self):
            return "Client(region='eu', api_key='abc')"

    assert "Client(region='eu', api_key='***')" == value(Client())


@pytest.mark.parametrize("before", [0, 1, 60, 130, 4_000, 4_090, 4_096, 9_000])
@pytest.mark.parametrize("after", [0, 1, 60, 4_096, 30_000])
def test_no_part_of_a_long_secret_shows_wherever_the_text_is_cut(before, after):
    secret = "sk-" + "S" * 6_000

    shown = value("." * before + secret + " " + "." * after)

    assert "S" not in shown
    assert len(shown) <= 200


def test_a_text_that_is_short_once_its_secret_is_masked_is_not_cut():
    text = value({"text": "key sk-" + "S" * 6_000, "other": "x" * 1_000})

    assert text.startswith("{'text': 'key sk-***', 'other': 'xxx")


def test_secrets_are_shown_when_asked_for():
    shown = {"password": "hunter2"}

    with show_secrets():
        inside = value(shown)

    assert repr(shown) == inside == value(shown, mask=False)
    assert "{'password': '***'}" == value(shown)


@pytest.mark.parametrize(
    ("parsed", "raw", "text"),
    [
        ({"booking_number": "MS-778", "reason": "user"}, None, "booking_number='MS-778', reason='user'"),
        ({}, "{}", ""),
        ({"odd key": 1, "class": 2, 3: 4}, None, "'odd key'=1, 'class'=2, 3=4"),
        ({"api_key": "k"}, None, "api_key='***'"),
        (None, '{"a":', "<not JSON: '{\"a\":'>"),
        (None, '{"api_key": "k', '<not JSON: \'{"api_key": "***\'>'),
        (None, "[1]", "<no object: '[1]'>"),
        (None, [1], "<no object: [1]>"),
        (None, None, "..."),
        (BrokenMapping(), None, "good=1 <raised LookupError>"),
    ],
)
def test_arguments_are_shown_as_a_call_shows_them(parsed, raw, text):
    assert text == arguments(parsed, raw)


def test_a_long_argument_leaves_room_for_its_neighbours():
    text = arguments({"text": "x" * 1_000, "number": 3})

    assert text.endswith("x', number=3")
    assert len(text) <= 200


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"arguments": {"n": 1}, "result": "ok"}, "[2] pay(n=1) -> 'ok'"),
        (
            {"arguments": {}, "outcome": Outcome.FAILED, "error": TimeoutError("no answer")},
            "[2] pay() FAILED TimeoutError: no answer",
        ),
        ({"arguments": {}, "outcome": Outcome.FAILED, "error": "gone"}, "[2] pay() FAILED gone"),
        ({"arguments": {}, "outcome": Outcome.FAILED, "result": "gone"}, "[2] pay() FAILED 'gone'"),
        ({"arguments": {}, "outcome": Outcome.CANCELLED}, "[2] pay() CANCELLED"),
        ({"arguments": {}, "outcome": Outcome.UNFINISHED}, "[2] pay() UNFINISHED"),
        ({"arguments": {}, "outcome": Outcome.UNKNOWN, "result": "ok"}, "[2] pay() -> 'ok' (outcome not reported)"),
        (
            {"arguments": {}, "outcome": Outcome.UNKNOWN, "inferred": True},
            "[2] pay() (inferred) (may never have run: nothing answered)",
        ),
        (
            {"arguments": {}, "attempt": 2, "cached": True, "inferred": True, "result": 1},
            "[2] pay() (attempt 2) (cached) (inferred) -> 1",
        ),
        ({"raw_arguments": '{"a":', "result": None}, "[2] pay(<not JSON: '{\"a\":'>) -> None"),
    ],
)
def test_an_execution_is_one_line(fields, line):
    assert line == execution(ToolExecution(id="1", name="pay", **fields), 2)


def test_an_execution_can_be_shown_without_its_result():
    assert "[1] pay(n=1)" == execution(ToolExecution(id="1", name="pay", arguments={"n": 1}, result="ok"), 1, result=False)


def test_a_hostile_tool_name_stays_on_the_line():
    assert r"[1] a\nb() -> None" == execution(ToolExecution(id="1", name="a\nb", arguments={}), 1)


def _many(count):
    return [ToolExecution(id=str(number), name=f"tool_{number}", arguments={}) for number in range(1, count + 1)]


def test_all_executions_are_listed():
    assert [f"[{number}] tool_{number}() -> None" for number in range(1, 201)] == executions(_many(200))


def test_a_very_long_list_keeps_its_ends_and_what_matters():
    lines = executions(_many(10_000), most=8, important=[0, 4_999, 9_999])

    assert lines == [
        *(f"[{number}] tool_{number}() -> None" for number in (1, 2, 3, 4)),
        "… 4,995 more …",
        "[5000] tool_5000() -> None",
        "… 4,998 more …",
        *(f"[{number}] tool_{number}() -> None" for number in (9_999, 10_000)),
    ]


def test_a_very_long_list_stays_short_even_if_everything_matters():
    assert len(executions(_many(5_000), most=20, important=range(5_000))) <= 22


def test_a_list_of_almost_nothing_says_what_it_leaves_out():
    assert ["[1] tool_1() -> None", "… 4 more …"] == executions(_many(5), most=2)


def test_executions_can_be_numbered_from_elsewhere():
    assert ["[7] tool_1() -> None", "[8] tool_2() -> None"] == executions(_many(2), first=7)


@pytest.mark.parametrize(
    ("expected", "actual", "texts"),
    [
        ("7", 7, ("'7'", "7")),
        (1, True, ("1 (int)", "True (bool)")),
        (True, 1.0, ("True (bool)", "1.0 (float)")),
        (False, 1, ("False", "1")),
        ([1], [True], ("[1]", "[True]")),
        ({"password": "a"}, {"password": "b"}, ("{'password': '***'}", "{'password': '***'} (a different value, masked)")),
        ("sk-aaaaaaaaaa", "sk-bbbbbbbbbb", ("'sk-***'", "'sk-***' (a different value, masked)")),
        ({"password": "a", "n": 1}, {"password": "b", "n": 2}, ("{'password': '***', 'n': 1}", "{'password': '***', 'n': 2}")),
    ],
)
def test_two_values_that_differ_never_look_the_same(expected, actual, texts):
    assert texts == pair(expected, actual)


class Alike:
    def __repr__(self):
        return "Alike"


class Unlike:
    def __repr__(self):
        return "Alike"


def test_values_that_print_alike_are_told_apart_by_their_types():
    assert ("Alike (Alike)", "Alike (Unlike)") == pair(Alike(), Unlike())
    assert ("Alike", "Alike (another Alike that prints the same)") == pair(Alike(), Alike())
    assert ("[Alike]", "[Alike] (another list that prints the same)") == pair([Alike()], [Unlike()])


def test_long_texts_are_cut_around_their_difference():
    expected, actual = pair("x" * 7_000 + "OLD" + "y" * 3_000, "x" * 7_000 + "NEW" + "y" * 3_000, limit=60)

    assert f"…{'x' * 20}OLD{'y' * 35}…" == expected
    assert f"…{'x' * 20}NEW{'y' * 35}…" == actual


def test_a_difference_near_the_beginning_needs_no_cut_before_it():
    expected, actual = pair("OLD" + "y" * 3_000, "NEW" + "y" * 3_000, limit=60)

    assert f"'OLD{'y' * 55}…" == expected
    assert f"'NEW{'y' * 55}…" == actual


def test_a_text_that_is_the_beginning_of_the_other_shows_where_it_ends():
    expected, actual = pair("x" * 1_000, "x" * 1_001, limit=60)

    assert f"…{'x' * 20}'" == expected
    assert f"…{'x' * 20}x'" == actual


def test_a_difference_at_the_end_of_a_megabyte_is_found():
    expected, actual = pair("x" * 1_000_000 + "A", "x" * 1_000_000 + "B")

    assert expected.endswith("xA'")
    assert actual.endswith("xB'")


def test_an_apostrophe_far_away_does_not_hide_the_difference():
    expected, actual = pair("x" * 500 + "A", "x" * 500 + "B'", limit=60)

    assert expected.endswith("xA'")
    assert actual.endswith("xB\\''")


def test_long_structures_are_cut_around_their_difference():
    expected, actual = pair({"items": [0] * 5_000 + [1]}, {"items": [0] * 5_000 + [2]}, limit=60)

    assert expected.endswith("0, 0, 1]}")
    assert actual.endswith("0, 0, 2]}")
    assert max(len(expected), len(actual)) <= 60


def test_values_of_a_hostile_class_can_be_told_apart():
    class Meta(type):
        def __hash__(cls):
            raise RuntimeError

        def __eq__(cls, other):
            raise RuntimeError

    odd = Meta("Odd", (), {"__repr__": lambda _: "1"})()

    assert ("2", "1") == pair(2, odd)
    assert "{'password': '***'}" == value({"password": odd})


def test_a_difference_too_far_away_to_look_for_is_not_called_none():
    zeros = [0] * 20_000

    expected, actual = pair([*zeros, 1], [*zeros, 2], limit=60)

    assert f"{expected} (the difference lies further on)" == actual


def test_hostile_values_can_be_compared_in_a_message():
    hostile = "<Hostile: its repr raised RuntimeError>"

    assert (hostile, f"{hostile} (another Hostile that prints the same)") == pair(Hostile(), Hostile())


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        (TimeoutError("no answer"), "TimeoutError: no answer"),
        (KeyError(), "KeyError"),
        (ValueError("two\nlines"), r"ValueError: two\nlines"),
        (ExceptionGroup("both", [ValueError("a")]), "ExceptionGroup: both (1 sub-exception)"),
        (RecordedError("no answer", ("shop.errors.Gone", "builtins.Exception")), "Gone: no answer"),
        (ValueError("password=hunter2"), "ValueError: password=***"),
        ("gone\x1b", r"gone\x1b"),
    ],
)
def test_an_error_is_one_line(raised, text):
    assert text == error(raised)


def test_an_error_whose_text_cannot_be_had_is_shown_all_the_same():
    class Silent(Exception):
        def __str__(self):
            raise RuntimeError

    assert "Silent: <its text cannot be had: RuntimeError>" == error(Silent())


def test_the_text_of_an_error_is_cut():
    assert len(error(ValueError("x" * 1_000_000), limit=80)) <= 80


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (difference("$.booking_number", "MS-777", "MS-778"), "$.booking_number: expected 'MS-777', was 'MS-778'"),
        (difference("$.x", expected=3), "$.x: expected 3, but it is missing"),
        (difference("$.y", actual=3), "$.y: not expected, was 3"),
        (difference("$.y", None, 3), "$.y: expected None, was 3"),
        (difference("$.password", "a", "b"), "$.password: expected '***', was '***' (a different value, masked)"),
        (difference("$.password", "a", None), "$.password: expected '***', was None"),
        (difference("$['x-api-key']", actual="a"), "$['x-api-key']: not expected, was '***'"),
        (difference("$.credentials.user", expected="ann"), "$.credentials.user: expected '***', but it is missing"),
        (difference("$.max_tokens", 3, 5), "$.max_tokens: expected 3, was 5"),
        (difference("$['a\nb']", 3, 5), r"$['a\nb']: expected 3, was 5"),
    ],
)
def test_a_difference_names_the_place_and_both_sides(line, text):
    assert text == line


def test_a_value_whose_name_is_that_of_a_secret_is_masked_unless_asked_otherwise():
    assert value("hunter2", secret=True) == "'***'"
    with show_secrets():
        assert value("hunter2", secret=True) == "'hunter2'"


@pytest.mark.parametrize("key", ["$.password", "$['password']", "$.credentials[0]", "$..token"])
def test_a_json_path_to_a_secret_masks_its_value(key):
    assert "hunter2" not in value({key: "hunter2"})
    assert "1234" in value({"$.usage.token_count": 1234, "$.items[0]": 5})
