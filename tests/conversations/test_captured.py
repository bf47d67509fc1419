"""Any captured agent as a conversation."""

from __future__ import annotations

import pytest
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from agentassert import AdapterError, AgentAssertionError, Capture, NotRecordedError, assert_that, capture, record, recorder
from agentassert.conversation_events import ConversationEvent, ConversationEventKind
from agentassert.conversations import Conversation, rasa
from tests.conversations.trackers import FixedJudge
from tests.factories import captured, invocation, strays


@record.tool
def find(crossing):
    return ["08:00", "10:00"]


@record.tool
def pay(amount):
    raise TimeoutError("no answer")


@record.agent
def clerk(message):
    if "book" in message:
        record.flow("book_ferry")
        find("Moss")
        return "When?"
    record.slot("departure", message)
    try:
        pay(10)
    except TimeoutError:
        record.flow("book_ferry", "cancelled", step="pay")
    return "Sorry, no payment."


def talked():
    with capture() as cap:
        clerk("book a ferry")
        clerk("10:00")
    return cap


def test_each_top_level_invocation_is_a_turn():
    talk = Conversation.from_capture(talked())

    assert [turn.user.text for turn in talk.turns] == ["book a ferry", "10:00"]
    assert [turn.bot_messages[0].text for turn in talk.turns] == ["When?", "Sorry, no payment."]
    assert [turn.invocation.input for turn in talk.turns] == ["book a ferry", "10:00"]
    assert_that(talk.turn(0)).has_flow_started("book_ferry").has_action_executed("find").does_not_have_slot_set("departure")
    assert_that(talk).in_order().has_action_executed("find").has_slot_set("departure", "10:00").has_flow_cancelled(
        "book_ferry", step="pay"
    )


def test_a_tool_that_failed_is_no_action():
    with pytest.raises(AgentAssertionError, match="to have executed the action 'pay',\nbut it executed none"):
        assert_that(Conversation.from_capture(talked()).turn(1)).has_action_executed("pay")


def test_assertions_on_tools_are_a_step_away():
    assert_that(Conversation.from_capture(talked()).turn(1).invocation).has_tool_execution_failed("pay")


def test_rasas_assertions_are_evaluated_on_it_too():
    talk = Conversation.from_capture(talked())

    assert rasa.check(talk, {"flow_cancelled": {"flow_id": "book_ferry", "flow_step_id": "pay"}}, user="10:00", step=1) is None
    assert rasa.check(talk, {"bot_uttered": {"text_matches": "^When"}}, user="book a ferry") is None
    assert "'find'" in str(rasa.check(talk, {"action_executed": "find"}, user="10:00", step=1))


@record.agent
def silent(message):
    return "Yes"


@pytest.mark.parametrize(
    ("assertion", "advice"),
    [
        (lambda chain: chain.has_flow_started("f"), "Call record.flow(…) where one starts, completes or is cancelled."),
        (lambda chain: chain.has_slot_set("n"), "Call record.slot(name, value) where one is set."),
        (lambda chain: chain.has_bot_uttered(name="x"), ""),
    ],
)
def test_it_is_said_how_to_record_what_nobody_could_see(assertion, advice):
    with capture() as cap:
        silent("Hi")

    with pytest.raises(NotRecordedError) as caught:
        assertion(assert_that(Conversation.from_capture(cap).turn(0)))
    assert f"were not recorded, so nobody knows.\n{advice}" in str(caught.value)


def test_tools_whose_outcome_nobody_told_leave_actions_open():
    with capture() as cap, record.invocation("agent", input="Hi"):
        recorder.start_tool("look", {}, adapter="raw").end_unknown("found")

    talk = Conversation.from_capture(cap)
    with pytest.raises(NotRecordedError, match=r"nobody saw whether 'look' succeeded\.\nDecorate the tool with `@record.tool`"):
        assert_that(talk).has_action_executed("look")
    assert rasa.check(talk, {"action_executed": "look"}, user="Hi").kind is NotRecordedError


