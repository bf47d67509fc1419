"""What is said of each of Rasa's assertions that does not hold, word for word, and what the failure carries."""

from __future__ import annotations

import re

import pytest

from agentassert import JudgeError
from agentassert.conversations import RasaPitfallWarning, rasa
from tests.conversations.test_rasa_mantle import BOOK, LOOK, memory, tool
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

A = {"title": "A", "payload": "/a"}
B = {"title": "B"}
JUDGE = FixedJudge(0.25)
GENERATED = bot("Nine.", name="hours", source="EnterpriseSearchPolicy", search_results=["x"])


def cleared(key):
    return {"event": "memory_cleared", "key": key}


def activated(skill):
    return {"event": "skill_activated", "skill_id": skill}


FAILS = [
    # what is written, what happened, what is said, and what the failure carries: wanted, and actual
    ({"flow_started": "f"}, [], "to have started the flow 'f',\nbut it started none.", ("f",), None),
    (
        {"flow_started": "f"},
        [flow_started("g"), flow_started("h"), flow_started("g")],
        "to have started the flow 'f',\nbut it started 'g', 'h'.",
        ("f",),
        None,
    ),
    (
        {"flow_started": {"operator": "any", "flow_ids": ["f", "g"]}},
        [flow_started("h")],
        "to have started one of the flows 'f', 'g',\nbut it started 'h'.",
        ("f", "g"),
        None,
    ),
    (
        {"flow_completed": {"flow_id": "f"}},
        [flow_completed("g")],
        "to have completed the flow 'f',\nbut it completed 'g'.",
        "f",
        None,
    ),
    (
        {"flow_cancelled": {"flow_id": "f", "flow_step_id": "s"}},
        [],
        "to have cancelled the flow 'f' at the step 's',\nbut it cancelled none.",
        "f",
        None,
    ),
    (
        {"flow_cancelled": {"flow_id": "f", "flow_step_id": "s"}},
        [flow_cancelled("f", "t")],
        "to have cancelled the flow 'f' at the step 's',\nbut it cancelled it at the step 't'.",
        "s",
        "t",
    ),
    (
        {"pattern_clarification_contains": ["a", "b"]},
        [],
        "to have asked which is meant, offering exactly 'a', 'b',\nbut it did not ask.",
        ("a", "b"),
        None,
    ),
    (
        {"pattern_clarification_contains": ["a", "b"]},
        [clarification(f="a", g="c")],
        "to have asked which is meant, offering exactly 'a', 'b',\nbut it offered 'a', 'c'.",
        ("a", "b"),
        ("a", "c"),
    ),
    (
        {"pattern_clarification_contains": {"operator": "all", "flow_ids": ["f", "h"]}},
        [clarification(f="a", g="c")],
        "to have asked which is meant, offering exactly the flows 'f', 'h',\nbut it offered 'f', 'g'.",
        ("f", "h"),
        ("f", "g"),
    ),
    (
        {"pattern_clarification_contains": {"operator": "any", "flow_ids": ["h", "i"]}},
        [clarification()],
        "to have asked which is meant, offering one of the flows 'h', 'i',\nbut it offered nothing.",
        ("h", "i"),
        (),
    ),
    (
        {"action_executed": "a"},
        [action("b"), action("c"), action("b")],
        "to have executed the action 'a',\nbut it executed 'action_session_start', 'action_listen', 'b', 'c'.",
        "a",
        ("action_session_start", "action_listen", "b", "c"),
    ),
    ({"slot_was_set": [{"name": "n"}]}, [], "to have set the slot 'n',\nbut it did not set it.", "n", None),
    (
        {"slot_was_set": [{"name": "n", "value": 1}]},
        [slot("n", 2), slot("n", None)],
        "to have set the slot 'n' to 1,\nbut it set it to 2, then None.",
        1,
        None,
    ),
    (
        {"slot_was_set": [{"name": "password", "value": "a"}]},
        [slot("password", "b")],
        "to have set the slot 'password' to '***',\nbut it set it to '***'.",
        "a",
        "b",
    ),
    ({"slot_was_not_set": [{"name": "n"}]}, [slot("n", 2)], "not to have set the slot 'n',\nbut it set it to 2.", "n", 2),
    (
        {"slot_was_not_set": [{"name": "n", "value": 2}]},
        [slot("n", 2)],
        "not to have set the slot 'n' to 2,\nbut it set it to 2.",
        "n",
        2,
    ),
    (
        {"memory_was_set": [{"name": "n", "value": 1}]},
        [memory("n", 2)],
        "to have set the memory 'n' to 1,\nbut it set it to 2.",
        1,
        2,
    ),
    (
        {"memory_was_not_set": [{"name": "n"}]},
        [memory("n", None)],
        "not to have set the memory 'n',\nbut it set it to None.",
        "n",
        None,
    ),
    (
        {"memory_was_cleared": [{"name": "n"}]},
        [{"event": "memory_cleared", "key": "m"}, {"event": "memory_cleared", "key": "k"}],
        "to have cleared the memory 'n',\nbut it cleared 'm', 'k'.",
        "n",
        None,
    ),
    ({"memory_was_cleared": [{"name": "n"}]}, [], "to have cleared the memory 'n',\nbut it cleared nothing.", "n", None),
    (
        {"bot_uttered": {"utter_name": "x", "text_matches": "hello", "buttons": [A, B]}},
        [bot("Hi", name="y", buttons=[A])],
        "to have uttered the response 'x' and a text that matches 'hello',\nbut it uttered:\n  y: 'Hi' with the buttons 'A' (/a)",
        ["the response 'x'", "a text that matches 'hello'"],
        None,
    ),
    (
        {"bot_uttered": {"buttons": [A, B]}},
        [bot("Hi", name="y", buttons=[B, A]), bot(None)],
        "to have uttered the buttons 'A' (/a), 'B',\nbut it uttered:\n  y: 'Hi' with the buttons 'B', 'A' (/a)\n  None",
        ["the buttons 'A' (/a), 'B'"],
        None,
    ),
    (
        {"bot_uttered": {"utter_name": "x"}},
        [],
        "to have uttered the response 'x',\nbut it uttered:\n  nothing",
        ["the response 'x'"],
        None,
    ),
    (
        {"bot_did_not_utter": {"utter_name": "y", "text_matches": "^Hi", "buttons": [A, B]}},
        [bot("Hi", name="y", buttons=[A])],
        "not to have uttered the response 'y' or a text that matches '^Hi' or the buttons 'A' (/a), 'B',\nbut it uttered:\n  y: 'Hi' with the buttons 'A' (/a)",
        ["the response 'y'", "a text that matches '^Hi'", "the buttons 'A' (/a), 'B'"],
        None,
    ),
    (
        {"bot_did_not_utter": {"buttons": [B]}},
        [bot("Ho", buttons=[A, {"title": "B", "payload": None}])],
        "not to have uttered the buttons 'B',\nbut it uttered:\n  'Ho' with the buttons 'A' (/a), 'B'",
        ["the buttons 'B'"],
        None,
    ),
    (
        {"generative_response_is_relevant": {"threshold": 0.5}},
        [bot("Hi"), bot("Ho", source="x")],
        "to have given a generated response by 'EnterpriseSearchPolicy' or 'ContextualResponseRephraser' or 'IntentlessPolicy',\nbut what it said came from 'TemplatedNaturalLanguageGenerator', 'x'.\nName another source with utter_source.",
        ("EnterpriseSearchPolicy", "ContextualResponseRephraser", "IntentlessPolicy"),
        None,
    ),
    (
        {"generative_response_is_relevant": {"threshold": 0.5}},
        [],
        "to have given a generated response by 'EnterpriseSearchPolicy' or 'ContextualResponseRephraser' or 'IntentlessPolicy',\nbut what it said came from nothing.\nName another source with utter_source.",
        ("EnterpriseSearchPolicy", "ContextualResponseRephraser", "IntentlessPolicy"),
        None,
    ),
    (
        {"generative_response_is_relevant": {"threshold": 0.5, "utter_source": "s"}},
        [bot("Hi")],
        "to have given a generated response by 's',\nbut what it said came from 'TemplatedNaturalLanguageGenerator'.",
        ("s",),
        None,
    ),
    (
        {"generative_response_is_relevant": {"threshold": 0.5, "utter_name": "x"}},
        [GENERATED, bot("y", source="IntentlessPolicy")],
        "to have given a generated response by 'EnterpriseSearchPolicy' or 'ContextualResponseRephraser' or 'IntentlessPolicy' with the name 'x',\nbut there is 'hours', one without a name.",
        "x",
        None,
    ),
    (
        {"generative_response_is_relevant": {"threshold": 0.5}},
        [GENERATED],
        "to have given a relevant response, scored 0.5 or more,\nbut it was scored 0.25:\n  the response: 'Nine.'",
        0.5,
        0.25,
    ),
    (
        {"generative_response_is_grounded": {"threshold": 0.5}},
        [GENERATED],
        "to have given a grounded response, scored 0.5 or more,\nbut it was scored 0.25:\n  the response: 'Nine.'",
        0.5,
        0.25,
    ),
    (
        {"skill_cancelled": {"skill_id": "s", "step_id": "a"}},
        [],
        "to have cancelled the skill with skill_id 's', step_id 'a',\nbut it did not.",
        {"skill_id": "s", "step_id": "a"},
        None,
    ),
    (
        {"skill_cancelled": {"skill_id": "s", "step_id": "a"}},
        [{"event": "skill_cancelled", "skill_id": "s", "step_id": "b"}],
        "to have cancelled the skill with skill_id 's', step_id 'a',\nbut it only did so with:\n  skill_id 's', step_id 'b'",
        {"skill_id": "s", "step_id": "a"},
        None,
    ),
    (
        {"ordered_block_entered": {"skill_id": "s", "block_id": "b"}},
        [],
        "to have entered the ordered block with skill_id 's', block_id 'b',\nbut it did not.",
        {"skill_id": "s", "block_id": "b"},
        None,
    ),
    (
        {"tool_executed": {**LOOK, "arguments": {"a": 1}}},
        [tool("look", a=2), tool("book", server="ferries")],
        "to have executed the tool 'look' (source 'local', arguments {'a': 1}),\nbut it executed:\n  look (local) with {'a': 2}\n  book (mcp) with {}",
        {"tool_name": "look", "source": "local", "arguments": {"a": 1}},
        None,
    ),
    (
        {"tool_executed": BOOK},
        [],
        "to have executed the tool 'book' (source 'mcp', mcp_server 'ferries'),\nbut it executed:\n  nothing",
        {"tool_name": "book", "source": "mcp", "mcp_server": "ferries"},
        None,
    ),
    (
        {"tools_within_one_turn": {"calls": [LOOK, BOOK], "allow_extra_calls": True, "ordered": True}},
        [tool("look")],
        "to have executed the tools 'look' (source 'local'), 'book' (source 'mcp', mcp_server 'ferries') in this order within one turn,\nbut it executed:\n  look (local) with {}",
        "'look' (source 'local'), 'book' (source 'mcp', mcp_server 'ferries')",
        None,
    ),
    (
        {"tools_within_one_turn": {"calls": [LOOK, BOOK], "allow_extra_calls": False}},
        [],
        "to have executed the tools 'look' (source 'local'), 'book' (source 'mcp', mcp_server 'ferries') in any order within one turn, and no others,\nbut it executed:\n  nothing",
        "'look' (source 'local'), 'book' (source 'mcp', mcp_server 'ferries')",
        None,
    ),
]


