"""What an assertion on a conversation is called, where a chain says what passed, and where it refuses an argument."""

from __future__ import annotations

import re

import pytest

from agentassert import assert_that, capture, record
from agentassert.assertions.conversation import ConversationAssertion
from agentassert.conversations import Button, Conversation
from tests.assertions.every_assertion import misfits
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
)

JUDGE = FixedJudge(0.75)
FOUND = bot("Open from nine.", name="hours", source="Search", buttons=[{"title": "A", "payload": "/a"}], search_results=["Nine."])
EVENTS = (
    user("Hi"),
    flow_started("f"),
    flow_completed("f", "end"),
    flow_cancelled("g", "ask"),
    clarification(f="see f", g="see g"),
    slot("n", 1),
    action("look"),
    FOUND,
)
SAID = {
    "does_not_have_slot_set('m')": lambda chain: chain.does_not_have_slot_set("m"),
    "has_action_executed('look')": lambda chain: chain.has_action_executed("look"),
    "has_bot_uttered('a message named 'hours' with a text that matches '^Open' with the buttons 'A'')": (
        lambda chain: chain.has_bot_uttered(name="hours", text_matching="^Open", buttons=["A"])
    ),
    "has_clarification_offering('f', 'see g')": lambda chain: chain.has_clarification_offering("f", "see g"),
    "has_flow_cancelled('g')": lambda chain: chain.has_flow_cancelled("g"),
    "has_flow_completed('f')": lambda chain: chain.has_flow_completed("f"),
    "has_flow_started('f')": lambda chain: chain.has_flow_started("f"),
    "has_grounded_response(0.5)": lambda chain: chain.has_grounded_response(0.5, judge=JUDGE),
    "has_no_bot_utterance('a message with a text that matches 'sorry'')": (
        lambda chain: chain.has_no_bot_utterance(text_matching="sorry")
    ),
    "has_relevant_response(0.5)": lambda chain: chain.has_relevant_response(0.5, judge=JUDGE),
    "has_slot_set('n')": lambda chain: chain.has_slot_set("n"),
}
REFUSED = {
    # a call with an argument of another kind, and what it says of it
    "described_as": (lambda chain: chain.described_as(3), "text must be a string"),
    "does_not_have_slot_set": (lambda chain: chain.does_not_have_slot_set(3), "name must be a string"),
    "has_action_executed": (lambda chain: chain.has_action_executed(3), "name must be a string"),
    "has_bot_uttered": (lambda chain: chain.has_bot_uttered(name=3), "name must be a string"),
    "has_clarification_offering": (lambda chain: chain.has_clarification_offering("f", 3), "an option must be a string"),
    "has_flow_cancelled": (lambda chain: chain.has_flow_cancelled(3), "flow must be a string"),
    "has_flow_completed": (lambda chain: chain.has_flow_completed(3), "flow must be a string"),
    "has_flow_started": (lambda chain: chain.has_flow_started(3), "flow must be a string"),
    "has_grounded_response": (lambda chain: chain.has_grounded_response("1", judge=JUDGE), "threshold must be a number"),
    "has_no_bot_utterance": (lambda chain: chain.has_no_bot_utterance(name=3), "name must be a string"),
    "has_relevant_response": (lambda chain: chain.has_relevant_response("1", judge=JUDGE), "threshold must be a number"),
    "has_slot_set": (lambda chain: chain.has_slot_set(3), "name must be a string"),
}
PARTS_REFUSED = [
    (lambda chain: chain.has_flow_completed("f", step=3), "has_flow_completed: step must be a string"),
    (lambda chain: chain.has_flow_cancelled("f", step=3), "has_flow_cancelled: step must be a string"),
    (lambda chain: chain.has_bot_uttered(text_matching=3), "has_bot_uttered: text_matching must be a string"),
    (lambda chain: chain.has_bot_uttered(buttons=[{"title": "A", "url": "/a"}]), "has_bot_uttered: a button is a title"),
    (lambda chain: chain.has_bot_uttered(buttons=[Button(None)]), "has_bot_uttered: a button is a title"),
    (lambda chain: chain.has_bot_uttered(buttons=[3]), "has_bot_uttered: a button is a title"),
    (lambda chain: chain.has_bot_uttered(buttons=[("A", "/a", 1)]), "has_bot_uttered: a button is a title"),
    (lambda chain: chain.has_bot_uttered(buttons=[(3, "/a")]), "has_bot_uttered: a button's title must be a string"),
    (lambda chain: chain.has_bot_uttered(buttons=[{"title": 3}]), "has_bot_uttered: a button's title must be a string"),
    (lambda chain: chain.has_bot_uttered(buttons=[{"payload": "/a"}]), "has_bot_uttered: a button is a title"),
    (lambda chain: chain.has_bot_uttered(buttons={"title": "A"}), "has_bot_uttered: buttons must be a list"),
    (lambda chain: chain.has_bot_uttered(buttons={"A"}), "has_bot_uttered: buttons must be a list"),
    (lambda chain: chain.has_no_bot_utterance(buttons="A"), "has_no_bot_utterance: buttons must be a list"),
    (lambda chain: chain.has_relevant_response(0.5, judge=3), "has_relevant_response: judge must score responses"),
    (lambda chain: chain.has_relevant_response(0.5, judge=JUDGE, name=3), "has_relevant_response: name must be a string"),
    (lambda chain: chain.has_grounded_response(0.5, judge=JUDGE, source=3), "has_grounded_response: source must be a string"),
]
PUBLIC = {name for name in dir(ConversationAssertion) if not name.startswith("_")}


def chain_on_turn():
    return assert_that(conversation(*EVENTS).turn(0))


