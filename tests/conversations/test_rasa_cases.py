"""Rasa's verdicts: on the cases that come with the sample trackers, and for each assertion in one that passes and one that fails."""

from __future__ import annotations

import warnings

import pytest

from agentassert import Judge, JudgeError
from agentassert.conversations import Conversation, rasa
from tests.conversations.trackers import (
    DATA,
    FixedJudge,
    action,
    bot,
    clarification,
    conversation,
    flow_cancelled,
    flow_completed,
    flow_started,
    slot,
    stored,
    user,
)

CASES = [(part, case) for part in stored("cases") for case in part["cases"]]


@pytest.mark.parametrize(("part", "case"), CASES, ids=lambda one: str(one.get("a", one.get("user"))))
@pytest.mark.filterwarnings("ignore::agentassert.errors.RasaPitfallWarning")
def test_each_case_over_the_sample_trackers_has_its_verdict(part, case):
    judge = FixedJudge(1.0)
    sample = Conversation.from_rasa_tracker(DATA / part["file"])

    failure = rasa.check(sample, case["a"], user=part["user"], step=part["step"], judge=judge)

    assert case["verdict"] == ("judge" if judge.asked else "pass" if failure is None else "fail")
    assert case.get("names", "") in str(failure)
    for asked in judge.asked:
        assert asked["answer"] == case["text"]
        assert asked.get("ground_truth") == case.get("ground_truth")


CARD = "I'd like a library card"
CARD_BUTTONS = [
    {"title": "Adult", "payload": "/SetSlots(card=adult)"},
    {"title": "Child", "payload": "/SetSlots(card=child)"},
]
ASK_KIND = bot("What kind of card would you like?", name="utter_ask_card", buttons=CARD_BUTTONS)
FOUND = bot("A card costs 10 euros a year.", source="EnterpriseSearchPolicy", search_results=["A card costs 10 euros a year."])
REPHRASED = bot(
    "Shall I renew it?", name="utter_ask_renewal", source="ContextualResponseRephraser", domain_ground_truth=["Renew?"]
)

