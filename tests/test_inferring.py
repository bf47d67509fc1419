"""Which tool executions are inferred from what a loop over a raw SDK sends and receives."""

from __future__ import annotations

import threading

import pytest

from agentassert import AgentAssertionError, Capture, NotRecordedError, Outcome, assert_that, capture, record
from tests.loops import Loop, asked, send, text, told

UNKNOWN, SUCCEEDED, FAILED = Outcome.UNKNOWN, Outcome.SUCCEEDED, Outcome.FAILED
A = ("get", {"id": 1})
B = ("get", {"id": 2})


def inferred(work, **options):
    """The executions after `work`, each with what was found out about it."""
    with capture(**options) as cap:
        work()
    return seen(cap)


def seen(cap):
    return [(one.name, one.arguments, one.result, one.outcome) for one in cap.invocation.tool_executions if one.inferred]


def got(number, result, outcome=UNKNOWN):
    return "get", {"id": number}, result, outcome


def test_a_result_that_is_sent_back_is_an_execution():
    def work():
        loop = Loop(text("Who booked 1?"))
        loop.ask(A)
        loop.tell(told('{"customer": "Ann"}'))
        loop.ask()

    assert inferred(work) == [got(1, {"customer": "Ann"})]


def test_an_inferred_execution_has_its_place_between_the_response_and_the_request_that_sends_its_result():
    with capture() as cap:
        loop = Loop(text("Who booked 1?"))
        loop.ask(A)
        loop.tell(told("Ann"))
        loop.ask(("pay", {"id": 1}))
        loop.tell(told("paid"))
        loop.ask()

    first, second = cap.invocation.tool_executions
    calls = cap.invocation.model_calls
    assert calls[0].started_order < first.started_order < first.ended_order == calls[1].started_order
    assert calls[1].started_order < second.started_order < second.ended_order == calls[2].started_order
    assert first.inferred
    assert (first.call_id, second.call_id) == ("call_0", "call_0#2")
    assert (first.raw_arguments, first.raw_result, first.attempt, first.duration) == ('{"id": 1}', "Ann", 1, None)
    assert first.started_at > calls[0].started_at
    assert_that(cap).has_tool_requested("get")
    assert all(request.answered for request in cap.invocation.tool_execution_requests)


def test_a_result_that_is_sent_again_and_again_counts_once():
    def work():
        loop = Loop(text("Who booked 1, then 2?"))
        for request in (A, B, A):
            loop.ask(request)
            loop.tell(told("Ann"))
        loop.ask()
        loop.tell(text("And?"))
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Ann"), got(1, "Ann")]


def test_the_first_result_that_answers_a_request_counts():
    def work():
        question = text("Who booked 1?")
        send(question, asks=[A])
        send(question, asked(A), told("Ann"))
        send(question, asked(A), told("Bob"))

    assert inferred(work) == [got(1, "Ann")]


def test_a_request_that_is_made_again_word_for_word_executes_nothing_again():
    def work():
        question = text("Who booked 1?")
        send(question, asks=[A])
        send(question, asked(A), told("Ann"), error=TimeoutError())
        send(question, asked(A), told("Ann"))

    assert inferred(work) == [got(1, "Ann")]


def test_parallel_requests_are_joined_by_id_and_stand_in_the_models_order():
    def work():
        loop = Loop(text("Who booked 1 and 2?"))
        loop.ask((*A, "a"), (*B, "b"))
        loop.tell(told("Bob", "b"), told("Ann", "a"))
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


@pytest.mark.parametrize("call_id", ["call_0", None])
def test_requests_of_one_response_without_ids_of_their_own_are_joined_by_position(call_id):
    def work():
        loop = Loop(text("Who booked 1 and 2?"))
        loop.ask((*A, call_id), (*B, call_id))
        loop.tell(told("Ann", call_id), told("Bob", call_id))
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


def test_results_without_ids_are_joined_by_position():
    def work():
        loop = Loop(text("Who booked 1 and 2?"))
        loop.ask((*A, "a"), (*B, "b"))
        loop.tell(told("Ann", None), told("Bob", None))
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


