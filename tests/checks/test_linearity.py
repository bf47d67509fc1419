"""Ten times as much takes ten times as long: counted in instructions of Python, since a clock says something else each time."""

from __future__ import annotations

import json
import sys
from contextlib import suppress

import pytest

from agentassert import Capture, assert_that, capture, execution_of, record, result_of
from tests.factories import UNKNOWN, captured, execution, invocation

FEW = 12
MOST = 10.5
"""Times the instructions for ten times as much: what is done once is less of the whole, never more."""


def instructions(work) -> int:
    """How many instructions of Python `work` executes."""
    counted = 0

    def trace(frame, event, _):
        nonlocal counted
        frame.f_trace_opcodes = True
        counted += event == "opcode"
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    except AssertionError:
        pass  # what a failure takes to be told counts as well
    finally:
        sys.settrace(outer)
    return counted


def growth(make, work) -> float:
    """How many times the instructions it takes to do `work` with what is made for ten times as many."""
    with suppress(AssertionError):
        work(make(3), 3)  # what is imported and kept on first use
    few, many = make(FEW), make(10 * FEW)
    return instructions(lambda: work(many, 10 * FEW)) / instructions(lambda: work(few, FEW))


def ran(count, **fields) -> Capture:
    return captured(
        invocation(
            "clerk", *[execution(f"tool_{number % 3}", {"number": number, "port": "Oslo"}, **fields) for number in range(count)]
        )
    )


def names(count):
    return [f"tool_{number % 3}" for number in range(count)]


def patterns(count, first=0):
    return [execution_of(name, {"number": first + number}) for number, name in enumerate(names(count))]


