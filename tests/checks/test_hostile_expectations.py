"""Expected arguments and values that were made to be in the way: the user's own errors come through, all else is told."""

from __future__ import annotations

import itertools
import time

import pytest

from agentassert import AgentAssertionError, assert_that, capture, execution_of, record
from agentassert.checks.arguments import compile_arguments
from agentassert.checks.paths import LONGEST, compile_path
from agentassert.judges import Judge


class Mine(Exception):
    """Of the user's own."""


def raising(name):
    """An object whose special method raises."""

    def method(*_):
        raise Mine(name)

    return type("Hostile", (), {name: method, "__hash__": object.__hash__})()


class Truth:
    """Equal to something that is neither true nor false."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise Mine("__bool__")

    __hash__ = None


class Renders:
    def __repr__(self):
        return repr([self])


@pytest.fixture
def cap():
    with capture() as cap, record.invocation("a"):
        record.tool_execution("t", {"x": 1, "y": "z"}, result=2)
    return cap


@pytest.mark.parametrize(
    "value", [raising("__eq__"), Truth(), lambda _: raising("__eq__") == 1], ids=["eq", "bool", "a predicate"]
)
def test_an_error_of_the_users_is_no_mismatch(cap, value):
    with pytest.raises(Mine):
        assert_that(cap).has_tool_executed_with("t", {"x": value})
    with pytest.raises(Mine):
        assert_that(cap).has_tools_executed_exactly_in_any_order(execution_of("t", {"x": value}))


@pytest.mark.parametrize(
    "value",
    [raising("__repr__"), Renders(), raising("__hash__"), itertools.count(), (one for one in itertools.count()), range(10**12), {}, None, True, "1"],
    ids=["repr", "endless repr", "hash", "count", "generator", "range", "empty", "none", "true", "digits"],
)  # fmt: skip
def test_what_is_equal_to_nothing_there_fails_and_is_shown(cap, value):
    with pytest.raises(AgentAssertionError, match="no successful execution matched") as error:
        assert_that(cap).has_tool_executed_with("t", {"x": value})
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize("path", ["$.itmes[*]", "$.itmes[*].id", "$.itmes..id"])
def test_an_empty_list_is_not_found_at_a_path_whose_argument_is_not_there(path):
    matcher = compile_arguments({path: []})
    assert not matcher.matches({"items": []})
    assert matcher.differences({"items": []})


def test_an_empty_list_is_found_where_the_argument_has_no_items():
    assert compile_arguments({"$.items[*].id": []}).matches({"items": []})


@pytest.mark.parametrize(
    "path",
    ["$" + "[0]" * 5_000, "$" + ".a" * LONGEST, "$.(" + "(" * 5_000, "a" * 100_000],
    ids=["indices", "fields", "brackets", "text"],
)
def test_a_path_of_any_length_is_answered_in_a_line(path):
    with pytest.raises(ValueError, match="JSONPath") as error:
        compile_path(path)
    assert len(str(error.value)) < 1_000


def test_a_conversation_that_is_no_json_is_refused_before_a_judge_is_asked():
    message = {"role": "user"}
    message["content"] = message
    for given in ([message], [{("a", 1): "user"}]):
        with pytest.raises(TypeError, match="the conversation before a judged text cannot be written as JSON"):
            Judge(lambda prompt: "").evaluate("a", "is polite", given=given)


@pytest.mark.parametrize("path", [r"$.a[\b][:]", r"$.a[\b][?(b)]"])
def test_a_path_that_is_read_and_cannot_be_followed(path):
    with pytest.raises(ValueError, match=r"the JSONPath .* cannot be followed: "):
        compile_path(path).find({"a": None})


def test_what_thousands_of_missing_arguments_were_meant_to_be_is_not_looked_for():
    matcher = compile_arguments({f"id{number}": 7 for number in range(8_000)})
    started = time.thread_time()
    differences = matcher.differences({f"ie{number}": 7 for number in range(2_000)})
    assert time.thread_time() - started < 10
    assert len(differences) == 8_000