def test_a_tool_of_which_nobody_saw_the_outcome_leaves_others_alone():
    with capture() as cap, record.invocation("agent", input="Hi"):
        recorder.start_tool("look", {}, adapter="raw").end_unknown("found")
        find("Moss")
    talk = Conversation.from_capture(cap)

    assert_that(talk).has_action_executed("find")
    assert rasa.check(talk, {"action_executed": "find"}, user="Hi") is None
    with pytest.raises(AgentAssertionError, match="but it executed 'find'") as raised:
        assert_that(talk).has_action_executed("pay")
    assert not isinstance(raised.value, NotRecordedError)


def answered_without_words():
    """A loop over a model whose answer nobody saw."""
    with capture() as cap, record.model_call("m", messages=[{"role": "user", "content": "Hi"}]):
        pass
    return Conversation.from_capture(cap)


def test_a_message_that_was_seen_holds_beside_one_that_was_not():
    with capture() as cap:
        silent("Hi")
    seen = Conversation.from_capture(cap).events
    talk = Conversation.from_rasa_tracker([*answered_without_words().events, *seen])

    assert_that(talk).has_bot_uttered(text_matching="Yes")
    with pytest.raises(AgentAssertionError, match="not to have uttered") as raised:
        assert_that(talk).has_no_bot_utterance(text_matching="Yes")
    assert not isinstance(raised.value, NotRecordedError)


def test_an_agent_that_failed_answers_no_assertion_before_its_failure_was_looked_at():
    @record.agent
    def broken(message):
        record.slot("seen", message)
        raise ValueError("no model")

    with capture(expecting_failure=True) as cap:
        broken("Hi")
    turn = Conversation.from_capture(cap).turn(0)

    with pytest.raises(AgentAssertionError) as caught:
        assert_that(turn).has_slot_set("seen")
    assert "answered by an invocation 'broken' that completed,\nbut it failed with ValueError: no model" in str(caught.value)
    assert_that(turn.invocation).has_failed_with(ValueError)
    assert_that(turn).has_slot_set("seen", "Hi").has_no_bot_utterance()


def test_what_is_recorded_outside_every_invocation_belongs_where_it_happened():
    with capture() as cap:
        record.slot("member", True)
        silent("Hi")
        record.slot("member", False)
        silent("Bye")
    talk = Conversation.from_capture(cap)

    assert [[one.value for one in stretch.slots_set] for stretch in talk.stretches] == [[True], [False], []]


def test_what_nested_agents_do_is_part_of_the_turn():
    with capture() as cap, record.invocation("outer", input="Hi") as outer:
        with record.invocation("inner", input="Look") as inner:
            record.tool_execution("look", result=1)
            record.slot("seen", True)
            inner.output = "found"
        outer.output = "done"
    talk = Conversation.from_capture(cap)

    assert_that(talk.turn(0)).in_order().has_action_executed("look").has_slot_set("seen")
    assert [one.text for one in talk.turn(0).bot_messages] == ["done"]


def test_the_words_of_the_user_are_found_in_messages_and_in_the_first_request():
    with capture() as messages, record.invocation("a", input={"messages": [("user", "Hi"), ("ai", "Yes?"), ("user", "Book")]}):
        pass
    with capture() as loop, record.model_call("m", messages=[{"role": "user", "content": "Book"}]) as call:
        call.respond("Done")
    with capture() as mapping, record.invocation("a", input={"amount": 5}):
        pass

    assert [Conversation.from_capture(cap).turn(0).user.text for cap in (messages, loop, mapping)] == [
        "Book",
        "Book",
        '{"amount": 5}',
    ]


def test_a_response_may_rest_on_the_sources_that_were_retrieved():
    judge = FixedJudge(1.0)
    with capture() as cap, record.invocation("a", input="When?") as invocation:
        record.sources(["Open from nine."])
        invocation.output = "At nine."

    assert_that(Conversation.from_capture(cap)).has_grounded_response(0.9, judge=judge).has_relevant_response(0.9, judge=judge)

    assert judge.asked == [
        {"answer": "At nine.", "ground_truth": "Open from nine."},
        {"question": "When?", "answer": "At nine."},
    ]


class Booking(TypedDict, total=False):
    request: str
    crossing: str
    seats: int