@pytest.mark.parametrize(("written", "events", "said", "wanted", "actual"), FAILS)
def test_an_assertion_that_does_not_hold_says_what_was_there(written, events, said, wanted, actual):
    failure = rasa.check(conversation(user("Hi"), *events), written, user="Hi", judge=JUDGE)

    assert str(failure) == f"Expected the turn 'Hi' {said}"
    assert (failure.wanted, failure.actual) == (wanted, actual)
    assert type(failure.details) is tuple


def test_a_message_that_was_not_said_tells_which_were():
    talk = conversation(user("Hi", n=1), user("Bye"), user("Hi", n=2))

    failure = rasa.check(talk, {"action_executed": "a"}, user="Hello")
    assert str(failure) == "Expected the conversation to have the user message 'Hello',\nbut the user said 'Hi', 'Bye'."
    assert (failure.wanted, failure.actual) == ("Hello", ("Hi", "Bye"))
    failure = rasa.check(talk, {"action_executed": "a"}, user="Hi", metadata={"n": 3})
    assert str(failure) == (
        "Expected the conversation to have the user message 'Hi' with the metadata {'n': 3},\n"
        "but the metadata was {'n': 1} and {'n': 2}."
    )
    failure = rasa.check(conversation(), {"action_executed": "a"}, user="Hi")
    assert str(failure) == "Expected the conversation to have the user message 'Hi',\nbut the user said nothing."


