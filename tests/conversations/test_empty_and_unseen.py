"""Every assertion on conversations: on turns in which nothing happened, and on turns of which nobody saw what it asks about.

Those of the chain, and those of Rasa's tests. One without a row fails a test.
"""

from __future__ import annotations

import pytest

from agentassert import NOT_RECORDED, AgentAssertionError, NotRecordedError, assert_that
from agentassert.assertions.conversation import ConversationAssertion
from agentassert.conversations import Conversation, Turn, rasa
from agentassert.conversations.rasa.reading import KINDS
from tests.assertions.every_assertion import misfits
from tests.conversations.trackers import FixedJudge, conversation, user
from tests.factories import UNKNOWN, captured, chat, execution, invocation

JUDGE = FixedJudge(1.0)
EVERYTHING = frozenset(
    {"actions", "buttons", "clarifications", "flows", "memory", "messages", "responses", "skills", "slots"},
)


def told():
    """A tracker, which tells of whatever happens: nothing did."""
    return conversation(user("Hi"))


def loop():
    """A loop over a model whose answer nobody saw, and a tool of which nobody reported the outcome."""
    calls = [chat(None, completed=False)]
    ran = execution("look", outcome=UNKNOWN)
    one = invocation("loop", ran, calls=calls, implicit=True, recorded_by=("openai",), input="Hi", output=NOT_RECORDED)
    return Conversation.from_capture(captured(one))


def unseen():
    """A conversation of which its maker says that nobody could see anything."""
    turn = Turn(index=0, events=(user("Hi"),), not_recorded=EVERYTHING)
    return Conversation(turns=(turn,), not_recorded=EVERYTHING)


OF_THE_CHAIN = {
    # how it is called; what it says of a turn in which nothing happened, `None` where it passes; what nobody saw
    "does_not_have_slot_set": (lambda chain: chain.does_not_have_slot_set("n"), None, "slots"),
    "does_not_have_slot_set to a value": (lambda chain: chain.does_not_have_slot_set("n", 1), None, "slots"),
    "has_action_executed": (lambda chain: chain.has_action_executed("look"), "but it executed", "actions"),
    "has_bot_uttered": (lambda chain: chain.has_bot_uttered(text_matching="."), "but it uttered nothing", "messages"),
    "has_bot_uttered named": (lambda chain: chain.has_bot_uttered(name="x"), "but it uttered nothing", "responses"),
    "has_bot_uttered buttons": (lambda chain: chain.has_bot_uttered(buttons=["A"]), "but it uttered nothing", "buttons"),
    "has_bot_uttered no buttons": (lambda chain: chain.has_bot_uttered(buttons=[]), "but it uttered nothing", "buttons"),
    "has_clarification_offering": (lambda chain: chain.has_clarification_offering("f"), "but it did not ask", "clarifications"),
    "has_flow_cancelled": (lambda chain: chain.has_flow_cancelled("f"), "but it cancelled none", "flows"),
    "has_flow_completed": (lambda chain: chain.has_flow_completed("f"), "but it completed none", "flows"),
    "has_flow_started": (lambda chain: chain.has_flow_started("f"), "but it started none", "flows"),
    "has_grounded_response": (
        lambda chain: chain.has_grounded_response(0.5, judge=JUDGE, ground_truth="x"),
        "but it uttered nothing with a text",
        "messages",
    ),
    "has_grounded_response from": (
        lambda chain: chain.has_grounded_response(0.5, judge=JUDGE, source="x"),
        "but it uttered nothing with a text",
        "responses",
    ),
    "has_no_bot_utterance": (lambda chain: chain.has_no_bot_utterance(), None, "messages"),
    "has_no_bot_utterance that": (lambda chain: chain.has_no_bot_utterance(text_matching="."), None, "messages"),
    "has_no_bot_utterance named": (lambda chain: chain.has_no_bot_utterance(name="x"), None, "responses"),
    "has_no_bot_utterance buttons": (lambda chain: chain.has_no_bot_utterance(buttons=["A"]), None, "buttons"),
    "has_relevant_response": (
        lambda chain: chain.has_relevant_response(0.5, judge=JUDGE),
        "but it uttered nothing with a text",
        "messages",
    ),
    "has_slot_set": (lambda chain: chain.has_slot_set("n"), "but it set none", "slots"),
    "has_slot_set to nothing": (lambda chain: chain.has_slot_set("n", None), "but it set none", "slots"),
}
SAYING_WHAT_TO_LOOK_AT = {"described_as", "in_order"}
FLOW = {"flow_id": "f"}
SKILL = {"skill_id": "s"}
BLOCK = {"skill_id": "s", "block_id": "b"}
TOOL = {"tool_name": "t", "source": "local"}
DID_NOT = "but it did not"
OF_RASA = {
    # what is written; what is said of a turn in which nothing happened, `None` where it passes; what nobody saw
    "action_executed": ("look", "but it executed", "actions"),
    "bot_did_not_utter": ({"text_matches": "."}, None, "messages"),
    "bot_did_not_utter named": ({"utter_name": "x"}, None, "responses"),
    "bot_did_not_utter buttons": ({"buttons": [{"title": "A"}]}, None, "buttons"),
    "bot_uttered": ({"text_matches": "."}, "but it uttered:\n  nothing", "messages"),
    "bot_uttered named": ({"utter_name": "x"}, "but it uttered:\n  nothing", "responses"),
    "bot_uttered buttons": ({"buttons": [{"title": "A"}]}, "but it uttered:\n  nothing", "buttons"),
    "flow_cancelled": (FLOW, "but it cancelled none", "flows"),
    "flow_completed": (FLOW, "but it completed none", "flows"),
    "flow_started": ("f", "but it started none", "flows"),
    "generative_response_is_grounded": ({"threshold": 0.5}, "but what it said came from nothing", "responses"),
    "generative_response_is_relevant": ({"threshold": 0.5}, "but what it said came from nothing", "responses"),
    "memory_was_cleared": ([{"name": "n"}], "but it cleared nothing", "memory"),
    "memory_was_not_set": ([{"name": "n"}], None, "memory"),
    "memory_was_set": ([{"name": "n"}], "but it did not set it", "memory"),
    "ordered_block_cancelled": (BLOCK, DID_NOT, "skills"),
    "ordered_block_completed": (BLOCK, DID_NOT, "skills"),
    "ordered_block_entered": (BLOCK, DID_NOT, "skills"),
    "ordered_block_interrupted": (BLOCK, DID_NOT, "skills"),
    "ordered_block_resumed": (BLOCK, DID_NOT, "skills"),
    "pattern_clarification_contains": (["f"], "but it did not ask", "clarifications"),
    "skill_activated": (SKILL, DID_NOT, "skills"),
    "skill_cancelled": (SKILL, DID_NOT, "skills"),
    "skill_completed": (SKILL, DID_NOT, "skills"),
    "skill_interrupted": (SKILL, DID_NOT, "skills"),
    "skill_resumed": (SKILL, DID_NOT, "skills"),
    "slot_was_not_set": ([{"name": "n"}], None, "slots"),
    "slot_was_not_set to a value": ([{"name": "n", "value": 1}], None, "slots"),
    "slot_was_set": ([{"name": "n"}], "but it did not set it", "slots"),
    "slot_was_set to nothing": ([{"name": "n", "value": None}], "but it did not set it", "slots"),
    "tool_executed": (TOOL, "but it executed:\n  nothing", "skills"),
    "tools_within_one_turn": (
        {"calls": [TOOL, TOOL], "allow_extra_calls": True},
        "but it executed:\n  nothing",
        "skills",
    ),
}