def booking_graph():
    def understand(state):
        return {"seats": state.get("seats", 0) + 1, **({"crossing": "Moss"} if "Moss" in state["request"] else {})}

    graph = StateGraph(Booking)
    graph.add_node("understand", understand)
    graph.add_edge(START, "understand")
    return graph.compile(name="booker")


def test_slots_are_what_a_run_of_a_graph_changed_in_its_state():
    graph = booking_graph()
    with capture() as cap:
        first = graph.invoke({"request": "to Moss"})
        graph.invoke({**first, "request": "one more"})
    talk = Conversation.from_capture(cap)

    assert_that(talk.turn(0)).has_slot_set("crossing", "Moss").has_slot_set("seats", 1).does_not_have_slot_set("request")
    assert_that(talk.turn(1)).has_slot_set("seats", 2).does_not_have_slot_set("crossing")


def test_a_state_may_hold_what_has_no_truth_of_its_own():
    class Vector:
        def __eq__(self, other):
            return Vector()

        def __bool__(self):
            raise ValueError("the truth of a vector is ambiguous")

        __hash__ = None

    graph = StateGraph(dict)
    graph.add_node("embed", lambda state: {**state, "vector": Vector()})
    graph.add_edge(START, "embed")
    embedder = graph.compile(name="embedder")
    with capture() as cap:
        embedder.invoke(embedder.invoke({"request": "a"}))

    assert [[one.name for one in turn.slots_set] for turn in Conversation.from_capture(cap).turns] == [["vector"], ["vector"]]


def test_one_agent_that_tells_of_its_state_says_nothing_about_another_one():
    told, other = ({"framework": name, "recorded_by": (name,), "input": name} for name in ("google-adk", "openai-agents"))
    talk = Conversation.from_capture(captured(invocation("shop", **told), invocation("bank", **other)))

    assert_that(talk.turn(0)).does_not_have_slot_set("n")
    for blind in (talk, talk.turn(1)):
        with pytest.raises(NotRecordedError, match="slots were not recorded"):
            assert_that(blind).does_not_have_slot_set("n")


def test_an_agent_that_tells_of_its_state_does_so_below_another_one_too():
    below = invocation("shop", framework="google-adk", recorded_by=("google-adk",))
    talk = Conversation.from_capture(captured(invocation("bank", framework="openai-agents", nested=[below], input="Hi")))

    assert_that(talk.turn(0)).does_not_have_slot_set("n")


def test_a_recording_in_doubt_is_a_conversation_unless_doubt_fails():
    talk = Conversation.from_capture(captured(invocation("a", input="Hi"), notes=("a doubt",)))

    assert talk.turn(0).user.text == "Hi"


def test_a_graph_whose_state_was_seen_says_nothing_about_another_agent():
    with capture() as cap:
        booking_graph().invoke({"request": "to Moss"})
        silent("Hi")
    talk = Conversation.from_capture(cap)

    assert_that(talk.turn(0)).does_not_have_slot_set("cabin")
    assert_that(talk).has_slot_set("crossing", "Moss")
    for chain in (assert_that(talk.turn(1)).does_not_have_slot_set, assert_that(talk).has_slot_set):
        with pytest.raises(NotRecordedError, match="slots were not recorded"):
            chain("cabin")


def test_what_is_recorded_by_hand_in_one_turn_is_in_all_of_them():
    with capture() as cap:
        silent("Hi")
        booking_graph().invoke({"request": "to Moss"})
        clerk("10:00")
    talk = Conversation.from_capture(cap)

    assert_that(talk.turn(0)).does_not_have_slot_set("cabin")
    with pytest.raises(AgentAssertionError, match="but it started none"):
        assert_that(talk.turn(0)).has_flow_started("book_ferry")


def test_what_happened_at_once_keeps_its_order():
    changes = tuple(ConversationEvent(kind=ConversationEventKind.SLOT_SET, name=name, value=1, order=7) for name in "ba")
    outside = tuple(ConversationEvent(kind=ConversationEventKind.SLOT_SET, name=name, value=1, order=0) for name in "dc")
    cap = captured(invocation("a", input="Hi", conversation_events=changes), strays=strays(conversation_events=outside))

    assert [one.name for stretch in Conversation.from_capture(cap).stretches for one in stretch.slots_set] == ["d", "c", "b", "a"]