RELEVANT, GROUNDED = "generative_response_is_relevant", "generative_response_is_grounded"


@pytest.mark.parametrize(
    ("written", "events", "score", "pitfalls"),
    [
        ({RELEVANT: {"threshold": 0.2}}, [GENERATED], 0.25, []),
        ({GROUNDED: {"threshold": 0.2}}, [GENERATED], 0.25, []),
        ({RELEVANT: {"threshold": 1}}, [GENERATED], 1, []),
        ({RELEVANT: {"threshold": 0}}, [GENERATED], 0, ["the threshold 0 is not between 0 and 1: every score reaches it"]),
        ({RELEVANT: {"threshold": -1}}, [GENERATED], 0, ["the threshold -1 is not between 0 and 1: every score reaches it"]),
        ({RELEVANT: {"threshold": 1.5}}, [GENERATED], 1, ["the threshold 1.5 is not between 0 and 1: no score reaches it"]),
        ({RELEVANT: {"threshold": 0.5}}, [GENERATED], 1.5, ["the judge's score 1.5 is not between 0 and 1"]),
        ({RELEVANT: {"threshold": 0.5}}, [GENERATED], -1, ["the judge's score -1 is not between 0 and 1"]),
        (
            {RELEVANT: {"threshold": 0.2}},
            [GENERATED, GENERATED],
            0.25,
            ["2 responses can be meant, and the first is scored: say which by utter_name or utter_source"],
        ),
        (
            {GROUNDED: {"threshold": 0.2}},
            [bot("Nine.", source="IntentlessPolicy")],
            0.25,
            ["nothing is recorded that the response may rest on, so it was scored against an empty text"],
        ),
        (
            {GROUNDED: {"threshold": 0.2, "ground_truth": " "}},
            [GENERATED],
            0.25,
            ["nothing is recorded that the response may rest on, so it was scored against an empty text"],
        ),
        ({GROUNDED: {"threshold": 0.2, "ground_truth": "x"}}, [bot("Nine.", source="IntentlessPolicy")], 0.25, []),
    ],
)
def test_what_is_doubtful_about_a_scored_response(written, events, score, pitfalls):
    assert verdict(events, written, judge=FixedJudge(score))[1] == pitfalls