PAIRS = [
    ({"flow_started": "issue_card"}, [flow_started("issue_card")], [flow_started("renew_card")], "issue_card"),
    (
        {"flow_completed": {"flow_id": "pattern_search", "flow_step_id": "look_it_up"}},
        [flow_completed("pattern_search", "look_it_up")],
        [flow_completed("pattern_search", "apologise")],
        "look_it_up",
    ),
    ({"flow_completed": {"flow_id": "renew"}}, [flow_completed("renew", "x")], [flow_completed("other", "x")], "renew"),
    (
        {"flow_cancelled": {"flow_id": "issue_card", "flow_step_id": "pay_fee"}},
        [flow_cancelled("issue_card", "pay_fee")],
        [flow_cancelled("issue_card", "ask_name")],
        "pay_fee",
    ),
    (
        {"pattern_clarification_contains": ["issue a card", "renew a card"]},
        [clarification(issue="issue a card", renew="renew a card")],
        [clarification(issue="issue a card", lose="report a loss")],
        "renew a card",
    ),
    (
        {"pattern_clarification_contains": {"operator": "all", "flow_ids": ["issue", "renew"]}},
        [clarification(renew="renew a card", issue="issue a card")],
        [clarification(issue="issue a card")],
        "renew",
    ),
    (
        {"slot_was_set": [{"name": "branch", "value": "Harbour"}, {"name": "kind", "value": "child"}]},
        [slot("kind", "child"), slot("branch", "Harbour")],
        [slot("kind", "child"), slot("branch", "Old Town")],
        "branch",
    ),
    ({"slot_was_not_set": [{"name": "branch"}]}, [slot("kind", "child")], [slot("branch", "Harbour")], "branch"),
    (
        {"slot_was_not_set": [{"name": "branch", "value": "Harbour"}]},
        [slot("branch", "Old Town")],
        [slot("branch", "Old Town"), slot("branch", "Harbour")],
        "Harbour",
    ),
    ({"action_executed": "action_issue_card"}, [action("action_issue_card")], [action("action_listen")], "action_issue_card"),
    (
        {"bot_uttered": {"utter_name": "utter_ask_card", "text_matches": "What kind of card", "buttons": CARD_BUTTONS}},
        [ASK_KIND],
        [bot("What kind of card?", name="utter_ask_card", buttons=CARD_BUTTONS[::-1])],
        "Adult",
    ),
    ({"bot_uttered": {"text_matches": r"card\?$"}}, [bot("Which card?")], [bot("Which card? Any.")], r"card\?$"),
    ({"bot_did_not_utter": {"utter_name": "utter_bye"}}, [ASK_KIND], [bot("Bye", name="utter_bye")], "utter_bye"),
    ({"bot_did_not_utter": {"text_matches": "sorry"}}, [ASK_KIND], [bot("I am sorry")], "sorry"),
    ({"bot_did_not_utter": {"buttons": [{"title": "No", "payload": "/no"}]}}, [ASK_KIND], [bot("?", buttons=[{"title": "No", "payload": "/no"}])], "No"),
    ({"generative_response_is_relevant": {"threshold": 0.9}}, [FOUND], [ASK_KIND], "EnterpriseSearchPolicy"),
    (
        {"generative_response_is_relevant": {"threshold": 0.9, "utter_name": "utter_ask_renewal"}},
        [FOUND, REPHRASED],
        [FOUND],
        "utter_ask_renewal",
    ),
    (
        {"generative_response_is_grounded": {"threshold": 0.9, "ground_truth": "A card costs 10 euros a year."}},
        [FOUND],
        [],
        "IntentlessPolicy",
    ),
    (
        {"generative_response_is_relevant": {"threshold": 0.9, "utter_source": "action_advise"}},
        [bot("Ask at the desk.", source="action_advise")],
        [FOUND],
        "action_advise",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("assertion", "passing", "failing", "named"), PAIRS, ids=lambda one: next(iter(one), None) if isinstance(one, dict) else ""
)
def test_each_assertion_passes_on_one_tracker_and_fails_on_another_naming_what_it_is_about(assertion, passing, failing, named):
    judge = FixedJudge(0.95)

    assert rasa.check(conversation(user(CARD), *passing), assertion, user=CARD, judge=judge) is None
    failure = rasa.check(conversation(user(CARD), *failing), assertion, user=CARD, judge=judge)
    assert named in str(failure)
    assert CARD in str(failure)


@pytest.mark.parametrize(("score", "passes"), [(0.89, False), (0.9, True)])
@pytest.mark.parametrize("kind", ["relevant", "grounded"])
def test_a_score_passes_from_the_threshold_on(kind, score, passes):
    assertion = {f"generative_response_is_{kind}": {"threshold": 0.9}}

    failure = rasa.check(conversation(user(CARD), FOUND), assertion, user=CARD, judge=FixedJudge(score))

    assert (failure is None) is passes
    assert failure is None or "scored 0.89" in str(failure)


@pytest.mark.filterwarnings("ignore::agentassert.errors.RasaPitfallWarning")
@pytest.mark.parametrize(
    ("message", "given", "truth"),
    [
        (FOUND, {"ground_truth": "given"}, "given"),
        (FOUND, {"ground_truth": None}, "A card costs 10 euros a year."),
        (REPHRASED, {}, "Renew?"),
        (bot("Hm", source="IntentlessPolicy"), {}, ""),
        (bot("Hm", source="IntentlessPolicy", search_results=["a", "b"], domain_ground_truth=["c"]), {}, "a\nb"),
        (bot("Hm", source="IntentlessPolicy", domain_ground_truth="one text"), {}, "one text"),
    ],
)
def test_the_ground_truth_is_what_is_given_else_what_was_found_else_what_is_rephrased(message, given, truth):
    judge = FixedJudge(1.0)

    rasa.check(
        conversation(user(CARD), message),
        {"generative_response_is_grounded": {"threshold": 0.5, **given}},
        user=CARD,
        judge=judge,
    )

    assert [one["ground_truth"] for one in judge.asked] == [truth]


def test_relevance_is_about_the_words_of_the_step():
    judge = FixedJudge(1.0)

    rasa.check(conversation(user(CARD), FOUND), {"generative_response_is_relevant": {"threshold": 0.5}}, user=CARD, judge=judge)

    assert judge.asked == [{"question": CARD, "answer": "A card costs 10 euros a year."}]


def test_a_generated_response_without_a_judge_is_a_usage_error():
    with pytest.raises(ValueError, match="generative_response_is_relevant needs a judge"):
        rasa.check(conversation(user(CARD), FOUND), {"generative_response_is_relevant": {"threshold": 0.5}}, user=CARD)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda talk: rasa.check(talk.turn(0), {"action_executed": "x"}, user=CARD),
            "conversation must be a Conversation, but was",
        ),
        (lambda talk: rasa.check(talk, {"action_executed": "x"}, user=None), "user must be the text of a message, but was None"),
        (
            lambda talk: rasa.check(
                talk, {"generative_response_is_relevant": {"threshold": 0.5}}, user=CARD, judge=Judge(lambda prompt: "")
            ),
            "generative_response_is_relevant: judge must score responses, as RatingJudge and StatementJudge do",
        ),
    ],
)
def test_wrong_use_is_told(call, told):
    with pytest.raises(TypeError, match=told):
        call(conversation(user(CARD), FOUND))


