"""Where spans stand among everything else that is recorded, and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest

pytest.importorskip("opentelemetry.sdk.trace")

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

from agentassert import AdapterError, ChatModelCall, Outcome, Status, assert_that, capture, record, recorder
from agentassert.telemetry.translator import Translator
from agentassert.token_usage import TokenUsage
from tests.adapters.otel_parts import agent, chat, run, tool
from tests.loops import asked, send, text, told


@pytest.fixture
def tracer():
    return TracerProvider().get_tracer("shop")


def executed(invocation):
    return [(one.name, one.outcome) for one in invocation.tool_executions]


def test_an_agent_that_a_span_of_a_tool_surrounds_is_nested_in_that_execution(tracer):
    with capture() as cap:
        run(tracer, lambda: run(tracer, name="researcher"))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by, nested.awaited) == ("researcher", cap.invocation.tool_executions[0].id, True)


def test_spans_inside_hand_written_records_belong_there(tracer):
    @record.agent
    def desk(question):
        run(tracer)

    with capture() as cap:
        desk("?")

    assert [one.name for one in cap.invocations] == ["desk"]
    assert [one.name for one in cap.invocation.nested_invocations] == ["support"]


def test_hand_written_records_inside_spans_belong_there(tracer):
    @record.tool
    def fetch(number):
        return number

    with capture() as cap:
        run(tracer, lambda: fetch(1))

    assert sorted(executed(cap.invocation)) == [("fetch", Outcome.SUCCEEDED), ("search", Outcome.SUCCEEDED)]


def test_a_recorded_function_of_the_same_name_tells_the_arguments_that_a_span_does_not(tracer):
    @record.tool
    def search(q):
        return q

    with capture() as cap:
        with tracer.start_as_current_span("invoke_agent a", attributes=agent("a")):
            with tracer.start_as_current_span("execute_tool search", attributes={"gen_ai.operation.name": "execute_tool"}):
                search("kettle")

    assert_that(cap).has_tool_executed_with_exactly("search", {"q": "kettle"}).has_no_more_tool_executions()


def without_content(tracer, function):
    """The capture of an agent whose framework calls `function`, and writes none of the content into its spans."""
    named = {"gen_ai.operation.name": "execute_tool"}
    with capture() as cap:
        with tracer.start_as_current_span("invoke_agent a", attributes=agent("a")):
            with tracer.start_as_current_span("execute_tool search", attributes=named), contextlib.suppress(ValueError):
                function()
    return cap


def test_a_recorded_function_of_the_same_name_tells_the_result_that_a_span_does_not(tracer):
    @record.tool
    def search(q):
        return {"found": q}

    cap = without_content(tracer, lambda: search("kettle"))

    assert executed(cap.invocation) == [("search", Outcome.SUCCEEDED)]
    assert_that(cap).results_of("search").is_equal_to([{"found": "kettle"}])


def test_a_recorded_coroutine_tells_the_result_too(tracer):
    @record.tool
    async def search(q):
        return {"found": q}

    cap = without_content(tracer, lambda: asyncio.run(search("kettle")))

    assert_that(cap).results_of("search").is_equal_to([{"found": "kettle"}])


def test_a_recorded_function_tells_a_failure_that_the_framework_made_a_result_of(tracer):
    @record.tool
    def search(q):
        raise ValueError("kaput")

    cap = without_content(tracer, lambda: search("kettle"))

    assert executed(cap.invocation) == [("search", Outcome.FAILED)]
    assert str(cap.invocation.tool_executions[0].error) == "kaput"


def test_of_several_tries_within_a_span_the_last_decides(tracer):
    tries = iter([ValueError("kaput"), None])

    @record.tool
    def search(q):
        error = next(tries)
        if error is not None:
            raise error
        return "found"

    def twice():
        with contextlib.suppress(ValueError):
            search("kettle")
        search("kettle")

    cap = without_content(tracer, twice)

    assert [(one.outcome, one.result) for one in cap.invocation.tool_executions] == [(Outcome.SUCCEEDED, "found")]


def test_what_a_recorded_function_does_is_part_of_the_execution_that_a_span_tells_of(tracer):
    @record.tool
    def search(q):
        with record.invocation("researcher"):
            return "found"

    cap = without_content(tracer, lambda: search("kettle"))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by) == ("researcher", cap.invocation.tool_executions[0].id)


def test_a_span_that_has_content_knows_best_what_came_of_its_tool(tracer):
    @record.tool
    def search(q):
        return "found"

    with capture() as cap:
        run(tracer, lambda: search("kettle"))

    assert_that(cap).results_of("search").is_equal_to([["K-1"]])


def test_a_span_that_names_its_tool_at_its_end_alone_has_the_failure_that_one_within_it_told(tracer):
    with capture() as cap, tracer.start_as_current_span("invoke_agent a", attributes=agent("a")):
        with tracer.start_as_current_span("work") as span:
            with tracer.start_as_current_span("execute_tool search", attributes=tool()) as inner:
                inner.set_status(trace.StatusCode.ERROR, "kaput")
            span.set_attributes(tool())

    assert executed(cap.invocation) == [("search", Outcome.FAILED)]


def test_other_spans_between_change_nothing(tracer):
    def post():
        with tracer.start_as_current_span("POST /search"), tracer.start_as_current_span("SELECT"):
            run(tracer, name="inner")

    with capture() as cap:
        run(tracer, post)

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by) == ("inner", cap.invocation.tool_executions[0].id)


def test_a_span_that_is_told_what_it_is_after_its_start_surrounds_what_happens_then(tracer):
    @record.tool
    def fetch():
        return 1

    with capture() as cap:
        with tracer.start_as_current_span("work") as span:
            span.set_attributes(agent("late"))
            fetch()

    assert (cap.invocation.name, executed(cap.invocation)) == ("late", [("fetch", Outcome.SUCCEEDED)])


def test_a_span_that_is_told_what_it_is_when_all_is_done_surrounds_what_happened(tracer):
    with capture() as cap:
        with tracer.start_as_current_span("work") as span:
            with tracer.start_as_current_span("execute_tool search", attributes=tool(q="x")):
                pass
            span.set_attributes(agent("late"))

    assert (cap.invocation.name, executed(cap.invocation)) == ("late", [("search", Outcome.SUCCEEDED)])


def test_threads_and_pools_that_carry_the_capture_carry_the_place(tracer):
    def work():
        thread = threading.Thread(target=run, args=(tracer,), kwargs={"name": "thread"})
        thread.start()
        thread.join()
        with ThreadPoolExecutor(1) as pool:
            pool.submit(run, tracer, name="pool").result()

    with capture() as cap:
        run(tracer, work)

    started_by = cap.invocation.tool_executions[0].id
    assert [(one.name, one.started_by) for one in cap.invocation.nested_invocations] == [
        ("thread", started_by),
        ("pool", started_by),
    ]


def test_a_request_of_an_sdk_inside_a_chat_span_is_an_attempt_at_that_call(tracer):
    with capture() as cap, tracer.start_as_current_span("invoke_agent a", attributes=agent("a")):
        with tracer.start_as_current_span("chat m-1", attributes=chat(tokens=(9, 4))):
            call = recorder.start_model_call(adapter="sdk", kind=ChatModelCall, model="m-1-2026")
            call.respond(text="hi", usage=TokenUsage(input_tokens=9, output_tokens=4, total_tokens=13))

    (made,) = cap.invocation.model_calls
    assert (made.token_usage.total_tokens, made.own) == (13, True)


@pytest.mark.parametrize("owner", [None, agent()])
def test_what_a_loop_over_an_sdk_runs_is_inferred_below_chat_spans_without_content_too(tracer, owner):
    question, asks = text("Delete 7"), ("delete", {"id": 7})
    histories = [question], [question, asked(asks), told("deleted")]
    with capture() as cap, tracer.start_as_current_span("work", attributes=owner):
        for history, asked_for in zip(histories, ([asks], []), strict=True):
            with tracer.start_as_current_span("chat m-1", attributes=chat()):
                send(*history, asks=asked_for)

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.result) == ("delete", {"id": 7}, "deleted")
    assert (execution.inferred, len(cap.invocation.model_calls)) == (True, 2)
    assert_that(cap).has_tool_requested("delete").has_total_tokens_at_most(26)


def test_the_very_exception_that_leaves_a_span_is_the_error(tracer):
    error = ValueError("kaput")

    def explode():
        raise error

    with capture(expecting_failure=True) as cap:
        run(tracer, explode)

    assert cap.invocation.status is Status.FAILED
    assert cap.invocation.error is error
    assert cap.invocation.tool_executions[0].error is error
    assert_that(cap).has_failed_with(ValueError).has_tool_execution_failed("search")


def test_an_error_that_was_being_handled_as_a_span_began_is_not_its_own(tracer):
    with capture() as cap:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            run(tracer)
    assert_that(cap).has_succeeded().has_tool_executed("search")


def test_a_span_whose_task_is_cancelled_is_cancelled(tracer):
    async def work():
        with tracer.start_as_current_span("invoke_agent a", attributes=agent("a")):
            with tracer.start_as_current_span("execute_tool search", attributes=tool(q="x")):
                await asyncio.Event().wait()

    async def main():
        async with capture() as cap:
            task = asyncio.create_task(work())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        return cap

    cap = asyncio.run(main())
    assert (cap.invocation.status, executed(cap.invocation)) == (Status.CANCELLED, [("search", Outcome.CANCELLED)])


def test_a_span_whose_generator_is_closed_is_cancelled(tracer):
    def stream():
        with tracer.start_as_current_span("invoke_agent a", attributes=agent("a")):
            yield 1
            yield 2

    with capture() as cap:
        parts = stream()
        next(parts)
        parts.close()

    assert_that(cap).was_cancelled()


def test_a_span_that_is_dropped_and_never_ended_is_forgotten(tracer):
    with capture(wait=0) as cap:
        tracer.start_span("invoke_agent a", attributes=agent("a"))
        gc.collect()
        run(tracer)

    assert [one.name for one in cap.invocations] == ["a", "support"]
    assert cap.invocations[0].status in (Status.CANCELLED, Status.UNFINISHED)


def test_a_span_in_a_context_of_no_capture_is_not_recorded_when_two_are_open(tracer):
    ready, go = threading.Event(), threading.Event()

    def outside():
        ready.set()
        go.wait(10)
        run(tracer)

    thread = threading.Thread(target=outside)
    thread.start()
    ready.wait(10)

    async def main():
        async def hold(barrier):
            async with capture(on_doubt="fail") as cap:
                await barrier.wait()
                await asyncio.to_thread(lambda: (go.set(), thread.join()))
                await barrier.wait()
            return cap

        barrier = asyncio.Barrier(2)
        return await asyncio.gather(hold(barrier), hold(barrier))

    for cap in asyncio.run(main()):
        assert cap.invocations == ()
        assert cap.health.unattributed == 3


def test_a_fault_of_ours_changes_nothing_for_the_agent_and_fails_assertions(tracer):
    with capture(on_doubt="fail") as cap, mock.patch.object(Translator, "start", side_effect=RuntimeError("kaput")):
        run(tracer)

    with pytest.raises(AdapterError, match="kaput"):
        assert_that(cap).has_no_tool_executions()


def test_a_current_span_that_nobody_records_is_no_place(tracer):
    foreign = trace.NonRecordingSpan(trace.SpanContext(1, 2, True, trace.TraceFlags(trace.TraceFlags.SAMPLED)))
    with capture() as cap, trace.use_span(foreign):
        run(tracer)
    assert [one.name for one in cap.invocations] == ["support"]