@pytest.mark.parametrize("score", [True, None, "1", float("nan")])
def test_what_is_no_score_is_no_verdict(score):
    with pytest.raises(JudgeError, match=re.escape("a judge's score must be a number from 0 to 1, but was ")):
        rasa.check(conversation(user("Hi"), GENERATED), {RELEVANT: {"threshold": 0.5}}, user="Hi", judge=FixedJudge(score))


@pytest.mark.parametrize("kind", [RELEVANT, GROUNDED])
def test_a_judge_that_is_missing_or_none_is_asked_for(kind):
    for judge, said in ((None, f"{kind} needs a judge: check(…, judge=RatingJudge(model))"), (len, f"{kind}: judge must score")):
        with pytest.raises((TypeError, ValueError), match=f"^{re.escape(said)}"):
            rasa.check(conversation(user("Hi"), GENERATED), {kind: {"threshold": 0.5}}, user="Hi", judge=judge)


def test_the_same_message_right_after_the_first_is_doubtful():
    talk = conversation(user("Hi", n=1), user("Hi", n=2), action("a"))

    with pytest.warns(RasaPitfallWarning) as warned:
        assert rasa.check(talk, {"action_executed": "a"}, user="Hi", metadata={"n": 1}) is None
    assert [str(one.message) for one in warned] == [
        "the user says 'Hi' again right after, with other metadata, which counts as part of this turn"
    ]