def test_every_assertion_has_a_row():
    methods = {name for name in dir(ConversationAssertion) if not name.startswith("_")}
    rows = {row.split()[0] for row in OF_THE_CHAIN} | SAYING_WHAT_TO_LOOK_AT

    assert misfits(methods, rows, "OF_THE_CHAIN in this file: what it says of a turn without anything") == []
    assert misfits(KINDS, {row.split()[0] for row in OF_RASA}, "OF_RASA in this file, likewise") == []


def said(asked, subject):
    """The class and the words of the failure; `None` where it passes."""
    try:
        asked(assert_that(subject))
    except AgentAssertionError as error:
        return type(error), str(error)
    return None


def checked(row, subject):
    """Likewise, of an assertion of Rasa's."""
    failure = rasa.check(subject, {row.split()[0]: OF_RASA[row][0]}, user="Hi", judge=JUDGE)
    return None if failure is None else (failure.kind, str(failure))


def means(found, words, kind=AgentAssertionError):
    return found is None if words is None else found is not None and found[0] is kind and words in found[1]


@pytest.mark.parametrize(
    "subject", [told(), told().turn(0), Conversation(), Conversation.from_rasa_tracker([user("Hi")]).turn(0)]
)
@pytest.mark.parametrize("row", OF_THE_CHAIN)
def test_what_the_chain_says_where_nothing_happened(row, subject):
    asked, words, _ = OF_THE_CHAIN[row]

    assert means(said(asked, subject), words), said(asked, subject)


@pytest.mark.parametrize("row", OF_RASA)
def test_what_rasas_assertions_say_where_nothing_happened(row):
    assert means(checked(row, told()), OF_RASA[row][1]), checked(row, told())


def unknown(kind, in_a_loop):
    """The words for what nobody saw."""
    return "nobody saw whether 'look' succeeded" if in_a_loop and kind == "actions" else f"but {kind} were not recorded"


@pytest.mark.parametrize("made", [loop, unseen])
@pytest.mark.parametrize("row", OF_THE_CHAIN)
def test_the_chain_knows_nothing_of_what_nobody_saw(row, made):
    asked, _, kind = OF_THE_CHAIN[row]

    for subject in (made(), made().turn(0)):
        assert means(said(asked, subject), unknown(kind, made is loop), NotRecordedError), said(asked, subject)


@pytest.mark.parametrize("made", [loop, unseen])
@pytest.mark.parametrize("row", OF_RASA)
def test_rasas_assertions_know_nothing_of_what_nobody_saw(row, made):
    found = checked(row, made())

    assert means(found, unknown(OF_RASA[row][2], made is loop), NotRecordedError), found