def test_every_assertion_is_said_and_refuses_an_argument():
    asserting, rows = PUBLIC - {"described_as", "in_order"}, {said.partition("(")[0] for said in SAID}

    assert misfits(asserting, rows, "SAID in this file, a call that passes and how a chain shows it") == []
    assert misfits(PUBLIC - {"in_order"}, REFUSED, "REFUSED in this file") == []


@pytest.mark.parametrize("said", SAID)
def test_a_chain_says_what_passed_as_it_was_written(said):
    chain = chain_on_turn()
    assert repr(chain) == "<ConversationAssertion on turn 0 'Hi', passed: nothing yet>"

    assert SAID[said](chain) is chain
    plain = repr(chain).replace('"', "'").replace("\\'", "'")
    assert plain == f"<ConversationAssertion on turn 0 'Hi', passed: {said}>"


@pytest.mark.parametrize("method", REFUSED)
def test_a_method_that_refuses_an_argument_names_itself(method):
    asked, problem = REFUSED[method]

    with pytest.raises(TypeError, match=f"^{re.escape(method)}: {re.escape(problem)}, but was "):
        asked(chain_on_turn())


@pytest.mark.parametrize(("asked", "problem"), PARTS_REFUSED)
def test_a_part_of_what_is_asked_is_refused_too(asked, problem):
    with pytest.raises(TypeError, match=f"^{re.escape(problem)}"):
        asked(chain_on_turn())


@pytest.mark.parametrize(
    ("asked", "method"),
    [
        (lambda chain: chain.in_order().does_not_have_slot_set("m"), "does_not_have_slot_set"),
        (
            lambda chain: chain.in_order().has_no_bot_utterance(),
            "has_no_bot_utterance: what did not happen has no place in an order; assert it before in_order(), or on a turn",
        ),
        (lambda chain: chain.described_as(""), "described_as: text must not be empty, which describes nothing"),
        (lambda chain: chain.has_bot_uttered(text_matching="("), "has_bot_uttered"),
        (lambda chain: chain.has_bot_uttered(buttons=[""]), "has_bot_uttered: a button's title must not be empty"),
        (lambda chain: chain.has_bot_uttered(buttons=[("", "/a")]), "has_bot_uttered: a button's title must not be empty"),
        (lambda chain: chain.has_bot_uttered(buttons=[{"title": ""}]), "has_bot_uttered: a button's title must not be empty"),
        (lambda chain: chain.has_no_bot_utterance(text_matching="("), "has_no_bot_utterance"),
        (lambda chain: chain.has_bot_uttered(), "has_bot_uttered needs"),
        (lambda chain: chain.has_grounded_response(0.5, judge=JUDGE, ground_truth=" "), "has_grounded_response"),
        (lambda chain: chain.has_relevant_response(0, judge=JUDGE), "has_relevant_response"),
    ],
)
def test_what_could_not_fail_is_refused_by_name(asked, method):
    with pytest.raises(ValueError, match=f"^{re.escape(method)}"):
        asked(chain_on_turn())


@pytest.mark.parametrize("asked", SAID.values())
def test_a_chain_that_asserted_is_checked_whether_it_holds_or_not(asked):
    for chain in (chain_on_turn(), assert_that(Conversation())):
        assert not chain.described_as("x").__agentassert_checked__
        try:
            asked(chain)
        except AssertionError:
            pass
        assert chain.__agentassert_checked__


def test_to_say_where_to_look_is_no_assertion():
    chain = chain_on_turn()

    assert chain.in_order() is chain
    assert not chain.__agentassert_checked__


def test_what_failed_is_not_among_what_passed():
    chain = chain_on_turn()
    with pytest.raises(AssertionError):
        chain.has_action_executed("bow")

    assert (
        repr(chain.has_action_executed("look")) == "<ConversationAssertion on turn 0 'Hi', passed: has_action_executed('look')>"
    )


def test_a_score_that_is_too_low_is_told_with_what_was_judged():
    with pytest.raises(AssertionError) as caught:
        chain_on_turn().has_relevant_response(0.8, judge=JUDGE)
    assert str(caught.value).startswith(
        "Expected turn 0 'Hi' to have given a relevant response, scored 0.8 or more,\n"
        "but it was scored 0.75:\n  the response: 'Open from nine.'\nWhat happened:\n"
    )
    with pytest.raises(AssertionError) as caught:
        chain_on_turn().has_grounded_response(0.8, judge=JUDGE)
    assert "to have given a grounded response, scored 0.8 or more,\nbut it was scored 0.75" in str(caught.value)


def test_a_score_at_the_threshold_is_enough_and_the_chain_goes_on_after_the_message():
    talk = conversation(user("Hi"), FOUND, action("look"))

    assert_that(talk).in_order().has_relevant_response(0.75, judge=JUDGE).has_action_executed("look")
    with pytest.raises(AssertionError, match="Looked at was only what came after"):
        assert_that(conversation(user("Hi"), action("look"), FOUND)).in_order().has_grounded_response(
            0.75, judge=JUDGE
        ).has_action_executed("look")


def test_of_a_turn_whose_agent_failed_the_way_out_is_told():
    with capture(expecting_failure=True) as cap, record.invocation("clerk", input="Hi"):
        raise TimeoutError("no answer")

    with pytest.raises(AssertionError) as caught:
        assert_that(Conversation.from_capture(cap)).has_no_bot_utterance()
    assert str(caught.value) == (
        "Expected the conversation to have been answered by an invocation 'clerk' that completed,\n"
        "but it failed with TimeoutError: no answer.\n"
        "If that is what the test expects, say so first: assert_that(turn.invocation).has_failed_with(…) or "
        "has_failed_with_message_containing(…); then assert on what happened before.\n"
        "What happened:\n  user: 'Hi'"
    )