def test_what_was_matched_by_the_end_of_a_flow_has_a_place_in_an_order():
    events = [action("a"), flow_completed("f", "end"), bot("Bye")]
    ends = {"flow_completed": {"flow_id": "f"}}

    assert verdict(events, {"action_executed": "a"}, ends, step=1, ordered=True)[0].passes
    found, _ = verdict(events, ends, {"action_executed": "a"}, step=1, ordered=True)
    assert str(found.failure) == (
        "Expected the turn 'Hi' to have executed the action 'a',\nbut it executed none.\n"
        "The order of this step's assertions counts: what this one asks for may stand before what an earlier one matched."
    )


@pytest.mark.parametrize(
    ("event", "written", "named"),
    [
        (memory("n", 1), {"memory_was_set": [{"name": "n"}]}, "the memory set event 'n'"),
        (tool("look"), {"tool_executed": LOOK}, "the tool executed event 'look'"),
        (slot("n", 1), {"slot_was_set": [{"name": "n"}]}, "the slot event 'n'"),
        (bot("Hello"), {"bot_uttered": {"text_matches": "Hello"}}, "the bot event 'Hello'"),
        (flow_started("f"), {"flow_started": "f"}, "the flow started event 'f'"),
        ({"event": "skill_activated", "skill_id": "s"}, {"skill_activated": {"skill_id": "s"}}, "the skill activated event 's'"),
    ],
)
def test_what_is_out_of_order_is_named(event, written, named):
    found, warned = verdict([event, action("a")], {"action_executed": "a"}, written, step=1, ordered=True)

    assert found.passes
    assert [one.partition(" does not come after")[0] for one in warned] == [named]


def test_what_was_found_before_is_named_too():
    events = [slot("n", 1), action("b"), bot("Bye")]
    found, _ = verdict(events, {"action_executed": "b"}, {"slot_was_set": [{"name": "n"}]}, step=0, ordered=True)

    assert str(found.failure).startswith(
        "Expected the turn 'Hi' to match its assertions in their order,\n"
        "but the slot event 'n' comes before what an earlier one matched.\n"
    )


@pytest.mark.parametrize(
    ("written", "events"),
    [
        ({"tool_executed": {**LOOK, "arguments": {"a": 1, "b": 2}}}, [tool("look", a=1, b=3)]),
        ({"bot_uttered": {"buttons": [A, B]}}, [bot("?", buttons=[A, {"title": "C"}])]),
        ({"slot_was_set": [{"name": "n"}, {"name": "m"}]}, [slot("n", 1)]),
        ({"memory_was_cleared": [{"name": "n"}, {"name": "m"}]}, [{"event": "memory_cleared", "key": "n"}]),
        ({"skill_cancelled": {"skill_id": "s", "step_id": "a"}}, [{"event": "skill_cancelled", "skill_id": "t", "step_id": "a"}]),
    ],
)
def test_a_part_of_what_is_asked_is_not_enough(written, events):
    assert not verdict(events, written)[0].passes


