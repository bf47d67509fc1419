"""Where Rasa's verdict is hardly what was meant: it is said, and where pitfalls fail, it is no pass."""

from __future__ import annotations

import pytest

from agentassert.conversations import rasa
from tests.conversations.trackers import (
    FixedJudge,
    action,
    bot,
    clarification,
    conversation,
    flow_cancelled,
    flow_completed,
    flow_started,
    slot,
    user,
    verdict,
)

YES, NO = {"title": "Yes", "payload": "/yes"}, {"title": "No", "payload": "/no"}
FOUND = bot("It opens at nine.", source="EnterpriseSearchPolicy")
UNWOUND = [flow_cancelled("pay", "ask"), flow_completed("pay", "NEXT:END")]

PASS_BY_PITFALL = {
    "surplus expected buttons": ({"bot_uttered": {"buttons": [YES, NO]}}, [bot("?", buttons=[YES])], "fewer than those expected"),
    "surplus buttons": ({"bot_uttered": {"buttons": [YES]}}, [bot("?", buttons=[YES, NO])], "more than those expected"),
    "parts of different messages": (
        {"bot_uttered": {"utter_name": "utter_a", "text_matches": "two"}},
        [bot("one", name="utter_a"), bot("two", name="utter_b")],
        "no single message",
    ),
    "buttons of another message": (
        {"bot_uttered": {"utter_name": "utter_a", "buttons": [YES]}},
        [bot("one", name="utter_a", buttons=[YES, NO]), bot("two", name="utter_b", buttons=[YES])],
        "more than those expected",
    ),
    "a reset counts as set": ({"slot_was_set": [{"name": "seats"}]}, [slot("seats", None, reset=True)], "only emptied"),
    "a threshold that all reach": ({"generative_response_is_relevant": {"threshold": 0}}, [FOUND], "every score reaches it"),
    "set meanwhile": ({"slot_was_not_set": [{"name": "seats"}]}, [slot("seats", 2), slot("seats", None)], "was set to 2 on the way"),
    "set meanwhile to the value": (
        {"slot_was_not_set": [{"name": "seats", "value": 2}]},
        [slot("seats", 2), slot("seats", 3)],
        "was set to 2 on the way, but only what it was set to last counts",
    ),
    "true is 1 to Python": (
        {"slot_was_set": [{"name": "seats", "value": 1}]},
        [slot("seats", True)],
        "was set to True, which Python takes for equal to 1",
    ),
    "the first of several responses": (
        {"generative_response_is_relevant": {"threshold": 0.4}},
        [FOUND, FOUND],
        "2 responses can be meant, and the first is scored",
    ),
    "nothing to rest on": (
        {"generative_response_is_grounded": {"threshold": 0.4}},
        [FOUND],
        "nothing is recorded that the response may rest on",
    ),
    "a cancelled flow completes": ({"flow_completed": {"flow_id": "pay"}}, UNWOUND, "it was cancelled"),
}  # fmt: skip


@pytest.mark.parametrize("name", PASS_BY_PITFALL)
def test_a_pass_by_a_pitfall_warns_and_fails_where_pitfalls_fail(name):
    assertion, events, words = PASS_BY_PITFALL[name]
    judge = FixedJudge(0.5)

    found, warned = verdict(events, assertion, judge=judge)
    assert (found.passes, len(warned)) == (True, 1)
    assert words in warned[0]

    found, warned = verdict(events, assertion, judge=judge, pitfalls="fail")
    assert warned == []
    assert words in str(found.failure)
    assert found.assertion == 0


FAIL_BY_PITFALL = {
    "only the first completion": (
        {"flow_completed": {"flow_id": "pay", "flow_step_id": "receipt"}},
        [flow_completed("pay", "refused"), flow_completed("pay", "receipt")],
        "only its first end counts",
    ),
    "contains means equals": (
        {"pattern_clarification_contains": {"operator": "all", "flow_ids": ["pay"]}},
        [clarification(pay="pay", refund="get it back")],
        "wants exactly these",
    ),
    "a threshold that none reaches": ({"generative_response_is_relevant": {"threshold": 1.5}}, [FOUND], "no score reaches it"),
}


