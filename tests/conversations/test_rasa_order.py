"""Steps whose assertions are in order."""

from __future__ import annotations

import itertools
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentassert.conversations import rasa
from tests.conversations.trackers import action, bot, conversation, flow_completed, flow_started, slot, user, verdict

A, B, C = {"action_executed": "a"}, {"action_executed": "b"}, {"action_executed": "c"}


def bot_says(text):
    return {"bot_uttered": {"text_matches": text}}


def ordered(events, *assertions, step=1, **options):
    return verdict(events, *assertions, step=step, ordered=True, **options)


def test_what_is_matched_must_come_in_the_order_of_the_assertions():
    events = [action("a"), action("b"), action("action_listen")]

    assert ordered(events, A, B)[0].passes
    found, warned = ordered(events, B, A)
    assert (found.assertion, warned) == (1, [])
    assert "'a'" in str(found.failure)
    assert "order" in str(found.failure)
    assert verdict(events, B, A, step=1)[0].passes


def test_what_matches_the_last_event_takes_nothing_away_which_is_said():
    found, warned = ordered([action("a"), action("b")], B, A)
    assert (found.passes, len(warned)) == (True, 1)
    assert "'a' does not come after" in warned[0]

    assert "'a' does not come after" in str(ordered([action("a"), action("b")], B, A, pitfalls="fail")[0].failure)


def test_in_the_first_step_what_was_passed_is_found_again_which_is_no_pass():
    found, warned = ordered([action("a"), action("b"), bot("Bye")], B, A, step=0)

    assert (found.assertion, len(warned)) == (1, 1)
    assert "'a' comes before what an earlier one matched" in str(found.failure)
    assert "Rasa itself stops with an error" in warned[0]


def test_in_the_first_step_what_comes_in_order_is_found_before_the_message_too():
    listens = {"action_executed": "action_listen"}

    found, warned = ordered([action("a"), bot("Bye")], listens, A, step=0)

    assert (found.passes, len(warned)) == (True, 1)
    assert "Rasa itself stops with an error" in warned[0]


def test_what_came_only_before_the_message_is_no_match_for_a_later_place():
    found, _ = ordered([action("a"), bot("Bye")], A, {"action_executed": "action_session_start"}, step=0)

    assert found.assertion == 1
    assert "action_session_start" in str(found.failure)


def test_what_did_not_happen_takes_nothing_away():
    nothing = {"bot_did_not_utter": {"text_matches": "sorry"}}, {"slot_was_not_set": [{"name": "n"}]}

    assert ordered([action("a"), action("b"), bot("Bye")], *nothing, A, *nothing, B)[0].passes


def test_a_list_of_slots_takes_everything_up_to_its_last_entry():
    events = [slot("x", 1), slot("y", 1), action("a"), slot("z", 1), bot("Bye")]
    both = {"slot_was_set": [{"name": "z"}, {"name": "x"}]}

    assert ordered(events, both, {"slot_was_set": [{"name": "y"}]}, A)[0].passes
    assert ordered(events, {"slot_was_set": [{"name": "x"}, {"name": "z"}]}, A)[0].assertion == 1


def test_in_the_first_step_every_slot_of_a_list_must_come_in_order():
    events = [slot("x", 1), action("a"), slot("y", 1), bot("Bye")]
    both = {"slot_was_set": [{"name": "x"}, {"name": "y"}]}

    found, warned = ordered(events, A, both, step=0)
    assert (found.passes, len(warned)) == (True, 1)
    assert "'y' does not come after" in warned[0]
    assert ordered(events, A, both, step=0, pitfalls="fail")[0].assertion == 1
    assert ordered(events, both, bot_says("Bye"), step=0, pitfalls="fail")[0].passes


def test_an_equal_event_counts_for_the_matched_one():
    twice = [flow_completed("f", "s"), action("a"), flow_completed("f", "s"), action("b"), bot("Bye")]
    completes = {"flow_completed": {"flow_id": "f"}}

    assert ordered(twice, A, completes, B)[0].passes
    assert ordered(twice, completes, A, completes, B)[0].passes


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (bot("one"), bot("two"), [{"bot_uttered": {"text_matches": text}} for text in ("one", "two")]),
        (
            {"event": "memory_set", "key": "a", "value": 1, "timestamp": 1.0},
            {"event": "memory_set", "key": "b", "value": 1, "timestamp": 2.0},
            [{"memory_was_set": [{"name": name}]} for name in "ab"],
        ),
    ],
)
def test_messages_and_memory_are_in_order_too(first, second, wanted):
    events = [first, second, {"event": "bot_turn_ended"}]

    assert ordered(events, *wanted)[0].passes
    assert ordered(events, *wanted[::-1])[0].assertion == 1


NAMES = st.sampled_from("abc")
EVENTS = st.lists(st.tuples(st.sampled_from(["action", "slot", "flow"]), NAMES), max_size=8)


def event_of(kind, name):
    return {"action": action(name), "slot": slot(name, 1), "flow": flow_started(name)}[kind]


def assertion_of(kind, name):
    return {"action": {"action_executed": name}, "slot": {"slot_was_set": [{"name": name}]}, "flow": {"flow_started": name}}[kind]


def is_subsequence_by_brute_force(wanted, events):
    return any(
        [events[place] for place in places] == wanted for places in itertools.combinations(range(len(events)), len(wanted))
    )


@given(events=EVENTS, wanted=st.lists(st.tuples(st.sampled_from(["action", "slot", "flow"]), NAMES), max_size=5))
def test_order_is_a_subsequence_wherever_no_weak_spot_is_known(events, wanted):
    """Not in the first step, and never matching the last event: there the rules let more pass."""
    turn = [*(event_of(*one) for one in events), {"event": "bot_turn_ended"}]

    found, warned = ordered(turn, *(assertion_of(*one) for one in wanted))

    assert found.passes is is_subsequence_by_brute_force(wanted, events)
    assert warned == []


@given(
    events=EVENTS,
    wanted=st.lists(st.tuples(st.sampled_from(["action", "slot", "flow"]), NAMES), max_size=5),
    step=st.sampled_from([0, 1]),
)
def test_where_pitfalls_fail_order_is_always_a_subsequence(events, wanted, step):
    turn = [event_of(*one) for one in events]

    found, _ = ordered(turn, *(assertion_of(*one) for one in wanted), step=step, pitfalls="fail")

    assert found.passes is is_subsequence_by_brute_force(wanted, events)


@pytest.mark.parametrize("swapped", [False, True])
def test_names_before_the_message_count_in_order_as_well(swapped):
    talk = conversation(slot("x", 1), user("Hi"), slot("y", 1), bot("Bye"))
    wanted = [{"slot_was_set": [{"name": "x"}]}, {"slot_was_set": [{"name": "y"}]}]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = rasa.check_step(talk, wanted[::-1] if swapped else wanted, user="Hi", ordered=True, pitfalls="fail")

    assert found.passes is not swapped