CHECKS = {
    "executed": lambda chain, count: chain.has_tool_executed("tool_1"),
    "never executed": lambda chain, count: chain.has_tool_executed("tool"),
    "executed so often": lambda chain, count: chain.has_tool_executed_times("tool_1", count // 3),
    "not executed so often": lambda chain, count: chain.has_tool_executed_times("tool_1", 10**6),
    "with": lambda chain, count: chain.has_tool_executed_with("tool_1", {"number": 1}),
    "not with": lambda chain, count: chain.has_tool_executed_with("tool_1", {"number": -1}),
    "not with a path": lambda chain, count: chain.has_tool_executed_with("tool_1", {"$.number": -1}),
    "with a result": lambda chain, count: chain.has_tool_executed_with("tool_1", {"port": result_of("tool_0")}),
    "not with a result": lambda chain, count: chain.has_tool_executed_with("tool_1", {"number": result_of("tool_0")}),
    "with a predicate": lambda chain, count: chain.has_tool_executed_with("tool_1", lambda given: given["number"] == 1),
    "none": lambda chain, count: chain.has_no_tool_executions(),
    "none failed": lambda chain, count: chain.has_no_failed_tool_executions(),
    "none repeated": lambda chain, count: chain.has_no_repeated_tool_executions(),
    "none left": lambda chain, count: chain.has_no_more_tool_executions(),
    "in order": lambda chain, count: chain.has_tools_executed_in_order(*names(count)),
    "patterns in order": lambda chain, count: chain.has_tools_executed_in_order(*patterns(count)),
    "patterns not in order": lambda chain, count: chain.has_tools_executed_in_order(*patterns(count), "tool_0"),
    "patterns exactly in order": lambda chain, count: chain.has_tools_executed_exactly_in_order(*patterns(count)),
    "patterns not exactly in order": lambda chain, count: chain.has_tools_executed_exactly_in_order("x", *patterns(count)),
    "any order": lambda chain, count: chain.has_tools_executed_exactly_in_any_order(*patterns(count)[::-1]),
    "any order, one astray": lambda chain, count: chain.has_tools_executed_exactly_in_any_order(*patterns(count)[1:], "x"),
    "any order, none fits": lambda chain, count: chain.has_tools_executed_exactly_in_any_order(*patterns(count, first=10**6)),
    "finished before": lambda chain, count: chain.has_tool_finished_before("tool_0", "tool_1"),
    "not finished before": lambda chain, count: chain.has_tool_finished_before("tool_1", "tool_0"),
    "what is shown of the chain": lambda chain, count: repr(chain),
}


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("fields", [{}, {"outcome": UNKNOWN}], ids=["succeeded", "unknown"])
def test_a_check_takes_ten_times_as_long_for_ten_times_as_many_executions(check, fields):
    assert growth(lambda count: ran(count, **fields), lambda cap, count: CHECKS[check](assert_that(cap), count)) < MOST


def test_a_tool_is_found_as_fast_beside_ten_times_as_many_executions_of_others():
    def indexed(others):
        cap = captured(invocation("clerk", *[execution(f"other_{number % 3}") for number in range(others)], execution("wanted")))
        assert_that(cap).has_tool_executed("wanted")
        return cap

    assert growth(indexed, lambda cap, count: assert_that(cap).has_tool_executed("wanted")) < 1.05


def asked_and_ran(count, *, call_id=None):
    with capture() as cap, record.invocation("clerk"):
        for number in range(count):
            asked = {"name": "look", "arguments": {"number": number}, "call_id": call_id and call_id.format(number)}
            with record.model_call("small", messages="go on") as call:
                call.respond("", tool_execution_requests=[asked])
            record.tool_execution("look", {"number": number}, result="ok", call_id=asked["call_id"])
    return cap


def decided(count, *, of_requests, decision="approve"):
    with capture() as cap, record.invocation("clerk"):
        if of_requests:
            with record.model_call("small", messages="go on") as call:
                call.respond("", tool_execution_requests=[{"name": "pay", "arguments": {"n": number}} for number in range(count)])
        else:
            for number in range(count):
                record.approval("pay", {"n": number})
        for number in range(count):
            record.approval("pay", {"n": number}, decision=decision)
    return cap


@pytest.mark.parametrize(
    "recorded",
    [
        asked_and_ran,
        lambda count: asked_and_ran(count, call_id="call_{}"),
        lambda count: asked_and_ran(count, call_id="call_0"),
        lambda count: decided(count, of_requests=False),
        lambda count: decided(count, of_requests=False, decision="edit"),
        lambda count: decided(count, of_requests=True),
    ],
    ids=["requests", "requests with ids", "requests with one id", "approvals", "edits", "approvals of requests"],
)
def test_records_take_ten_times_as_long_for_ten_times_as_many_events(recorded):
    assert growth(recorded, lambda cap, count: cap.invocations) < MOST


def test_a_capture_is_stored_and_loaded_in_proportion_to_its_size():
    assert growth(ran, lambda cap, count: cap.to_json()) < MOST
    assert growth(lambda count: ran(count).to_json(), lambda text, count: Capture.from_json(text)) < MOST


@pytest.mark.parametrize("check", [name for name in CHECKS if name != "what is shown of the chain"])
def test_a_message_does_not_grow_with_what_was_recorded(check):
    lengths = []
    for count in (400, 800):
        try:
            CHECKS[check](assert_that(ran(count, error="no answer")), count)
        except AssertionError as error:
            lengths.append(len(str(error)))
    assert len(lengths) != 1
    assert not lengths or lengths[1] < lengths[0] + 200


def test_arguments_are_kept_once_that_are_as_they_were_sent():
    loaded = Capture.from_json(ran(1).to_json()).invocation.tool_executions[0]
    assert loaded.raw_arguments is loaded.arguments
    text = json.loads(ran(1).to_json())
    (stored,) = text["invocations"][0]["tool_executions"]
    stored["raw_arguments"] = {**stored["raw_arguments"], "number": False}
    other = Capture.from_json(json.dumps(text)).invocation.tool_executions[0]
    assert (other.arguments["number"], other.raw_arguments["number"]) == (0, False)
    assert other.raw_arguments["number"] is False


def test_a_flat_mapping_that_a_tool_returned_is_kept_once_and_another_object_as_it_is():
    flat, deep = {"status": "ok", "price": 1.5}, {"tags": ["a"]}
    with capture() as cap, record.invocation("clerk"):
        record.tool_execution("look", result=flat)
        record.tool_execution("look", result=deep)
    one, other = cap.invocation.tool_executions
    assert one.result is one.raw_result
    assert (one.raw_result, one.raw_result is flat) == (flat, False)
    assert (other.raw_result is deep, other.result is deep) == (True, False)