def test_what_happens_as_a_turn_begins_belongs_to_that_turn():
    change = ConversationEvent(kind=ConversationEventKind.SLOT_SET, name="n", value=1, order=5)
    turns = (
        invocation("a", input="Hi", started_order=1, ended_order=4),
        invocation("a", input="Bye", started_order=5, ended_order=9),
    )
    talk = Conversation.from_capture(captured(*turns, strays=strays(conversation_events=(change,))))

    assert [len(stretch.slots_set) for stretch in talk.stretches] == [0, 0, 1]


def test_what_a_framework_keeps_in_the_state_for_itself_is_no_slot():
    graph = StateGraph(dict)
    graph.add_node("work", lambda state: {"seats": 2, "__mine": 1, "messages": []})
    graph.add_edge(START, "work")
    with capture() as cap:
        graph.compile(name="worker").invoke({"request": "a"})

    assert [one.name for one in Conversation.from_capture(cap).turn(0).slots_set] == ["seats"]


def test_of_an_agent_that_was_given_nothing_the_user_said_nothing():
    with capture() as cap, record.invocation("a"):
        pass

    assert Conversation.from_capture(cap).turn(0).user.text is None


@pytest.mark.parametrize(("on_doubt", "kind"), [("warn", AdapterError), ("fail", AgentAssertionError)])
def test_what_is_wrong_with_a_recording_is_told_line_by_line(on_doubt, kind):
    found = {"faults": ("one broke", "another broke")} if kind is AdapterError else {"notes": ("one broke", "another broke")}
    cap = captured(invocation("a"), on_doubt=on_doubt, **found)

    with pytest.raises(kind) as caught:
        Conversation.from_capture(cap)
    assert str(caught.value) == ("The recording cannot be relied on, so it is no conversation:\n  one broke\n  another broke")
    assert (caught.value.subject, caught.value.actual) == ("the capture", cap.health)
    assert type(caught.value) is kind


def test_slots_and_flows_survive_being_stored():
    cap = talked()

    assert Conversation.from_capture(Capture.from_json(cap.to_json())) == Conversation.from_capture(cap)


@pytest.mark.filterwarnings("ignore:The recording is in doubt")
def test_half_a_record_is_no_conversation():
    with capture() as cap:
        silent("Hi")
        recorder.report_fault("some", RuntimeError("broke"))

    with pytest.raises(AdapterError, match="the some adapter broke"):
        Conversation.from_capture(cap)


def test_other_things_are_refused():
    with capture() as cap:
        pass

    with pytest.raises(ValueError, match="holds no invocation"):
        Conversation.from_capture(cap)
    with pytest.raises(TypeError, match="must be a Capture, but was 7"):
        Conversation.from_capture(7)


def test_a_slot_and_a_flow_are_recorded_in_the_invocation():
    events = [(one.kind, one.name, one.value, one.step) for top in talked().invocations for one in top.conversation_events]

    assert events == [
        ("flow_started", "book_ferry", None, None),
        ("slot_set", "departure", "10:00", None),
        ("flow_cancelled", "book_ferry", None, "pay"),
    ]


def test_a_value_is_recorded_as_it_was_at_that_moment():
    seats = [1]
    with capture() as cap, record.invocation("a"):
        record.slot("seats", seats)
        seats.append(2)

    assert cap.invocation.conversation_events[0].value == [1]


@pytest.mark.parametrize(
    ("misuse", "kind", "message"),
    [
        (lambda: record.slot("", 1), ValueError, "the name of a slot must not be empty"),
        (lambda: record.slot(3, 1), TypeError, "the name of a slot must be a string, but was 3"),
        (
            lambda: record.flow("f", "begun"),
            ValueError,
            "change must be one of 'started', 'completed', 'cancelled', but was 'begun'",
        ),
        (lambda: record.flow("f", step=1), TypeError, "step must be a string or None, but was 1"),
    ],
)
def test_a_slot_or_a_flow_that_is_none_is_refused_even_with_no_capture_open(misuse, kind, message):
    with pytest.raises(kind, match=message):
        misuse()