def test_a_judge_that_gives_no_number_is_no_verdict():
    assertion = {"generative_response_is_relevant": {"threshold": 0.5}}

    with pytest.raises(JudgeError, match="must be a number"):
        rasa.check(conversation(user(CARD), FOUND), assertion, user=CARD, judge=FixedJudge("good"))


@pytest.mark.parametrize(
    "assertion",
    [
        {"action_executed": "action_session_start"},
        {"slot_was_set": [{"name": "member", "value": True}]},
        {"bot_uttered": {"utter_name": "utter_greet"}},
    ],
)
def test_the_first_step_alone_sees_what_came_before_it(assertion):
    events = [slot("member", True), bot("Welcome", name="utter_greet"), user(CARD), action("x"), user("again"), action("y")]

    assert rasa.check(conversation(*events), assertion, user=CARD, step=0) is None
    assert rasa.check(conversation(*events), assertion, user=CARD, step=1) is not None
    assert rasa.check(conversation(*events), assertion, user="again", step=1) is not None


def test_flows_are_looked_for_in_the_turn_alone_even_in_the_first_step():
    events = [flow_started("welcome"), user(CARD)]

    assert "welcome" in str(rasa.check(conversation(*events), {"flow_started": "welcome"}, user=CARD))


def test_of_several_flows_the_first_listed_one_is_matched():
    events = [flow_started("second"), action("between"), flow_started("first"), action("action_listen")]
    steps = [{"flow_started": {"operator": "Any", "flow_ids": ["first", "second"]}}, {"action_executed": "between"}]

    found = rasa.check_step(conversation(user(CARD), *events), steps, user=CARD, step=1, ordered=True)

    assert found.assertion == 1


@pytest.mark.parametrize(
    ("value", "expected", "passes"), [(2, 2.0, True), (True, 1, True), ("2", 2, False), ([1, {"a": 2}], [1, {"a": 2}], True)]
)
@pytest.mark.filterwarnings("ignore::agentassert.errors.RasaPitfallWarning")
def test_slots_are_compared_as_python_compares(value, expected, passes):
    assertion = {"slot_was_set": [{"name": "n", "value": expected}]}

    assert (rasa.check(conversation(user(CARD), slot("n", value)), assertion, user=CARD) is None) is passes


def test_a_null_that_is_asked_for_is_a_value():
    assertion = {"slot_was_set": [{"name": "n", "value": None}]}

    assert rasa.check(conversation(user(CARD), slot("n", 1)), assertion, user=CARD) is not None
    assert rasa.check(conversation(user(CARD), slot("n", 1), slot("n", None)), assertion, user=CARD) is None


def test_of_several_entries_the_one_that_fails_is_told():
    entries = {"slot_was_set": [{"name": "a"}, {"name": "b"}, {"name": "c"}]}

    found = rasa.check_step(conversation(user(CARD), slot("a", 1)), [{"action_executed": "action_listen"}, entries], user=CARD)

    assert (found.assertion, found.entry, found.passed) == (1, 1, 1)
    assert "'b'" in str(found.failure)


def test_a_step_tells_the_events_that_it_is_about():
    found = rasa.check_step(conversation(user(CARD), action("x"), user("bye")), [], user=CARD)

    assert [one["event"] for one in found.prior] == ["action", "session_started", "action"]
    assert [one.get("name") for one in found.turn] == [None, "x"]


def test_a_message_that_was_never_said_fails_the_step_and_no_assertion():
    found = rasa.check_step(conversation(user(CARD)), [{"action_executed": "x"}], user="I want a card")

    assert found.assertion is None
    assert str(found.failure) == (
        "Expected the conversation to have the user message 'I want a card',\nbut the user said \"I'd like a library card\"."
    )


def test_a_turn_is_found_by_a_part_of_its_metadata():
    talk = conversation(user("yes", place=1), action("one"), user("no"), user("yes", place=2, model="m"), action("two"))

    assert rasa.check(talk, {"action_executed": "two"}, user="yes", metadata={"place": 2}) is None
    failure = rasa.check(talk, {"action_executed": "two"}, user="yes", metadata={"place": 3})
    assert "with the metadata {'place': 3}" in str(failure)


def test_words_are_found_without_the_blanks_around_them():
    assert rasa.check(conversation(user("yes"), action("one")), {"action_executed": "one"}, user="  yes\n") is None


def test_a_verdict_is_found_without_a_warning_where_nothing_is_doubtful():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert rasa.check(conversation(user(CARD), ASK_KIND), {"bot_uttered": {"buttons": CARD_BUTTONS}}, user=CARD) is None