def test_results_with_and_without_ids_are_joined_together():
    def work():
        loop = Loop(text("Who booked 1 and 2?"))
        loop.ask((*A, "a"), (*B, "b"))
        loop.tell(told("Ann", "a"), told("Bob", None))
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


def test_a_request_that_nothing_answered_may_have_run():
    def work():
        Loop(text("Delete 1")).ask(A)

    assert inferred(work) == [got(1, None)]


def test_a_request_that_nothing_answered_is_not_known_to_have_run():
    with capture() as cap:
        Loop(text("Delete 1")).ask(A)

    (request,) = cap.invocation.tool_execution_requests
    assert not request.answered
    for check in (
        lambda chain: chain.has_no_tool_executions(),
        lambda chain: chain.has_no_tool_executions("get"),
        lambda chain: chain.has_tool_executed("get"),
        lambda chain: chain.has_no_more_tool_executions(),
    ):
        with pytest.raises(NotRecordedError, match="which may never have run"):
            check(assert_that(cap))


def test_a_refusal_is_a_result_like_any_other():
    def work():
        loop = Loop(text("Delete 1"))
        loop.ask(A)
        loop.tell(told("You must not do that."))
        loop.ask()

    assert inferred(work) == [got(1, "You must not do that.")]


@record.tool
def delete_account(number):
    return f"deleted {number}"


@pytest.mark.parametrize(
    ("asked", "is_settled_by_decorating"),
    [(("close_account", {"id": 1}), True), (("delete_account", {"number": 1}), False), (("close_account", "no JSON"), False)],
    ids=["another function", "a function that is decorated", "arguments that no function takes"],
)
def test_a_refusal_can_be_said_to_be_one_and_the_message_says_how(asked, is_settled_by_decorating):
    def loop(*decisions):
        with capture() as cap:
            loop = Loop(text("Delete 1"))
            loop.ask(asked)
            for decision in decisions:
                record.approval(*asked, decision=decision)
            loop.tell(told("Not allowed."))
            loop.ask()
        return cap

    how = 'was sent back: if your loop refused to run it, say so with `record.approval(tool, arguments, decision="reject")`.'
    with pytest.raises(AgentAssertionError, match=r"but it executed '.*' once") as caught:
        assert_that(loop()).has_no_tool_executions(asked[0])
    assert how in str(caught.value)
    with pytest.raises(NotRecordedError) as caught:
        assert_that(loop()).has_tool_executed(asked[0])
    assert ("Decorate the function" in str(caught.value), how in str(caught.value)) == (
        is_settled_by_decorating,
        not is_settled_by_decorating,
    )
    assert_that(loop("reject")).has_no_tool_executions(asked[0])


def test_a_provider_that_has_a_flag_for_failures_says_how_it_ended():
    with capture() as cap:
        loop = Loop(text("Delete 1, 2"))
        loop.ask((*A, "a"), (*B, "b"))
        loop.tell(told("no such booking", "a", failed=True), told("ok", "b", failed=False))
        loop.ask()

    assert seen(cap) == [got(1, "no such booking", FAILED), got(2, "ok", SUCCEEDED)]
    assert cap.invocation.tool_executions[0].error == "no such booking"
    assert_that(cap).has_tool_execution_failed("get").has_tool_executed_times("get", 1).has_no_more_tool_executions()


def test_an_error_that_is_no_text_is_shown_as_json():
    with capture() as cap:
        loop = Loop(text("Delete 1"))
        loop.ask(A)
        loop.tell(told([{"type": "text", "text": "no"}], failed=True))
        loop.ask()

    assert cap.invocation.tool_executions[0].error == '[{"type": "text", "text": "no"}]'


def test_pairs_that_no_response_seen_here_produced_are_no_executions():
    def work():
        loop = Loop(text("Example"), asked(A), told("Ann"), text("Who booked 2?"))
        loop.ask(B)
        loop.tell(told("Bob"))
        loop.ask()

    assert inferred(work) == [got(2, "Bob")]


def test_a_pair_in_a_fixture_is_none_though_a_response_asks_for_the_same():
    def work():
        loop = Loop(text("Example"), asked(A), told("Ann"), text("Who booked 1?"))
        loop.ask(A)
        loop.tell(told("Bob"))
        loop.ask()

    assert inferred(work) == [got(1, "Bob")]


