"""Which request of the model an execution answers, in what order executions stand, and that call ids are unique."""

from __future__ import annotations

import itertools
import threading

import pytest

from agentassert import capture, record, recorder


def asks(*requests):
    """A response that asks for tools, each `(name, arguments)` or `(name, arguments, call_id)`."""
    keys = ("name", "arguments", "call_id")
    with record.model_call() as call:
        call.respond(tool_execution_requests=[dict(zip(keys, request, strict=False)) for request in requests])


def ran(name, arguments=None, call_id=None, **ended):
    record.tool_execution(name, arguments, call_id=call_id, **(ended or {"result": "ok"}))


def executions_of(work):
    with capture() as cap, record.invocation("support"):
        work()
    return [(one.arguments, one.call_id, one.attempt) for one in cap.invocation.tool_executions]


def requests_of(work):
    with capture() as cap, record.invocation("support"):
        work()
    return [(one.name, one.call_id, one.answered) for one in cap.invocation.tool_execution_requests]


def test_an_id_that_every_response_repeats_means_its_latest_request():
    def work():
        for number in (1, 2, 3):
            asks(("get", {"id": number}, "call_0"))
            ran("get", {"id": number}, "call_0")

    assert executions_of(work) == [({"id": 1}, "call_0", 1), ({"id": 2}, "call_0#2", 1), ({"id": 3}, "call_0#3", 1)]
    assert requests_of(work) == [("get", "call_0", True), ("get", "call_0#2", True), ("get", "call_0#3", True)]


def test_an_id_that_one_response_repeats_is_told_apart_by_name_and_arguments():
    def work():
        asks(("get", {"id": 1}, "c"), ("pay", {"id": 1}, "c"), ("get", {"id": 2}, "c"), ("get", {"id": 1}, "c"))
        ran("get", {"id": 2}, "c")
        ran("pay", {"id": 1}, "c")
        ran("get", {"id": 1}, "c")
        ran("get", {"id": 1}, "c")

    assert executions_of(work) == [({"id": 1}, "c", 1), ({"id": 1}, "c#2", 1), ({"id": 2}, "c#3", 1), ({"id": 1}, "c#4", 1)]


def test_a_retry_under_an_id_that_its_response_repeats_is_an_attempt_at_its_own_request():
    def work():
        asks(("get", {"id": 1}, "c"), ("get", {"id": 2}, "c"))
        ran("get", {"id": 1}, "c", error="busy")
        ran("get", {"id": 1}, "c")
        ran("get", {"id": 2}, "c")

    assert executions_of(work) == [({"id": 1}, "c", 1), ({"id": 1}, "c", 2), ({"id": 2}, "c#2", 1)]


def test_edited_arguments_answer_the_request_that_is_left_under_a_repeated_id():
    def work():
        asks(("get", {"id": 1}, "c"), ("get", {"id": 2}, "c"))
        ran("get", {"id": 1}, "c")
        ran("get", {"id": 20}, "c")

    assert executions_of(work) == [({"id": 1}, "c", 1), ({"id": 20}, "c#2", 1)]


def test_retries_of_one_request_share_its_id_and_are_counted_as_attempts():
    def work():
        asks(("get", {"id": 1}, "c1"))
        ran("get", {"id": 1}, "c1", error="busy")
        ran("get", {"id": 1}, "c1", error="busy")
        ran("get", {"id": 1}, "c1")

    assert executions_of(work) == [({"id": 1}, "c1", 1), ({"id": 1}, "c1", 2), ({"id": 1}, "c1", 3)]


def test_without_ids_an_execution_answers_the_first_unanswered_request_of_its_name_and_arguments():
    def work():
        asks(("get", {"id": 1}), ("get", {"id": 2}), ("pay", {"id": 1}))
        ran("pay", {"id": 1})
        ran("get", {"id": 2})
        ran("get", {"id": 1})

    assert executions_of(work) == [({"id": 1}, None, 1), ({"id": 2}, None, 1), ({"id": 1}, None, 1)]
    assert [answered for _, _, answered in requests_of(work)] == [True, True, True]