def test_the_turn_ends_where_the_user_says_the_same_again():
    events = user("Hi"), action("a"), user("Hi"), action("b")

    with pytest.warns(RasaPitfallWarning, match="the user says 'Hi' 2 times; this is about the first"):
        failure = rasa.check(conversation(*events), {"action_executed": "b"}, user="Hi", step=1)
    assert "but it executed 'a'" in str(failure)


def test_the_first_step_looks_at_what_was_said_before_it():
    talk = conversation(bot("Sorry"), slot("n", 1), user("Hi"))
    unsaid, said = {"bot_did_not_utter": {"text_matches": "Sorry"}}, {"bot_uttered": {"text_matches": "Sorry"}}

    assert rasa.check(talk, unsaid, user="Hi") is not None
    assert rasa.check(talk, unsaid, user="Hi", step=1) is None
    assert rasa.check(talk, said, user="Hi") is None
    assert rasa.check(talk, said, user="Hi", step=1) is not None
    assert rasa.check(talk, {"slot_was_not_set": [{"name": "n"}]}, user="Hi") is not None
    assert rasa.check(talk, {"slot_was_not_set": [{"name": "n"}]}, user="Hi", step=1) is None


@pytest.mark.parametrize(
    ("first", "second", "written"),
    [
        (flow_completed("f", "a"), flow_completed("f", "b"), {"flow_completed": {"flow_id": "f", "flow_step_id": "a"}}),
        (slot("n", 1), slot("n", 2), {"slot_was_set": [{"name": "n", "value": 1}]}),
        (bot("one"), bot("two"), {"bot_uttered": {"text_matches": "one"}}),
        (action("c"), action("d"), {"action_executed": "c"}),
        (memory("n", 1), memory("n", 2), {"memory_was_set": [{"name": "n", "value": 1}]}),
        (cleared("n"), cleared("m"), {"memory_was_cleared": [{"name": "n"}]}),
        (slot("n", 1), slot("m", 2), {"slot_was_not_set": [{"name": "n", "value": 2}]}),
        (activated("s"), activated("t"), {"skill_activated": {"skill_id": "s"}}),
        (tool("look", n=1), tool("look", n=2), {"tool_executed": {**LOOK, "arguments": {"n": 1}}}),
    ],
)
def test_what_is_matched_is_that_event_and_no_other_like_it(first, second, written):
    events = [action("a"), first, action("b"), second, bot("Bye")]

    assert verdict(events, written, {"action_executed": "b"}, step=1, ordered=True)[0].passes
    assert not verdict(events, written, {"action_executed": "a"}, step=1, ordered=True)[0].passes


@pytest.mark.parametrize("pitfalls", ["ask", None])
def test_what_becomes_of_pitfalls_is_one_of_two(pitfalls):
    with pytest.raises(ValueError, match=f"^pitfalls must be 'warn' or 'fail', but was {pitfalls!r}$"):
        rasa.check(conversation(user("Hi")), {"action_executed": "a"}, user="Hi", pitfalls=pitfalls)