def test_a_fixture_answers_no_request_of_another_loop():
    def work():
        Loop(text("Delete 1")).ask(A)
        Loop(text("Example"), asked(A), told("Ann"), text("Who booked 2?")).ask()

    assert inferred(work) == [got(1, None)]


def test_what_is_put_into_a_history_after_a_real_pair_is_no_execution():
    def work():
        loop = Loop(text("Who booked 1?"))
        loop.ask(A)
        loop.tell(told("Ann"), asked(B), told("Bob"))
        loop.ask()

    assert inferred(work) == [got(1, "Ann")]


def test_interleaved_loops_that_reuse_ids_do_not_mix():
    def work():
        one, other = Loop(text("for Ann")), Loop(text("for Bob"))
        for number in (1, 2):
            one.ask(A)
            other.ask(A)
            other.tell(told(f"Bob {number}"))
            one.tell(told(f"Ann {number}"))
        other.ask()
        one.ask()

    assert inferred(work) == [got(1, "Ann 1"), got(1, "Bob 1"), got(1, "Ann 2"), got(1, "Bob 2")]


def test_identical_interleaved_loops_are_counted_apart():
    def work():
        loops = [Loop(text("Who booked 1?")) for _ in range(3)]
        for request in (A, B):
            for loop in loops:
                loop.ask(request)
                loop.tell(told("Ann"))
        for loop in loops:
            loop.ask()
        for loop in loops:
            loop.tell(text("And?"))
            loop.ask()

    assert inferred(work) == [got(1, "Ann")] * 3 + [got(2, "Ann")] * 3


def test_the_beginning_of_a_history_may_be_cut_off():
    def work():
        loop = Loop(text("instructions"), text("Who booked 1, 2 and 1?"))
        for request, result in ((A, "Ann"), (B, "Bob"), (A, "Cy")):
            loop.ask(request)
            loop.tell(told(result))
            del loop.history[:-2]
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob"), got(1, "Cy")]


def test_a_window_over_equal_turns_counts_each():
    def work():
        loop = Loop(text("Wait until it is done"))
        for _ in range(6):
            loop.ask(A)
            loop.tell(told("not yet"))
            del loop.history[:-4]
        loop.ask()

    assert inferred(work) == [got(1, "not yet")] * 6


def test_a_history_may_be_summed_up():
    def work():
        loop = Loop(text("instructions"), text("Who booked 1 and 2?"))
        for request, result in ((A, "Ann"), (B, "Bob")):
            loop.ask(request)
            loop.tell(told(result))
            loop.history[:-2] = [text(f"What happened before {result}")]
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


def test_a_history_may_begin_with_other_words_each_time():
    def work():
        loop = Loop(text("It is 1 o'clock"), text("Who booked 1?"))
        for hour in range(2, 5):
            loop.ask(A)
            loop.tell(told("Ann"))
            loop.history[0] = text(f"It is {hour} o'clock")
        loop.ask()
        loop.history[0] = text("It is 5 o'clock")
        loop.tell(text("And now?"))
        loop.ask()

    assert inferred(work) == [got(1, "Ann")] * 3


def test_identical_loops_that_begin_with_other_words_each_time_are_counted_apart():
    def work():
        loops = [Loop(text(""), text("Who booked 1?")) for _ in range(2)]
        turn = 0
        for step in range(5):
            for loop in loops if step % 2 else reversed(loops):
                turn += 1
                loop.history[0] = text(f"It is {turn} o'clock")
                if step in (0, 2):
                    loop.ask(A)
                    loop.tell(told("Ann"))
                else:
                    loop.ask()
                    loop.tell(text("And?"))

    assert inferred(work) == [got(1, "Ann")] * 4


def test_what_was_sent_before_answers_no_other_loop_that_waits():
    def work():
        one, other = Loop(text("It is 1"), text("Who booked 1?")), Loop(text("It is 2"), text("Who booked 1?"))
        one.ask(A)
        other.ask(A)
        one.history[0] = text("It is 3")
        one.tell(told("Ann"))
        one.ask()
        one.history[0] = text("It is 4")
        one.tell(text("And?"))
        one.ask()

    assert inferred(work) == [got(1, "Ann"), got(1, None)]