def test_without_ids_arguments_that_none_asked_for_answer_the_first_unanswered_request_of_the_name():
    def work():
        asks(("get", {"id": 1}), ("get", {"id": 2}))
        ran("get", {"id": 3})

    assert [answered for _, _, answered in requests_of(work)] == [True, False]


def test_a_hand_written_loop_that_passes_no_ids_on_still_gets_those_of_the_requests():
    def work():
        asks(("get", {"id": 1}, "c1"), ("get", {"id": 2}, "c2"))
        ran("get", {"id": 2})
        ran("get", {"id": 1})

    assert executions_of(work) == [({"id": 1}, "c1", 1), ({"id": 2}, "c2", 1)]


def test_without_ids_the_same_request_twice_is_answered_twice():
    def work():
        asks(("get", {"id": 1}), ("get", {"id": 1}))
        ran("get", {"id": 1})
        ran("get", {"id": 1})
        ran("get", {"id": 1})

    assert [answered for _, _, answered in requests_of(work)] == [True, True]
    assert len(executions_of(work)) == 3


@pytest.mark.parametrize("order", [*itertools.permutations(range(3))], ids=str)
def test_parallel_tools_stand_in_the_models_order_whichever_started_first(order):
    def work():
        asks(("get", {"id": 0}, "c0"), ("get", {"id": 1}, "c1"), ("get", {"id": 2}, "c2"))
        for number in order:
            ran("get", {"id": number}, f"c{number}")

    assert [arguments["id"] for arguments, _, _ in executions_of(work)] == [0, 1, 2]


def test_what_no_model_asked_for_stands_where_it_started():
    def work():
        ran("prepare")
        asks(("get", {"id": 1}, "c1"), ("get", {"id": 2}, "c2"))
        ran("get", {"id": 2}, "c2")
        ran("get", {"id": 1}, "c1")
        ran("tidy", {"id": 3})

    assert [arguments.get("id") for arguments, _, _ in executions_of(work)] == [None, 1, 2, 3]


def test_a_response_that_ended_first_comes_first_though_its_request_was_sent_later():
    def work():
        slow, quick = recorder.start_model_call(adapter="record"), recorder.start_model_call(adapter="record")
        quick.respond(requests=[{"name": "get", "arguments": {"id": 1}, "call_id": "c"}])
        ran("get", {"id": 1}, "c")
        slow.respond(requests=[{"name": "get", "arguments": {"id": 2}, "call_id": "c"}])
        ran("get", {"id": 2}, "c")

    assert executions_of(work) == [({"id": 1}, "c", 1), ({"id": 2}, "c#2", 1)]


def test_a_tool_that_runs_while_the_response_still_streams_answers_it():
    def work():
        call = recorder.start_model_call(adapter="record")
        ran("get", {"id": 1}, "c1")
        call.respond(requests=[{"name": "get", "arguments": {"id": 1}, "call_id": "c1"}])

    assert executions_of(work) == [({"id": 1}, "c1", 1)]
    assert requests_of(work) == [("get", "c1", True)]


def test_a_request_that_nothing_answered_says_so():
    def work():
        asks(("unknown", {}, "c1"), ("get", {}, "c2"))
        ran("get", {}, "c2")

    assert requests_of(work) == [("unknown", "c1", False), ("get", "c2", True)]


def test_an_id_that_no_response_held_is_kept_and_its_repetition_is_an_attempt():
    def work():
        ran("get", {"id": 1}, "c1")
        ran("get", {"id": 1}, "c1")

    assert executions_of(work) == [({"id": 1}, "c1", 1), ({"id": 1}, "c1", 2)]