DOUBTFUL = [
    # what is written, what happened, whether Rasa's rules let it pass, and what is doubtful about that
    (
        {"flow_completed": {"flow_id": "f"}},
        [flow_cancelled("f"), flow_completed("f")],
        True,
        ["the flow 'f' did not complete: it was cancelled, and then led to its end"],
    ),
    (
        {"flow_completed": {"flow_id": "f", "flow_step_id": "b"}},
        [flow_completed("f", "a"), flow_completed("f", "b")],
        False,
        ["the flow 'f' completed at the step 'b' later in the turn, but only its first end counts"],
    ),
    (
        {"pattern_clarification_contains": ["a"]},
        [clarification(f="a", g="b")],
        False,
        ["the clarification offers all of these options and more, but Rasa's 'contains' wants exactly these"],
    ),
    ({"slot_was_set": [{"name": "n"}]}, [slot("n", None)], True, ["the slot 'n' was only emptied, which counts as set"]),
    (
        {"slot_was_set": [{"name": "n", "value": 1}]},
        [slot("n", True)],
        True,
        ["the slot 'n' was set to True, which Python takes for equal to 1"],
    ),
    (
        {"memory_was_set": [{"name": "n", "value": 1}]},
        [memory("n", True)],
        True,
        ["the memory 'n' was set to True, which Python takes for equal to 1"],
    ),
    (
        {"slot_was_not_set": [{"name": "n"}]},
        [slot("n", 2), slot("n", None)],
        True,
        ["the slot 'n' was set to 2 on the way, but only what it was set to last counts"],
    ),
    (
        {"slot_was_not_set": [{"name": "n", "value": 2}]},
        [slot("n", 2), slot("n", 3)],
        True,
        ["the slot 'n' was set to 2 on the way, but only what it was set to last counts"],
    ),
    (
        {"bot_uttered": {"utter_name": "x", "text_matches": "Ho"}},
        [bot("Hi", name="x"), bot("Ho")],
        True,
        ["no single message has the response 'x' and a text that matches 'Ho': different ones do"],
    ),
    (
        {"bot_uttered": {"buttons": [A]}},
        [bot("?", buttons=[A, B])],
        True,
        ["the buttons 'A' (/a), 'B' are more than those expected ('A' (/a)): the rest is not compared"],
    ),
    (
        {"bot_uttered": {"buttons": [A, B]}},
        [bot("?", buttons=[A])],
        True,
        ["the buttons 'A' (/a) are fewer than those expected ('A' (/a), 'B'): the rest is not compared"],
    ),
    (
        {"bot_uttered": {"text_matches": "Ho"}},
        [bot(None), bot("Ho")],
        True,
        ["a message without text stands before one that could match 'Ho'; it is passed over"],
    ),
    ({"bot_uttered": {"text_matches": "Ho"}}, [bot("Ho"), bot(None)], True, []),
    (
        {"bot_uttered": {"text_matches": "No"}},
        [bot(None)],
        False,
        ["a message without text stands before one that could match 'No'; it is passed over"],
    ),
]


@pytest.mark.parametrize(("written", "events", "passes", "pitfalls"), DOUBTFUL)
def test_what_is_doubtful_is_said_word_for_word(written, events, passes, pitfalls):
    found, warned = verdict(events, written)

    assert (found.passes, warned) == (passes, pitfalls)


def test_each_doubt_is_said():
    events = [slot("n", None), action("a")]
    _, warned = verdict(events, {"action_executed": "a"}, {"slot_was_set": [{"name": "n"}]}, step=1, ordered=True)

    assert warned == [
        "the slot 'n' was only emptied, which counts as set",
        "the slot event 'n' does not come after what the assertions before matched, which goes unnoticed here",
    ]


def test_messages_that_are_alike_are_told_apart_by_metadata():
    talk = conversation(user("Hi", n=1), action("a"), user("Bye"), user("Hi", n=1))

    for metadata, words in ((None, ""), ({"n": 1}, " with this metadata")):
        with pytest.warns(RasaPitfallWarning) as warned:
            rasa.check(talk, {"action_executed": "a"}, user="Hi", metadata=metadata)
        assert [str(one.message) for one in warned] == [
            f"the user says 'Hi'{words} 2 times; this is about the first: tell them apart by metadata"
        ]


@pytest.mark.parametrize(
    ("written", "event"),
    [
        ({"slot_was_set": [{"name": "n"}, {"name": "m"}]}, slot("n", 1)),
        ({"slot_was_not_set": [{"name": "m"}, {"name": "n"}]}, slot("n", 1)),
        ({"memory_was_cleared": [{"name": "n"}, {"name": "m"}]}, {"event": "memory_cleared", "key": "n"}),
    ],
)
def test_the_entry_that_failed_is_told_by_its_place(written, event):
    assert verdict([event], written)[0].entry == 1