@pytest.mark.parametrize("name", FAIL_BY_PITFALL)
def test_a_failure_by_a_pitfall_says_so(name):
    assertion, events, words = FAIL_BY_PITFALL[name]

    found, warned = verdict(events, assertion, judge=FixedJudge(0.5))
    assert not found.passes
    assert words in "".join(warned)

    found, warned = verdict(events, assertion, judge=FixedJudge(0.5), pitfalls="fail")
    assert warned == []
    assert words in str(found.failure)


def test_a_message_without_text_is_passed_over_and_said():
    events = [bot(None), bot("It opens at nine.")]

    found, warned = verdict(events, {"bot_uttered": {"text_matches": "nine"}})
    assert (found.passes, len(warned)) == (True, 1)
    assert "without text" in warned[0]

    found, warned = verdict(events, {"bot_uttered": {"text_matches": "nine"}}, pitfalls="fail")
    assert (found.passes, warned) == (True, [])


def test_a_score_beyond_the_scale_is_taken_as_it_is_and_said():
    assertion = {"generative_response_is_relevant": {"threshold": 0.9}}

    found, warned = verdict([FOUND], assertion, judge=FixedJudge(3.0))
    assert (found.passes, len(warned)) == (True, 1)
    assert "score 3" in warned[0]
    assert not verdict([FOUND], assertion, judge=FixedJudge(3.0), pitfalls="fail")[0].passes


def test_a_value_that_only_json_has_another_form_for_is_no_pitfall():
    for value, wanted in ((2.0, 2), ([1, {"a": None}], [1.0, {"a": None}])):
        found, warned = verdict([slot("seats", value)], {"slot_was_set": [{"name": "seats", "value": wanted}]})
        assert (found.passes, warned) == (True, [])


def test_a_verdict_tells_its_pitfalls_with_the_assertions_that_they_are_about():
    talk = conversation(user("yes"), action("one"), slot("seats", None), user("go on"), user("yes"))

    with pytest.warns() as warned:
        found = rasa.check_step(talk, [{"action_executed": "one"}, {"slot_was_set": [{"name": "seats"}]}], user="yes")

    assert [one.assertion for one in found.pitfalls] == [None, 1]
    assert [one.words for one in found.pitfalls] == [str(one.message) for one in warned]
    assert (found.passes, found.passed) == (True, 2)


def test_a_flow_that_was_started_again_after_it_was_cancelled_does_complete():
    events = [flow_cancelled("pay", "ask"), flow_started("pay"), flow_completed("pay", "receipt")]

    found, warned = verdict(events, {"flow_completed": {"flow_id": "pay"}})

    assert (found.passes, warned) == (True, [])


def test_words_that_are_said_twice_mean_the_first_time_and_that_is_said():
    talk = conversation(user("yes"), action("one"), user("go on"), user("yes"), action("two"))

    with pytest.warns(match="says 'yes' 2 times") as warned:
        assert rasa.check(talk, {"action_executed": "two"}, user="yes") is not None
    assert warned[0].filename == __file__
    failure = rasa.check(talk, {"action_executed": "one"}, user="yes", pitfalls="fail")
    assert "says 'yes' 2 times" in str(failure)


def test_the_same_words_right_after_each_other_share_a_turn_and_that_is_said():
    talk = conversation(user("yes", place=1), action("one"), user("yes", place=2), action("two"))

    with pytest.warns(match="again right after"):
        assert rasa.check(talk, {"action_executed": "two"}, user="yes", metadata={"place": 1}) is None


def test_pitfalls_are_warned_of_or_fail():
    with pytest.raises(ValueError, match="pitfalls must be 'warn' or 'fail', but was 'ignore'"):
        rasa.check(conversation(user("Hi")), {"action_executed": "x"}, user="Hi", pitfalls="ignore")