def test_a_result_with_a_message_after_it_is_found_in_a_changed_history_too():
    def work():
        loop = Loop(text("It is 1 o'clock"), text("Who booked 1?"))
        for hour in range(2, 5):
            loop.ask(A)
            loop.tell(told("Ann"), text("Hurry up."))
            loop.history[0] = text(f"It is {hour} o'clock")
        loop.ask()

    assert inferred(work) == [got(1, "Ann")] * 3


def test_old_results_may_be_cleared():
    def work():
        loop = Loop(text("instructions"), text("Who booked 1 and 2?"))
        loop.ask(A)
        loop.tell(told("a long result"))
        loop.ask(B)
        loop.history[-2] = told("[cleared]")
        loop.tell(told("Bob"))
        loop.ask()

    assert inferred(work) == [got(1, "a long result"), got(2, "Bob")]


def test_a_response_may_be_sent_back_in_parts_with_its_thoughts():
    def work():
        question = text("Who booked 1 and 2?")
        requests = (*A, "a"), (*B, "b")
        send(question, asks=requests)
        parts = text("a thought"), asked(requests[0]), text("another thought"), asked(requests[1])
        send(question, *parts, told("Ann", "a"), told("Bob", "b"))

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


@pytest.mark.parametrize("before", [[text("Who booked 1 and 2?")], [text("a summary")], []], ids=["same", "summed up", "cut off"])
def test_each_part_of_a_response_may_be_followed_by_its_own_result(before):
    def work():
        requests = (*A, "call_0"), (*B, "call_0")
        send(text("Who booked 1 and 2?"), asks=requests)
        send(*before, asked(requests[0]), told("Ann"), asked(requests[1]), told("Bob"))

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


def test_requests_that_the_program_dropped_are_not_answered():
    def work():
        send(text("Who booked 1 and 2?"), asks=[(*A, "a"), (*B, "b")])
        send(text("Who booked 1 and 2?"), asked((*A, "a")), told("Ann", "a"))

    assert inferred(work) == [got(1, "Ann"), got(2, None)]


def test_two_responses_may_come_together_in_one_history():
    def work():
        send(text("Who booked 1?"), asks=[(*A, "a")])
        send(text("Who booked 2?"), asks=[(*B, "b")])
        send(text("Sum up"), text("Who booked 1?"), asked((*A, "a")), told("Ann", "a"), asked((*B, "b")), told("Bob", "b"))

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]


def test_results_answer_the_response_that_a_request_goes_on_from():
    def work():
        send(text("Who booked 1?"), asks=[A], response_id="resp_1")
        send(text("Who booked 1?"), asks=[A], response_id="resp_2")
        send(told("Bob"), continues="resp_2", response_id="resp_3")
        send(told("Ann"), continues="resp_1", response_id="resp_4")

    assert inferred(work) == [got(1, "Ann"), got(1, "Bob")]


def test_response_ids_may_repeat():
    def work():
        send(text("Who booked 1?"), asks=[A], response_id="resp")
        for result in ("Ann", "Bob"):
            send(told(result), asks=[A], continues="resp", response_id="resp")
        send(told("Cy"), continues="resp", response_id="resp")

    assert inferred(work) == [got(1, "Ann"), got(1, "Bob"), got(1, "Cy")]


def test_results_of_a_conversation_answer_its_latest_response():
    def work():
        for conversation in ("one", "other"):
            send(text("Who booked 1?"), asks=[A], conversation=conversation)
        send(told("Ann"), asks=[A], conversation="one")
        send(told("Bob"), conversation="other")
        send(told("Cy"), conversation="one")

    assert inferred(work) == [got(1, "Ann"), got(1, "Bob"), got(1, "Cy")]


def test_results_that_stand_for_themselves_answer_nothing():
    def work():
        send(text("Who booked 1?"), asks=[A])
        send(told("Ann"), text("Who booked 2?"))

    assert inferred(work) == [got(1, None)]


def test_a_result_of_an_unknown_id_answers_nothing():
    def work():
        send(text("Who booked 1?"), asks=[(*A, "a")])
        send(text("Who booked 1?"), asked((*A, "a")), told("Ann", "b"))

    assert inferred(work) == [got(1, None)]


