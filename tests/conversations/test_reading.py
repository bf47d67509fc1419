"""Reading trackers: everything that assistants and servers do to them, and everything that is no tracker."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentassert.conversations import Button, Conversation, TrackerError, rasa
from tests.conversations.trackers import (
    DATA,
    SESSION,
    action,
    bot,
    conversation,
    flow_cancelled,
    flow_completed,
    flow_started,
    slot,
    stored,
    user,
)


def test_a_reply_a_list_of_events_and_a_file_read_the_same():
    reply = stored("booking")

    read = Conversation.from_rasa_tracker(reply)

    assert read.id == reply["sender_id"]
    assert Conversation.from_rasa_tracker(DATA / "booking.json") == read
    assert Conversation.from_rasa_tracker(str(DATA / "booking.json")) == read
    assert Conversation.from_rasa_tracker(reply["events"]).turns == read.turns


def test_a_turn_holds_what_happened_in_it():
    first, _, last = Conversation.from_rasa_tracker(DATA / "booking.json").turns

    assert first.user.text == "I'd like to book a ferry"
    assert first.user.commands == ({"flow": "book_ferry", "command": "start flow"},)
    (asks,) = first.bot_messages
    assert (asks.text, asks.name) == ("Which crossing would you like?", "utter_ask_ferry_route")
    assert asks.buttons[1] == Button("Moss \u2013 Horten", "/SetSlots(ferry_route=moss_horten)")
    assert next((one.flow, one.step) for one in first.flows_started) == ("book_ferry", "ask_route")
    assert ("book_ferry", "confirm_booking") in [(one.flow, one.step) for one in last.flows_completed]
    assert [(one.value, one.reset) for one in last.slots_set if one.name == "passenger_count"] == [(2.0, False), (None, True)]
    assert "action_reserve_ferry" in [one.name for one in last.actions]


def test_what_comes_before_the_first_message_belongs_to_no_turn():
    read = Conversation.from_rasa_tracker([*SESSION, slot("member", True), user("Hi"), action("greet")])

    assert [one.name for one in read.prior.slots_set] == ["member"]
    assert [one.name for one in read.prior.actions] == ["action_session_start", "action_listen"]
    assert [one.name for one in read.turn(0).actions] == ["greet"]


def test_a_clarification_and_a_cancellation():
    first, _, last = Conversation.from_rasa_tracker(DATA / "clarify_cancel.json").turns

    assert first.clarifications[0].names == ("book a ferry", "change a booking")
    assert first.clarifications[0].flows == ("book_ferry", "change_booking")
    assert [(one.flow, one.step) for one in last.flows_cancelled] == [("book_ferry", "ask_route")]
    assert {one.flow: one.unwound for one in last.flows_completed}["book_ferry"] is True


@pytest.mark.parametrize(
    ("events", "unwound"),
    [
        ([flow_completed("f", "x")], [False]),
        ([flow_cancelled("f", "x"), flow_completed("f", "x")], [True]),
        ([flow_cancelled("f"), flow_started("f"), flow_completed("f", "x")], [False]),
        ([flow_cancelled("f"), flow_started("f"), flow_completed("f", "NEXT:END"), flow_completed("f", "x")], [True, False]),
        ([flow_cancelled("f"), user("go on"), flow_completed("f", "NEXT:END")], [True]),
        ([flow_cancelled("g"), flow_completed("f", "x")], [False]),
    ],
)
def test_a_cancelled_flow_that_is_led_to_its_end_is_told_from_one_that_completes(events, unwound):
    read = conversation(user("Hi"), *events)

    assert [one.unwound for turn in read.turns for one in turn.flows_completed] == unwound


def test_missing_and_null_metadata_extra_keys_and_unknown_kinds_of_event_are_all_kept():
    events = [
        {"event": "user", "text": "Hi", "future": [1]},
        {"event": "holo_gesture", "flow_id": 3},
        {"event": "bot", "text": None, "data": None, "metadata": None},
        {"event": "bot", "text": "Hello", "data": {"buttons": [None, {"title": "A"}]}, "metadata": "broken"},
        {"event": "slot", "name": "n", "metadata": None},
        {"event": "action", "name": None, "action_text": "Hello"},
        {
            "event": "flow_started",
            "flow_id": "pattern_clarification",
            "metadata": {"names": [None, "a"], "clarification_ids": None},
        },
    ]

    turn = Conversation.from_rasa_tracker(events).turn(0)

    assert list(turn.events) == events
    assert [one.text for one in turn.bot_messages] == [None, "Hello"]
    assert turn.bot_messages[1].buttons == (Button("A"),)
    assert turn.slots_set[0].value is None
    assert turn.actions == ()
    assert turn.clarifications[0].names == ("a",)


def test_the_trackers_of_open_source_rasa_read_too():
    events = [
        {"event": "user", "text": "Hi", "parse_data": {"intent": {"name": "greet"}}},
        {"event": "slot", "name": "n", "value": 1},
    ]

    read = Conversation.from_rasa_tracker({"sender_id": "a", "latest_action_name": "x", "events": [*SESSION, *events]})

    assert rasa.check(read, {"slot_was_set": [{"name": "n", "value": 1}]}, user="Hi") is None
    assert "'f'" in str(rasa.check(read, {"flow_started": "f"}, user="Hi"))


PROTOBUF = {"userUttered": {"text": "Hi"}, "timestamp": 1.0, "metadata": {}}

BROKEN = [
    ({"slots": {}}, r"the tracker: \$\.events: is missing, so this is no tracker: it has 'slots'"),
    ({"events": None}, r"\$\.events: is null: ask the server for the tracker with include_events=ALL"),
    ({"events": {}}, r"\$\.events: must be a list, but was \{\}"),
    ([action("a"), "text"], r"\$\[1\]: must be an object, but was 'text'"),
    ([{"name": "n"}], r"\$\[0\]\.event: is missing, so this is no event: it has 'name'"),
    ([{"event": None}], r"\$\[0\]\.event: must be the name of a kind of event, but was None"),
    ([PROTOBUF], r"\$\[0\]: has no 'event', but nests 'userUttered': this is the protobuf form"),
    ([{"event": "slot", "value": 1}], r"\$\[0\]\.name: of a 'slot' event is missing"),
    (
        {"events": [{"event": "user", "text": ["Hi"]}]},
        r"\$\.events\[0\]\.text: of a 'user' event must be a text, but was \['Hi'\]",
    ),
    ([{"event": "flow_started", "flow_id": 3}], r"\$\[0\]\.flow_id: of a 'flow_started' event must be a text, but was 3"),
]


@pytest.mark.parametrize(("tracker", "message"), BROKEN, ids=lambda one: str(one)[:40])
def test_what_is_no_tracker_is_refused_naming_the_place(tracker, message):
    with pytest.raises(TrackerError, match=message):
        Conversation.from_rasa_tracker(tracker)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut_off_is_refused_naming_line_and_column(tmp_path, share):
    whole = json.dumps(stored("booking"), indent=1)
    path = tmp_path / "cut.json"
    path.write_text(whole[: int(len(whole) * share)], "utf-8")

    with pytest.raises(TrackerError, match=r"cut\.json:\d+:\d+: no JSON: .*cut off"):
        Conversation.from_rasa_tracker(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"x\.json:1:1: no JSON"),
        (b"<html>401</html>", r"x\.json:1:1: no JSON: Expecting value$"),
        (b'[{"event": "user"} 1]', r"x\.json:1:20: no JSON: Expecting ',' delimiter$"),
        (
            b'[{"event": "user"}',
            r"x\.json:1:19: no JSON: Expecting ',' delimiter; the file ends in the middle, as if it had been cut",
        ),
        (b'[{"event": "user"},\n', r"x\.json:.*; the file ends in the middle, as if it had been cut off$"),
        (b'{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5}', r"has 'a', 'b', 'c', 'd', 'e'$"),
        (b'{"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6}', r"has 'a', 'b', 'c', 'd', 'e', …$"),
        (b"{}", r"has no keys$"),
        (b"[-", r"x\.json:1:2: no JSON: .*; the file ends in the middle, as if it had been cut off$"),
        (b'{"events": [1]}', r"x\.json: \$\.events\[0\]: must be an object, but was 1$"),
        (b"\xff\xfe\x00", r"x\.json: no text in UTF-8"),
        (b"[" * 100_000, r"x\.json: nested too deeply"),
        (b'"text"', r"x\.json: \$: must be a tracker or a list of events, but was 'text'"),
    ],
)
def test_a_file_that_holds_something_else_is_refused_by_its_name(tmp_path, content, message):
    path = tmp_path / "x.json"
    path.write_bytes(content)

    with pytest.raises(TrackerError, match=message):
        Conversation.from_rasa_tracker(path)


def test_a_file_that_is_not_there_is_an_error_of_its_own(tmp_path):
    with pytest.raises(FileNotFoundError):
        Conversation.from_rasa_tracker(tmp_path / "missing.json")


def test_json_text_and_other_things_are_refused_with_what_is_wanted():
    with pytest.raises(TypeError, match=r"but was JSON text: parse it with json\.loads"):
        Conversation.from_rasa_tracker('{"events": []}')
    with pytest.raises(TypeError, match="must be a tracker, a list of its events, or a path, but was 7"):
        Conversation.from_rasa_tracker(7)


def test_a_turn_that_is_not_there_is_refused_with_those_that_are():
    read = conversation(user("Hi"), user("Bye"))

    assert read.turn(-1).user.text == "Bye"
    with pytest.raises(IndexError, match="there is no turn 2: the conversation has the turns 0 'Hi', 1 'Bye'"):
        read.turn(2)


ANY_EVENT = st.one_of(
    st.builds(user, st.sampled_from(["a", "b"])),
    st.builds(bot, st.sampled_from(["x", None])),
    st.builds(slot, st.sampled_from("mn"), st.integers()),
    st.builds(action, st.sampled_from("kl")),
    st.builds(flow_started, st.sampled_from("fg")),
    st.builds(flow_completed, st.sampled_from("fg"), st.sampled_from(["s", "NEXT:END"])),
    st.builds(flow_cancelled, st.sampled_from("fg")),
    st.just({"event": "unknown"}),
)


@given(st.lists(ANY_EVENT))
def test_no_event_is_lost_or_doubled(events):
    read = Conversation.from_rasa_tracker(events)

    assert [id(one) for one in read.events] == [id(one) for one in events]
    assert len(read.turns) == sum(one["event"] == "user" for one in events)
    assert all(turn.events[0]["event"] == "user" for turn in read.turns)
    for kind, of in [
        ("bot", "bot_messages"),
        ("slot", "slots_set"),
        ("action", "actions"),
        ("flow_completed", "flows_completed"),
    ]:
        records = [one for stretch in read.stretches for one in getattr(stretch, of)]
        assert [one.order for one in records] == [place for place, one in enumerate(events) if one["event"] == kind]


@pytest.mark.filterwarnings("ignore::agentassert.errors.RasaPitfallWarning")
@given(st.lists(ANY_EVENT, min_size=1), st.data())
def test_the_turn_of_a_step_and_what_is_around_it_are_the_whole_tracker(events, data):
    words = data.draw(st.sampled_from(["a", "b"]))
    tracker = [*SESSION, user(words), *events]

    found = rasa.check_step(Conversation.from_rasa_tracker(tracker), [], user=words, metadata={})

    until = len(found.prior) + len(found.turn)
    assert [*found.prior, *found.turn] == tracker[:until]
    assert found.turn[0]["text"] == words
    assert all(one.get("text") == words for one in found.turn if one["event"] == "user")


@pytest.mark.parametrize("text", ["[]", "{}", ' {"events": []}', '\n[{"event": "user"}]'])
def test_json_text_is_no_path(text):
    with pytest.raises(TypeError) as caught:
        Conversation.from_rasa_tracker(text)
    assert str(caught.value) == (
        "tracker must be a tracker, a list of its events, or a path, but was JSON text: parse it with json.loads"
    )


def test_events_may_be_a_tuple_and_a_sender_may_be_missing():
    assert Conversation.from_rasa_tracker((user("Hi"),)).turn(0).user.text == "Hi"
    assert Conversation.from_rasa_tracker({"events": (user("Hi"),)}).id is None
    assert Conversation.from_rasa_tracker({"events": [], "sender_id": None}).id is None
    assert Conversation.from_rasa_tracker({"events": [], "sender_id": 7}).id == "7"


def test_an_event_that_is_nested_without_end_is_refused():
    deep = "[" * 101 + "]" * 101
    events = json.loads(f'[{{"event": "user", "text": "Hi"}}, {{"event": "slot", "name": "seats", "value": {deep}}}]')
    with pytest.raises(TrackerError, match=r"the tracker: \$\[1\]: is nested deeper than 100 levels"):
        Conversation.from_rasa_tracker(events)

    endless = []
    endless.append(endless)
    with pytest.raises(TrackerError, match="is nested deeper than 100 levels"):
        Conversation.from_rasa_tracker([{"event": "slot", "name": "seats", "value": endless}])