def test_a_slot_may_be_asked_not_to_have_been_emptied_last():
    assert verdict([slot("n", 1)], {"slot_was_not_set": [{"name": "n", "value": None}]})[0].passes
    assert not verdict([slot("n", None)], {"slot_was_not_set": [{"name": "n", "value": None}]})[0].passes


def test_a_message_without_buttons_offers_none_of_those_expected():
    assert not verdict([bot("?")], {"bot_uttered": {"buttons": [A]}})[0].passes
    assert verdict([bot("?")], {"bot_did_not_utter": {"buttons": [A]}})[0].passes


@pytest.mark.parametrize(
    ("first", "second", "written"),
    [
        (flow_completed("f", "a"), flow_completed("g", "a"), {"flow_completed": {"flow_id": "g"}}),
        (slot("n", 1), slot("n", 2), {"slot_was_set": [{"name": "n", "value": 2}]}),
        (slot("n", 1), slot("m", 1), {"slot_was_set": [{"name": "m"}]}),
        (bot("one"), bot("two"), {"bot_uttered": {"text_matches": "two"}}),
        (bot("?", buttons=[A]), bot("?", buttons=[B]), {"bot_uttered": {"buttons": [B]}}),
        (bot("?", name="x"), bot("?", name="y"), {"bot_uttered": {"utter_name": "y"}}),
        (action("c"), action("d"), {"action_executed": "d"}),
        (tool("look", n=1), tool("look", n=2), {"tool_executed": {**LOOK, "arguments": {"n": 2}}}),
        (memory("n", 1), memory("n", 2), {"memory_was_set": [{"name": "n", "value": 2}]}),
    ],
)
def test_what_stands_before_a_later_one_of_its_kind_does_not_come_after_it(first, second, written):
    events = [first, action("b"), second, bot("Bye")]

    assert not verdict(events, written, {"action_executed": "b"}, step=1, ordered=True)[0].passes


def test_buttons_of_another_message_are_told():
    found, warned = verdict([bot("Hi", name="x"), bot("?", buttons=[A])], {"bot_uttered": {"utter_name": "x", "buttons": [A]}})

    assert found.passes
    assert warned == ["no single message has the response 'x' and the buttons 'A' (/a): different ones do"]


@pytest.mark.parametrize(
    ("written", "events"),
    [
        ({"bot_uttered": {"buttons": [A]}}, [bot("?", buttons=[A, B]), bot("?", buttons=[A])]),
        ({"bot_uttered": {"text_matches": "^Which"}}, [bot("Which?", buttons=[A])]),
        ({"flow_completed": {"flow_id": "f"}}, [flow_started("f"), flow_completed("f", "NEXT:END")]),
        ({"slot_was_set": [{"name": "n"}]}, [slot("n", None), slot("n", 1)]),
        ({"slot_was_not_set": [{"name": "n", "value": 2}]}, [slot("n", 1), slot("n", 3)]),
    ],
)
def test_nothing_is_doubtful_about_what_is_meant(written, events):
    found, warned = verdict(events, written)

    assert (found.passes, warned) == (True, [])


def test_where_pitfalls_fail_the_failure_says_which():
    found, warned = verdict([slot("n", None)], {"slot_was_set": [{"name": "n"}]}, pitfalls="fail")

    assert warned == []
    assert str(found.failure) == (
        "Expected the turn 'Hi' to be as meant,\nbut Rasa's rules alone let it pass:\n"
        "  the slot 'n' was only emptied, which counts as set"
    )


@pytest.mark.parametrize(
    ("talk", "message"),
    [([], "^conversation must be a Conversation, but was \\[\\]$"), (None, "^conversation must be a Conversation")],
)
def test_what_is_no_conversation_is_not_checked(talk, message):
    with pytest.raises(TypeError, match=message):
        rasa.check(talk, {"action_executed": "a"}, user="Hi")