def test_arguments_that_are_sent_back_in_another_form_are_the_same():
    def work():
        send(text("Who booked 1?"), asks=[("get", '{"id":1,"full":true}')])
        send(text("Who booked 1?"), asked(("get", '{"full": true, "id": 1}')), told("Ann"))

    assert inferred(work) == [("get", {"id": 1, "full": True}, "Ann", UNKNOWN)]


def test_of_what_a_framework_asks_for_nothing_is_inferred():
    with capture() as cap, record.invocation("support"):
        with record.model_call() as call:
            call.respond(tool_execution_requests=[{"name": "get", "arguments": {"id": 1}}])

    assert cap.invocation.tool_executions == ()


def test_a_failed_call_asks_for_nothing_and_its_results_count():
    def work():
        loop = Loop(text("Who booked 1?"))
        loop.ask(A)
        loop.tell(told("Ann"))
        send(*loop.history, error=TimeoutError())

    assert inferred(work) == [got(1, "Ann")]


def test_loops_of_several_agents_are_kept_apart():
    with capture() as cap:
        for name in ("Ann", "Bob"):
            with record.invocation(name):
                loop = Loop(text("Who booked 1?"))
                loop.ask(A)
                loop.tell(told(name))
                loop.ask()

    assert [[one.result for one in each.tool_executions] for each in cap.invocations] == [["Ann"], ["Bob"]]


def test_what_a_loop_inside_a_tool_runs_is_part_of_the_invocation():
    @record.tool
    def research(topic):
        loop = Loop(text(topic))
        loop.ask(("search", {"q": topic}))
        loop.tell(told("found"))
        loop.ask()

    with capture() as cap, record.invocation("support"):
        research("bookings")

    assert [(one.name, one.inferred) for one in cap.invocation.tool_executions] == [("research", False), ("search", True)]
    assert cap.invocation.tool_execution_requests == ()


@pytest.mark.parametrize("call_id", ["call_0", None])
@pytest.mark.parametrize("decision", ["reject", "timeout"])
def test_what_a_person_did_not_let_run_did_not_run(call_id, decision):
    with capture() as cap:
        loop = Loop(text("Delete 1"))
        loop.ask(A)
        record.approval("get", {"id": 1}, call_id=call_id)
        record.approval("get", {"id": 1}, decision=decision, call_id=call_id)
        loop.tell(told("You must not do that."))
        loop.ask()

    assert_that(cap).has_tool_requested("get").has_no_tool_executions()
    assert [request.answered for request in cap.invocation.tool_execution_requests] == [False]


def test_what_a_person_decided_about_something_else_says_nothing():
    def work():
        loop = Loop(text("Delete 1"))
        loop.ask(A)
        record.approval("get", {"id": 2}, decision="reject")
        loop.tell(told("deleted"))
        loop.ask()

    assert inferred(work) == [got(1, "deleted")]


def test_what_a_person_has_not_decided_on_has_not_run_until_something_is_sent_back():
    def work(*results):
        loop = Loop(text("Delete 1"))
        loop.ask(A)
        record.approval("get", {"id": 1})
        loop.tell(*results)
        if results:
            loop.ask()

    assert inferred(work) == []
    assert inferred(lambda: work(told("deleted"))) == [got(1, "deleted")]


def test_what_a_person_let_run_in_the_end_may_have_run():
    with capture() as cap:
        loop = Loop(text("Delete 1"))
        loop.ask(A)
        for decision in ("reject", "approve"):
            record.approval("get", {"id": 1}, decision=decision)
        loop.tell(told("deleted"))
        loop.ask()

    assert seen(cap) == [got(1, "deleted")]


