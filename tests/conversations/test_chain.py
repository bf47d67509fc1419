"""The chain over a turn and over a whole conversation: what was meant, rather than what Rasa makes of it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentassert import (
    AgentAssertionError,
    AmbiguousError,
    JudgeError,
    NotRecordedError,
    assert_that,
    capture,
    record,
    soft_assertions,
)
from agentassert.conversations import Button, Conversation
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
    user,
)

ANN, BO = {"title": "Ann", "payload": "/ann"}, {"title": "Bo", "payload": None}


def turn_of(*events):
    return conversation(user("Hi"), *events).turn(0)


HOLDS = [
    (lambda chain: chain.has_flow_started("f"), [flow_started("g"), flow_started("f")]),
    (lambda chain: chain.has_flow_completed("f"), [flow_completed("f", "a")]),
    (lambda chain: chain.has_flow_completed("f", step="b"), [flow_completed("f", "a"), flow_completed("f", "b")]),
    (lambda chain: chain.has_flow_completed("f"), [flow_started("f"), flow_completed("f", "NEXT:END")]),
    (lambda chain: chain.has_flow_cancelled("f", step="b"), [flow_cancelled("f", "b")]),
    (lambda chain: chain.has_clarification_offering("f", "see g"), [clarification(f="see f", g="see g", h="see h")]),
    (lambda chain: chain.has_slot_set("n"), [slot("n", 1), slot("n", None)]),
    (lambda chain: chain.has_slot_set("n", 1), [slot("n", 1.0), slot("n", 2)]),
    (lambda chain: chain.has_slot_set("n", None), [slot("n", None)]),
    (lambda chain: chain.has_slot_set("n", re.compile("^a")), [slot("n", "abc")]),
    (lambda chain: chain.has_slot_set("n", lambda value: value > 2), [slot("n", 3)]),
    (lambda chain: chain.does_not_have_slot_set("n"), [slot("n", None), slot("m", 1)]),
    (lambda chain: chain.does_not_have_slot_set("n", 1), [slot("n", 2)]),
    (lambda chain: chain.has_action_executed("a"), [action("a")]),
    (lambda chain: chain.has_bot_uttered(name="x", text_matching="l+o$", buttons=["Ann", "Bo"]), [bot("hello", name="x", buttons=[ANN, BO])]),
    (lambda chain: chain.has_bot_uttered(buttons=[("Ann", "/ann"), ("Bo", None)]), [bot("?", buttons=[ANN, BO])]),
    (lambda chain: chain.has_bot_uttered(buttons=[ANN, Button("Bo")]), [bot("?", buttons=[ANN, BO])]),
    (lambda chain: chain.has_bot_uttered(buttons=[{"title": "Ann"}]), [bot("?", buttons=[ANN])]),
    (lambda chain: chain.has_bot_uttered(buttons=[]), [bot("?")]),
    (lambda chain: chain.has_bot_uttered(text_matching=re.compile("HEL", re.IGNORECASE)), [bot(None), bot("hello")]),
    (lambda chain: chain.has_no_bot_utterance(), [action("a")]),
    (lambda chain: chain.has_no_bot_utterance(name="x", text_matching="sorry"), [bot("hello", name="x"), bot("sorry", name="y")]),
    (lambda chain: chain.has_no_bot_utterance(buttons=["Cy"]), [bot("?", buttons=[ANN, BO])]),
]  # fmt: skip

FAILS = [
    (lambda chain: chain.has_flow_started("f"), [flow_started("g")], "to have started the flow 'f',\nbut it started 'g'"),
    (lambda chain: chain.has_flow_completed("f"), [flow_cancelled("f"), flow_completed("f")], "'f' was cancelled, which is no completion"),
    (lambda chain: chain.has_flow_completed("f", step="b"), [flow_completed("f", "a")], "at the step 'b',\nbut it completed it at the step 'a'"),
    (lambda chain: chain.has_flow_cancelled("f"), [], "to have cancelled the flow 'f',\nbut it cancelled none"),
    (lambda chain: chain.has_clarification_offering("f", "g"), [clarification(f="see f")], "offering 'f', 'g',\nbut it offered only"),
    (lambda chain: chain.has_clarification_offering("f"), [flow_started("f")], "but it did not ask"),
    (lambda chain: chain.has_slot_set("n"), [slot("n", None)], "to have set the slot 'n',\nbut it set it to None"),
    (lambda chain: chain.has_slot_set("n", 2), [slot("n", 1), slot("n", 3)], "to have set the slot 'n' to 2,\nbut it set it to 1, then 3"),
    (lambda chain: chain.has_slot_set("n", True), [slot("n", 1)], "to True,\nbut it set it to 1"),
    (lambda chain: chain.has_slot_set("n"), [slot("m", 1)], "but it set 'm'"),
    (lambda chain: chain.has_slot_set("password", "a"), [slot("password", "b")], "to '***',\nbut it set it to '***'"),
    (lambda chain: chain.does_not_have_slot_set("n"), [slot("n", 1), slot("n", None)], "not to have set the slot 'n',\nbut it set it to 1, then None"),
    (lambda chain: chain.does_not_have_slot_set("n", re.compile("^a")), [slot("n", "abc")], "but it set it to 'abc'"),
    (lambda chain: chain.does_not_have_slot_set("n", lambda value: value > 2), [slot("n", 3)], "but it set it to 3"),
    (lambda chain: chain.has_action_executed("a"), [action("b")], "to have executed the action 'a',\nbut it executed 'b'"),
    (lambda chain: chain.has_bot_uttered(name="x", text_matching="two"), [bot("one", name="x"), bot("two")], "named 'x' with a text that matches 'two'"),
    (lambda chain: chain.has_bot_uttered(buttons=["Ann"]), [bot("?", buttons=[ANN, BO])], "with the buttons 'Ann'"),
    (lambda chain: chain.has_bot_uttered(buttons=["Bo", "Ann"]), [bot("?", buttons=[ANN, BO])], "with the buttons 'Bo', 'Ann'"),
    (lambda chain: chain.has_bot_uttered(buttons=[("Ann", "/bo")]), [bot("?", buttons=[ANN])], "'Ann' (/bo)"),
    (lambda chain: chain.has_bot_uttered(buttons=[{"title": "Ann", "payload": "/bo"}]), [bot("?", buttons=[ANN])], "'Ann' (/bo)"),
    (lambda chain: chain.has_bot_uttered(buttons=[Button("Ann", "/bo")]), [bot("?", buttons=[ANN])], "'Ann' (/bo)"),
    (lambda chain: chain.has_bot_uttered(buttons=[("Ann", None)]), [bot("?", buttons=[ANN])], "with the buttons 'Ann'"),
    (lambda chain: chain.has_bot_uttered(buttons=["Ann", "Cy"]), [bot("?", buttons=[ANN, BO])], "with the buttons 'Ann', 'Cy'"),
    (lambda chain: chain.has_bot_uttered(text_matching=r"\?$"), [], "but it uttered nothing"),
    (lambda chain: chain.has_no_bot_utterance(), [bot("Hi")], "not to have uttered a message,\nbut it uttered:\n  bot: 'Hi'"),
    (lambda chain: chain.has_no_bot_utterance(buttons=["Bo", "Cy"]), [bot("?", buttons=[ANN, BO])], "with one of the buttons 'Bo', 'Cy'"),
]  # fmt: skip


@pytest.mark.parametrize(("assertion", "events"), HOLDS)
def test_an_assertion_that_holds_gives_the_chain(assertion, events):
    chain = assert_that(turn_of(*events))

    assert assertion(chain) is chain


@pytest.mark.parametrize(("assertion", "events", "message"), FAILS)
def test_an_assertion_that_does_not_hold_says_what_was_expected_and_what_was_there(assertion, events, message):
    with pytest.raises(AgentAssertionError) as caught:
        assertion(assert_that(turn_of(*events)))

    assert message in str(caught.value)
    assert str(caught.value).startswith("Expected turn 0 'Hi' ")


def test_a_message_ends_with_all_that_happened():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(Conversation.from_rasa_tracker(DATA / "clarify_cancel.json").turn(2)).described_as("cancelling").has_slot_set(
            "x"
        )

    message = str(caught.value)
    assert message.startswith("[cancelling] Expected turn 2 'forget it' to have set the slot 'x',")
    assert "  user: 'forget it'\n    cancelled the flow 'book_ferry' at the step 'ask_route'\n" in message
    assert "led the cancelled flow 'book_ferry' to its end" in message
    assert "bot (utter_flow_cancelled_rasa): 'Okay, stopping book a ferry.'" in message


def test_where_nothing_happened_a_message_says_so():
    with pytest.raises(AgentAssertionError) as caught:
        assert_that(Conversation()).has_action_executed("a")

    assert str(caught.value) == (
        "Expected the conversation to have executed the action 'a',\nbut it executed none.\nWhat happened: nothing"
    )


def test_a_whole_conversation_holds_what_any_part_of_it_holds():
    talk = conversation(slot("member", True), user("Hi"), flow_started("f"), user("Bye"), flow_completed("f"))

    assert_that(talk).has_flow_completed("f").has_flow_started("f").has_slot_set("member")
    with pytest.raises(AgentAssertionError, match="Expected the conversation to have executed the action 'x'"):
        assert_that(talk).has_action_executed("x")
    with pytest.raises(AgentAssertionError):
        assert_that(talk.turn(0)).has_slot_set("member")


def test_a_flow_that_was_cancelled_before_anybody_spoke_did_not_complete():
    greeted = Conversation.from_rasa_tracker([flow_started("f"), flow_cancelled("f"), flow_completed("f"), user("Hi")])

    with pytest.raises(AgentAssertionError, match="'f' was cancelled, which is no completion"):
        assert_that(greeted).has_flow_completed("f")


def test_in_order_each_assertion_is_about_what_comes_after_the_one_before():
    talk = conversation(user("Hi"), action("a"), action("b"), user("Bye"), action("a"))

    assert_that(talk).in_order().has_action_executed("a").has_action_executed("b").has_action_executed("a")
    with pytest.raises(AgentAssertionError, match="Looked at was only what came after the assertion before"):
        assert_that(talk).in_order().has_action_executed("b").has_action_executed("b")


def test_in_order_begins_anew_each_time():
    chain = assert_that(conversation(user("Hi"), action("a"), action("b")))

    chain.in_order().has_action_executed("b").in_order().has_action_executed("a")


@pytest.mark.parametrize(
    "negative", [lambda chain: chain.has_no_bot_utterance(), lambda chain: chain.does_not_have_slot_set("n")]
)
def test_what_did_not_happen_has_no_place_in_an_order(negative):
    with pytest.raises(ValueError, match="has no place in an order"):
        negative(assert_that(turn_of()).in_order())


@given(happened=st.lists(st.sampled_from("abc"), max_size=8), wanted=st.lists(st.sampled_from("abc"), max_size=5))
def test_in_order_is_a_subsequence(happened, wanted):
    chain = assert_that(conversation(user("Hi"), *map(action, happened))).in_order()
    remaining = iter(happened)
    expected = all(any(one == name for one in remaining) for name in wanted)

    try:
        for name in wanted:
            chain.has_action_executed(name)
        holds = True
    except AgentAssertionError:
        holds = False

    assert holds is expected


SLOTS = st.lists(st.tuples(st.sampled_from("mn"), st.sampled_from([None, 1, 1.0, True, "1", [1]])), max_size=6)


@given(changes=SLOTS, value=st.sampled_from([None, 1, True, "1", [1.0]]))
def test_a_slot_was_set_or_was_not(changes, value):
    """Exactly one of the two holds; and which one, an independent comparison says."""
    chain = assert_that(turn_of(*(slot(*one) for one in changes)))
    same = {"None": "None", "1": "1", "1.0": "1", "True": "True", "'1'": "'1'", "[1]": "[1]", "[1.0]": "[1]"}
    was_set = any(name == "n" and same[repr(one)] == same[repr(value)] for name, one in changes)

    holds, wrong = (
        (chain.has_slot_set, chain.does_not_have_slot_set) if was_set else (chain.does_not_have_slot_set, chain.has_slot_set)
    )
    holds("n", value)
    with pytest.raises(AgentAssertionError):
        wrong("n", value)


FOUND = bot("It opens at nine.", name="utter_hours", source="EnterpriseSearchPolicy", search_results=["Open from nine."])


def test_a_relevant_response_answers_the_message_of_its_turn():
    judge = FixedJudge(0.8)

    assert_that(conversation(user("Hi"), user("When?"), FOUND)).has_relevant_response(0.8, judge=judge)

    assert judge.asked == [{"question": "When?", "answer": "It opens at nine."}]
    with pytest.raises(AgentAssertionError, match=r"a relevant response, scored 0.9 or more,\nbut it was scored 0.8"):
        assert_that(turn_of(FOUND)).has_relevant_response(0.9, judge=judge)


@pytest.mark.parametrize(("given_truth", "truth"), [(None, "Open from nine."), ("Closed.", "Closed."), (["a", "b"], "a\n\nb")])
def test_a_grounded_response_rests_on_what_is_given_or_was_recorded(given_truth, truth):
    judge = FixedJudge(1.0)

    assert_that(turn_of(FOUND)).has_grounded_response(0.8, judge=judge, ground_truth=given_truth)

    assert judge.asked == [{"answer": "It opens at nine.", "ground_truth": truth}]


def test_what_a_response_may_rest_on_is_recorded_or_nobody_knows():
    with pytest.raises(NotRecordedError, match="ground_truth"):
        assert_that(turn_of(bot("Hi"))).has_grounded_response(0.8, judge=FixedJudge(1.0))


def test_without_a_message_there_is_nothing_to_judge():
    for judged in (assert_that(turn_of()).has_relevant_response, assert_that(turn_of()).has_grounded_response):
        with pytest.raises(AgentAssertionError, match="but it uttered nothing with a text"):
            judged(0.8, judge=FixedJudge(1.0))


def test_of_several_responses_it_is_said_which_one_is_meant():
    chain = assert_that(turn_of(bot("Hi", name="utter_hi"), FOUND, bot(None)))

    with pytest.raises(AmbiguousError, match="Say which one, with name=… or source=…"):
        chain.has_relevant_response(0.8, judge=FixedJudge(1.0))
    chain.has_relevant_response(0.8, judge=FixedJudge(1.0), name="utter_hi")
    chain.has_grounded_response(0.8, judge=FixedJudge(1.0), source="EnterpriseSearchPolicy")
    with pytest.raises(AgentAssertionError, match="a message named 'utter_bye', which a judge can score"):
        chain.has_relevant_response(0.8, judge=FixedJudge(1.0), name="utter_bye")


def test_a_greeting_answers_no_question():
    greeted = Conversation.from_rasa_tracker([bot("Welcome")])

    with pytest.raises(NotRecordedError, match="no words of the user"):
        assert_that(greeted).has_relevant_response(0.8, judge=FixedJudge(1.0))


def test_a_score_beyond_the_scale_is_no_verdict():
    with pytest.raises(JudgeError):
        assert_that(turn_of(FOUND)).has_relevant_response(0.8, judge=FixedJudge(3))


MISUSES = [
    (lambda chain: chain.has_flow_started(""), ValueError, "has_flow_started: flow must not be empty"),
    (lambda chain: chain.has_flow_completed("f", step=3), TypeError, "has_flow_completed: step must be a string"),
    (lambda chain: chain.has_clarification_offering(), ValueError, "needs at least one option"),
    (lambda chain: chain.has_slot_set("n", int), TypeError, "is the class int"),
    (lambda chain: chain.has_bot_uttered(), ValueError, "needs one of name, text_matching and buttons"),
    (lambda chain: chain.has_bot_uttered(text_matching="("), ValueError, "text_matching is no regular expression"),
    (lambda chain: chain.has_bot_uttered(text_matching=re.compile(b"a")), TypeError, "text_matching must be a string"),
    (
        lambda chain: chain.has_bot_uttered(buttons="Yes"),
        TypeError,
        r"buttons must be a list, but was 'Yes'; write \[...\] around it",
    ),
    (lambda chain: chain.has_bot_uttered(buttons=[{"titel": "Yes"}]), TypeError, "a button is a title"),
    (lambda chain: chain.has_no_bot_utterance(buttons=[]), ValueError, "buttons must name at least one button"),
    (lambda chain: chain.has_relevant_response(0, judge=FixedJudge(1)), ValueError, "threshold must be more than 0"),
    (lambda chain: chain.has_grounded_response(0.5, judge=len), TypeError, "judge must score responses"),
    (lambda chain: chain.has_grounded_response(0.5, judge=FixedJudge(1), ground_truth=" "), ValueError, "must not be blank"),
    (bool, TypeError, "a chain is no condition"),
    (lambda chain: chain.hasFlowStarted("f"), AttributeError, "did you mean 'has_flow_started'"),
]


@pytest.mark.parametrize(("misuse", "kind", "message"), MISUSES)
def test_a_misuse_is_answered(misuse, kind, message):
    with pytest.raises(kind, match=message):
        misuse(assert_that(turn_of(FOUND)))


def test_an_assertion_on_something_else_says_what_to_pass():
    with pytest.raises(
        AttributeError, match=r"pass the conversation, or a turn of it, as in assert_that\(conversation.turn\(0\)\)"
    ):
        assert_that([1]).has_flow_started("f")


def test_failures_are_collected_in_a_soft_block():
    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        assert_that(turn_of()).has_flow_started("f").has_action_executed("a")

    assert len(caught.value.failures) == 2


def test_a_turn_whose_agent_failed_is_told_once_in_a_soft_block():
    with capture(expecting_failure=True) as cap, record.invocation("broken", input="Hi"):
        raise TimeoutError("no answer")

    with pytest.raises(AgentAssertionError) as caught, soft_assertions():
        assert_that(Conversation.from_capture(cap)).has_slot_set("n").has_flow_started("f")

    assert len(caught.value.failures) == 1


def test_a_chain_says_what_passed():
    chain = assert_that(turn_of(action("a"))).has_action_executed("a")

    assert repr(chain) == "<ConversationAssertion on turn 0 'Hi', passed: has_action_executed('a')>"
