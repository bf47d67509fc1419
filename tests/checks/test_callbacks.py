"""A user's own code as a check: what it may answer, and which of its errors mean "no match"."""

from __future__ import annotations

import functools
import re
import sys
import unittest
from unittest import mock

import pytest

from agentassert.checks.callbacks import Verdict, compares_equal, hard_mode, holds, name_of
from agentassert.errors import AgentAssertionError, AmbiguousError, NotRecordedError
from agentassert.stored.values import NotJson


class Chain:
    __agentassert_chain__ = True


class Checker:
    def __call__(self, value):
        assert value == 3

    def method(self, value):
        assert value == 3

    @staticmethod
    def static(value):
        assert value == 3


def is_three(value):
    assert value == 3


def raising(error):
    def callback(value):
        raise error

    return callback


@pytest.mark.parametrize("answer", [True, Chain()])
def test_true_and_a_chain_are_a_match(answer):
    assert Verdict(True) == holds(lambda value: answer, 1)


def test_an_assertpy_chain_is_a_match():
    import assertpy

    assert Verdict(True) == holds(lambda value: assertpy.assert_that(value).is_equal_to(1), 1)


def test_false_is_no_match():
    assert Verdict(False) == holds(lambda value: False, 1)


@pytest.mark.parametrize(
    "callback",
    [
        is_three,
        Checker(),
        Checker().method,
        Checker.static,
        functools.partial(is_three),
        functools.partial(functools.partial(Checker().method)),
        functools.partial(Checker()),
        functools.partial(unittest.TestCase().assertIs, 3),
    ],
)
def test_none_from_what_asserts_by_itself_is_a_match_and_a_failed_assertion_is_none(callback):
    assert holds(callback, 3).matched
    assert not holds(callback, 4).matched


@pytest.mark.parametrize("error", [AssertionError("too small"), AgentAssertionError("too small")])
def test_a_failed_assertion_is_no_match_and_its_text_the_reason(error):
    assert Verdict(False, "too small") == holds(raising(error), 1)


def test_a_failed_assertion_without_text_gives_no_reason():
    assert Verdict(False, None) == holds(raising(AssertionError()), 1)


@pytest.mark.parametrize(
    "error", [NotRecordedError("unseen"), AmbiguousError("two"), ValueError("mine"), KeyboardInterrupt(), StopIteration()]
)
def test_every_other_error_is_the_users_to_see(error):
    with pytest.raises(type(error)) as raised:
        holds(raising(error), 1)
    assert error is raised.value


@pytest.mark.parametrize(
    ("callback", "name"),
    [
        (lambda value: None, "the lambda"),
        (functools.partial(lambda value: None), "the lambda"),
        (functools.partial(re.match, "x"), "match"),
        (re.compile("x").match, "match"),
        ([].append, "append"),
        (mock.Mock(return_value=None), "Mock"),
    ],
)
def test_none_from_what_asserts_nothing_is_refused(callback, name):
    with pytest.raises(TypeError, match=f"^{name} must answer True or False, .* returned None: it checked nothing"):
        holds(callback, "a")


@pytest.mark.parametrize("answer", [1, 0, "yes", "", [], re.match("a", "a"), mock.Mock()])
def test_any_other_answer_is_refused_and_named(answer):
    with pytest.raises(
        TypeError, match=rf"returned a value of type {type(answer).__name__}: compare it, or wrap it in bool\(...\)"
    ):
        holds(lambda value: answer, 1)


def test_an_answer_that_is_refused_is_not_shown():
    with pytest.raises(TypeError) as raised:
        holds(lambda value: value["password"], {"password": "hunter2"})
    assert "hunter2" not in str(raised.value)


def test_a_chain_on_which_nothing_was_asserted_checked_nothing():
    chain = Chain()
    chain.__agentassert_checked__ = False
    with pytest.raises(TypeError, match=r"^the lambda returned a chain on which nothing was asserted, so it checked nothing"):
        holds(lambda value: chain, 1)


def test_where_assertpy_was_not_imported_nothing_is_a_chain_of_its(monkeypatch):
    monkeypatch.delitem(sys.modules, "assertpy.assertpy", raising=False)

    with pytest.raises(TypeError, match="returned a value of type int"):
        holds(lambda value: 1, 1)


def test_an_assertpy_chain_that_never_raises_is_refused():
    import assertpy

    with pytest.raises(TypeError, match="the lambda returned an assertpy chain of the kind 'warn', whose failures do not raise"):
        holds(lambda value: assertpy.assert_warn(value).is_equal_to(2), 1)

    def softly(value):
        with assertpy.soft_assertions():
            return assertpy.assert_that(value).is_equal_to(1)

    with pytest.raises(TypeError, match=r"^softly returned an assertpy chain of the kind 'soft'"):
        holds(softly, 1)


def test_a_coroutine_function_is_refused_and_its_coroutine_closed():
    async def is_late(value):
        return True

    with pytest.raises(TypeError, match="is_late must be a plain function, but is a coroutine function"):
        holds(is_late, 1)


def test_an_answer_that_cannot_be_shown_is_refused_all_the_same():
    class Shy:
        def __repr__(self):
            raise RuntimeError

    with pytest.raises(TypeError, match="a value of type Shy"):
        holds(lambda value: Shy(), 1)


def test_what_a_callback_does_to_its_value_changes_no_record():
    arguments = {"tags": ["a"], "order": {"id": 3}}

    def careless(given):
        given["tags"].append("b")
        given["order"].clear()

    assert holds(careless, arguments).matched
    assert {"tags": ["a"], "order": {"id": 3}} == arguments
    items = [[1]]
    assert holds(lambda given: given[0].append(2) is None, items).matched
    assert [[1]] == items


def test_what_a_stored_capture_lacks_stays_what_stands_for_it():
    lacking = NotJson("shop.Client", "<Client>")
    assert holds(lambda given: given["client"] is lacking, {"client": lacking}).matched


def test_what_is_no_json_is_handed_over_itself():
    chain = Chain()
    assert holds(lambda given: given is chain, chain).matched


def test_hard_mode_holds_while_the_callback_runs_and_no_longer():
    seen = []

    def note(value):
        seen.append(hard_mode.get())
        if value:
            raise ValueError("stop")

    holds(note, None)
    with pytest.raises(ValueError, match="stop"):
        holds(note, 1)
    assert [True, True] == seen
    assert hard_mode.get() is False


def test_the_expected_object_is_asked_and_never_the_actual_one():
    class Asked:
        def __eq__(self, other):
            return hard_mode.get()

        __hash__ = None

    class NeverAsked(Asked):
        def __eq__(self, other):
            raise RuntimeError

        __hash__ = None

    assert Verdict(True) == compares_equal(Asked(), NeverAsked())
    assert Verdict(False) == compares_equal(object(), NeverAsked())
    assert Verdict(False) == compares_equal(mock.Mock(), 1)
    assert Verdict(True) == compares_equal(mock.ANY, NeverAsked())


@pytest.mark.parametrize(
    ("callback", "name"),
    [
        (is_three, "is_three"),
        (functools.partial(is_three), "is_three"),
        (lambda value: True, "the lambda"),
        (Checker(), "Checker"),
        (Checker().method, "method"),
        (mock.Mock(), "Mock"),
    ],
)
def test_a_callback_has_a_name_for_messages(callback, name):
    assert name == name_of(callback)