class TestRecordedTools:
    """Functions that are decorated join the inferred execution."""

    def test_a_recorded_tool_is_the_execution(self):
        @record.tool
        def get(id):
            return "Ann"

        with capture() as cap:
            loop = Loop(text("Who booked 1 and 2?"))
            for request, number in ((A, 1), (B, 2)):
                loop.ask(request)
                loop.tell(told(get(number)))
            loop.ask()

        found = [(one.arguments, one.result, one.outcome, one.inferred, one.call_id) for one in cap.invocation.tool_executions]
        assert found == [({"id": 1}, "Ann", SUCCEEDED, False, "call_0"), ({"id": 2}, "Ann", SUCCEEDED, False, "call_0#2")]

    def test_recorded_and_other_tools_stand_in_the_models_order(self):
        @record.tool
        def get(id):
            return "Ann"

        with capture() as cap:
            loop = Loop(text("Pay and say who booked 1"))
            loop.ask(("pay", {"id": 1}, "a"), ("get", {"id": 1}, "b"), ("pay", {"id": 2}, "c"))
            loop.tell(told("ok", "a"), told(get(1), "b"), told("ok", "c"))
            loop.ask()

        found = [(one.name, one.arguments["id"], one.inferred) for one in cap.invocation.tool_executions]
        assert found == [("pay", 1, True), ("get", 1, False), ("pay", 2, True)]

    @pytest.mark.parametrize(
        ("sent", "passed"),
        [
            ([{"id": "3"}, {"id": "4"}], [{"id": 3}, {"id": 4}]),
            ([{"id": 3}, {"id": 4}], [{"id": "3"}, {"id": "4"}]),
            ([{"id": 3.0}, {"id": 4.0}], [{"id": 3}, {"id": 4}]),
            ([{"id": 3, "loud": "true"}, {"id": 3, "loud": "false"}], [{"id": 3, "loud": True}, {"id": 3, "loud": False}]),
            ([{"id": 3}, {"id": 4}], [{"booking": {"id": 3}}, {"booking": {"id": 4}}]),
            ([{"id": "a b"}, {"id": 4}], [{"id": "A-B"}, {"id": 4}]),
        ],
        ids=["number", "text", "float", "boolean", "model", "anything"],
    )
    def test_a_tool_whose_arguments_are_converted_is_the_execution_whichever_starts_first(self, sent, passed):
        for order in ([0, 1], [1, 0]):
            with capture() as cap:
                loop = Loop(text("Get them"))
                loop.ask(*(("get", arguments, f"c{number}") for number, arguments in enumerate(sent)))
                for number in order:
                    record.tool_execution("get", passed[number], result=number)
                loop.tell(told("0", "c0"), told("1", "c1"))
                loop.ask()

            assert [(one.result, one.call_id, one.inferred) for one in cap.invocation.tool_executions] == [
                (0, "c0", False),
                (1, "c1", False),
            ]

    def test_a_hostile_argument_stands_in_nobodys_way(self):
        class Hostile:
            def __repr__(self):
                raise RuntimeError

        with capture() as cap:
            loop = Loop(text("Get them"))
            loop.ask((*A, "a"), (*B, "b"))
            record.tool_execution("get", {"id": Hostile()}, result="Ann")
            loop.tell(told("Ann", "a"), told("Bob", "b"))
            loop.ask()

        assert [(one.call_id, one.inferred) for one in cap.invocation.tool_executions] == [("a", False), ("b", True)]

    def test_tools_in_threads_are_the_executions(self):
        @record.tool
        def get(id):
            barrier.wait()
            return id

        barrier = threading.Barrier(3)
        with capture() as cap:
            loop = Loop(text("Get them"))
            loop.ask(*(("get", {"id": str(number)}, f"c{number}") for number in range(3)))
            threads = [threading.Thread(target=get, args=(number,)) for number in (2, 0, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            loop.tell(*(told(str(number), f"c{number}") for number in range(3)))
            loop.ask()

        assert [(one.result, one.inferred) for one in cap.invocation.tool_executions] == [(0, False), (1, False), (2, False)]

    def test_an_execution_gives_its_request_up_for_one_that_has_no_other(self):
        with capture() as cap:
            one, other = Loop(text("for Ann")), Loop(text("for Bob"))
            one.ask(("get", {"id": "1"}))
            record.tool_execution("get", {"id": "1.0"}, result="Ann")
            other.ask(("get", {"id": 1}))
            record.tool_execution("get", {"id": "1"}, result="Bob")
            for loop in (one, other):
                loop.tell(told("Ann"))
                loop.ask()

        found = [(one.result, one.call_id, one.inferred) for one in cap.invocation.tool_executions]
        assert found == [("Ann", "call_0", False), ("Bob", "call_0#2", False)]

    def test_no_execution_gives_up_what_it_names_or_takes_what_is_asked_for_later(self):
        with capture() as cap:
            loop = Loop(text("Get 1 and 2"))
            loop.ask((*A, "a"), (*B, "b"))
            record.tool_execution("get", {"id": 1}, call_id="a", result="Ann")
            record.tool_execution("get", {"id": 2}, result="Bob")
            record.tool_execution("get", {"id": 7}, result="Cy")
            loop.tell(told("Ann", "a"), told("Bob", "b"))
            loop.ask(("get", {"id": 3}, "c"))

        found = [(one.result, one.call_id, one.inferred) for one in cap.invocation.tool_executions]
        assert found == [("Ann", "a", False), ("Bob", "b", False), ("Cy", None, False), (None, "c", True)]

    def test_a_refused_request_is_not_what_a_later_execution_answers(self):
        with capture() as cap:
            loop = Loop(text("Delete 1"))
            loop.ask(A)
            loop.tell(told("Not without asking."))
            loop.ask(A)
            record.tool_execution("get", {"id": 1}, result="deleted")
            loop.tell(told("deleted"))
            loop.ask()

        found = [(one.result, one.outcome, one.inferred) for one in cap.invocation.tool_executions]
        assert found == [("Not without asking.", UNKNOWN, True), ("deleted", SUCCEEDED, False)]

    def test_a_tool_that_is_put_off_until_its_result_was_sent_is_still_the_execution(self):
        with capture() as cap:
            loop = Loop(text("Get 1 and 2"))
            loop.ask((*A, "a"), (*B, "b"))
            loop.tell(told("started", "a"), told("started", "b"))
            loop.ask()
            for number in (2, 1):
                record.tool_execution("get", {"id": number}, result="Ann")

        assert [(one.arguments["id"], one.inferred) for one in cap.invocation.tool_executions] == [(1, False), (2, False)]

    def test_an_execution_that_nobody_asked_for_is_one_more(self):
        with capture() as cap:
            loop = Loop(text("Get 1"))
            loop.ask(A)
            loop.tell(told("Ann"))
            loop.ask()
            record.tool_execution("get", {"id": 7}, result="Bob")

        assert [(one.arguments["id"], one.inferred) for one in cap.invocation.tool_executions] == [(1, True), (7, False)]

    def test_each_try_at_a_request_that_names_its_id_is_an_attempt(self):
        with capture() as cap:
            loop = Loop(text("Get 1"))
            loop.ask(A)
            record.tool_execution("get", {"id": 1}, call_id="call_0", error="busy")
            record.tool_execution("get", {"id": 1}, call_id="call_0", result="Ann")
            loop.tell(told("Ann"))
            loop.ask()

        assert [(one.attempt, one.inferred) for one in cap.invocation.tool_executions] == [(1, False), (2, False)]


class TestOpenBlock:
    """While the block is open, more may come."""

    def test_what_nothing_answered_yet_is_unfinished(self):
        with capture() as cap:
            loop = Loop(text("Who booked 1?"))
            loop.ask(A)
            (before,) = cap.invocation.tool_executions
            with pytest.raises(NotRecordedError, match="has not ended"):
                assert_that(cap).has_no_tool_executions("get")
            loop.tell(told("Ann"))
            loop.ask()
            (after,) = cap.invocation.tool_executions

        assert (before.outcome, before.ended_order) == (Outcome.UNFINISHED, None)
        assert (after.outcome, after.result) == (UNKNOWN, "Ann")
        assert before.id == after.id == cap.invocation.tool_executions[0].id

    def test_of_an_agent_that_has_ended_nothing_more_is_to_come(self):
        with capture() as cap:
            with record.invocation("support"):
                Loop(text("Who booked 1?")).ask(A)
            assert cap.invocation.tool_executions[0].outcome is UNKNOWN

    def test_ids_are_unique(self):
        with capture() as cap:
            loop = Loop(text("Get them"))
            loop.ask((*A, "a"), (*B, "b"))
            record.tool_execution("get", {"id": 1}, result="Ann")
            loop.tell(told("Ann", "a"), told("Bob", "b"))
            loop.ask((*A, "a"), (*B, "b"))

        ids = [one.id for one in (*cap.invocation.tool_executions, *cap.invocation.model_calls)]
        assert len(ids) == len(set(ids)) == 6

    def test_what_is_sent_after_the_block_is_not_part_of_it(self):
        loop = Loop(text("Who booked 1?"))
        with capture() as cap:
            loop.ask(A)
        with capture():
            loop.tell(told("Ann"))
            loop.ask()

        assert seen(cap) == [got(1, None)]


def test_a_response_from_before_the_block_is_not_seen_here():
    loop = Loop(text("Who booked 1?"))
    with capture():
        loop.ask(A)
    loop.tell(told("Ann"))
    with capture() as cap:
        loop.ask()

    assert cap.invocation.tool_executions == ()


def test_a_stored_capture_keeps_what_was_inferred():
    with capture() as cap:
        loop = Loop(text("Who booked 1 and 2?"))
        loop.ask((*A, "a"), (*B, "b"))
        loop.tell(told("Ann", "a"))
        loop.ask()

    assert Capture.from_json(cap.to_json()).invocation.tool_executions == cap.invocation.tool_executions


def test_a_long_loop_is_read_in_time_that_grows_with_what_was_sent(monkeypatch):
    from agentassert.recording import inferring

    compared = 0
    common = inferring._common

    def counted(one, one_end, other, other_end):
        nonlocal compared
        same = common(one, one_end, other, other_end)
        compared += same + 1
        return same

    monkeypatch.setattr(inferring, "_common", counted)
    sent = 0
    with capture() as cap:
        loop = Loop(text("It is 0 o'clock"), text("Wait"))
        for hour in range(100):
            loop.ask(A)
            loop.tell(told("not yet"))
            loop.history[0] = text(f"It is {hour} o'clock")
            sent += len(loop.history)
        loop.ask()

    assert len(cap.invocation.tool_executions) == 100
    assert compared <= 2 * sent


BOTH = asked((*A, "a"), (*B, "b"))


def one_by_one(*between, late=("b",)):
    """A loop that sends a result as soon as it has it, though the response asked for both tools at once."""
    question = text("Who booked 1 and 2?")
    send(question, asks=[(*A, "a"), (*B, "b")])
    history = [question, BOTH, told("Ann", "a")]
    send(*history)
    history += [*between, *(told("Bob", call_id) for call_id in late)]
    send(*history)
    send(*history)


@pytest.mark.parametrize("between", [(), (text("Done."),), (text("Done."), text("And 2?"))])
def test_parallel_requests_that_are_answered_one_by_one_are_executions(between):
    assert inferred(lambda: one_by_one(*between)) == [got(1, "Ann"), got(2, "Bob")]


def test_a_result_that_is_put_off_over_several_requests_is_the_answer_of_its_response():
    def work():
        loop = Loop(text("Who booked 1, 2 and 3?"))
        loop.ask((*A, "a"), (*B, "b"), ("get", {"id": 3}, "c"))
        for name, call_id in (("Ann", "a"), ("Bob", "b"), ("Cid", "c")):
            loop.tell(told(name, call_id))
            loop.ask()
            loop.tell(text("Go on."))
            loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob"), got(3, "Cid")]


def test_a_late_result_that_no_request_of_that_response_has_the_id_of_answers_nothing():
    first, second = inferred(lambda: one_by_one(late=("c",)))
    assert (first, second) == (got(1, "Ann"), got(2, None))


def test_a_late_result_after_another_history_answers_nothing():
    def work():
        question = text("Who booked 1 and 2?")
        send(question, asks=[(*A, "a"), (*B, "b")])
        send(question, BOTH, told("Ann", "a"))
        send(text("Another question"), told("Bob", "b"))

    assert inferred(work) == [got(1, "Ann"), got(2, None)]


def test_parallel_requests_of_a_history_that_was_cut_off_are_answered_one_by_one_too():
    def work():
        loop = Loop(text("Long ago"), text("Who booked 1 and 2?"))
        loop.ask((*A, "a"), (*B, "b"))
        del loop.history[0]
        loop.tell(told("Ann", "a"))
        loop.ask()
        loop.tell(told("Bob", "b"))
        loop.ask()

    assert inferred(work) == [got(1, "Ann"), got(2, "Bob")]