def test_call_ids_are_unique_in_the_capture_across_invocations():
    with capture() as cap:
        for _ in range(2):
            with record.invocation("support"):
                asks(("get", {}, "c"), ("get", {}, "c#2"))
                ran("get", {}, "c")
                ran("get", {}, "c#2")

    ids = [one.call_id for each in cap.invocations for one in each.tool_executions]
    assert len(ids) == len(set(ids)) == 4
    assert all(request.answered for each in cap.invocations for request in each.tool_execution_requests)


def test_an_agents_tools_never_answer_another_agents_requests():
    with capture() as cap, record.invocation("manager"):
        asks(("get", {"id": 1}, "c1"))
        with record.invocation("worker"):
            ran("get", {"id": 1}, "c1")

    (worker,) = cap.invocation.nested_invocations
    assert [request.answered for request in cap.invocation.tool_execution_requests] == [False]
    assert [(one.call_id, one.attempt) for one in worker.tool_executions] == [("c1#2", 1)]


def test_what_a_component_asks_for_is_no_request_of_the_agent():
    @record.tool
    def summarise():
        asks(("get", {}, "c1"))

    with capture() as cap, record.invocation("support"):
        summarise()

    assert cap.invocation.tool_execution_requests == ()
    assert [one.name for one in cap.invocation.model_calls[0].tool_execution_requests] == ["get"]


@pytest.mark.parametrize(
    ("raw", "parsed"),
    [('{"id": 1}', {"id": 1}), ("", {}), ("  ", {}), ('{"id": ', None), ("[1]", None), ("null", None), ({"id": 1}, {"id": 1})],
    ids=repr,
)
def test_arguments_are_parsed_where_they_can_be_and_kept_as_they_came(raw, parsed):
    with capture() as cap, record.invocation("support"):
        asks(("get", raw, "c1"))
        ran("get", raw, "c1")

    (request,), (execution,) = cap.invocation.tool_execution_requests, cap.invocation.tool_executions
    assert (request.arguments, request.raw_arguments) == (parsed, raw)
    assert (execution.arguments, execution.raw_arguments) == (parsed, raw)
    assert request.answered


def test_arguments_as_text_and_parsed_are_the_same_arguments():
    def work():
        asks(("get", '{"b": 2, "a": 1}'), ("get", "{}"))
        ran("get", {})
        ran("get", {"a": 1, "b": 2})

    assert [arguments for arguments, _, _ in executions_of(work)] == [{"a": 1, "b": 2}, {}]


def test_decisions_name_the_request_that_their_repeated_id_meant_at_that_moment():
    with capture() as cap, record.invocation("support"):
        for number in (1, 2):
            asks(("pay", {"amount": number}, "c"))
            record.approval("pay", {"amount": number}, call_id="c")
            record.approval("pay", {"amount": number}, decision="approve", call_id="c")
            ran("pay", {"amount": number}, "c")

    assert [one.call_id for one in cap.invocation.approvals] == ["c", "c#2"]
    assert [one.call_id for one in cap.invocation.tool_executions] == ["c", "c#2"]


def test_tools_that_run_in_threads_are_joined_like_any_other():
    @record.tool
    def get(id):
        barrier.wait()
        return id

    barrier = threading.Barrier(3)
    with capture() as cap, record.invocation("support"):
        asks(*(("get", {"id": number}, f"c{number}") for number in range(3)))
        threads = [threading.Thread(target=get, args=(number,)) for number in (2, 0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert [(one.arguments["id"], one.call_id) for one in cap.invocation.tool_executions] == [(0, "c0"), (1, "c1"), (2, "c2")]


def test_an_id_that_is_given_to_other_arguments_or_to_another_tool_is_another_request():
    with capture() as cap:
        for name, number in (("get", 1), ("pay", 2), ("pay", 3), ("pay", 3)):
            record.tool_execution(name, {"n": number}, call_id="call_0")

    found = [(one.name, one.call_id, one.attempt) for one in cap.invocation.tool_executions]
    assert found == [("get", "call_0", 1), ("pay", "call_0#2", 1), ("pay", "call_0#3", 1), ("pay", "call_0#3", 2)]
