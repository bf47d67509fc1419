"""What a capture keeps alive, and how long."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

from agentassert import Capture, capture, record, recorder


class Anything:
    pass


@record.tool
def get(value):
    return value


@record.agent
def support(value):
    return [get(value)]


def dies(reference):
    gc.collect()
    return reference() is None


def test_a_capture_that_is_garbage_frees_its_events_and_what_they_hold():
    def run():
        value = Anything()
        with capture() as cap:
            support(value)
        assert cap.invocation.tool_executions[0].raw_result is value
        return weakref.ref(value), [weakref.ref(event) for event in cap._source.state.events], weakref.ref(cap)

    value, events, cap = run()

    assert dies(value)
    assert len(events) == 2
    assert all(dies(event) for event in events)
    assert dies(cap)


def test_an_exception_that_was_recorded_dies_with_its_capture():
    class Refused(Exception):
        pass

    @record.agent
    def failing():
        raise Refused

    def run():
        with capture() as cap:
            try:
                failing()
            except Refused as error:
                return cap, weakref.ref(error)

    cap, error = run()
    assert cap.error is error()
    del cap

    assert dies(error)


def test_a_task_that_ran_an_invocation_is_free_when_that_has_ended():
    async def scenario():
        async with capture() as cap:
            task = asyncio.create_task(asyncio.to_thread(support, 1))
            await task
            agent = asyncio.create_task(asupport())
            await agent
        return cap, weakref.ref(agent)

    @record.agent
    async def asupport():
        return "done"

    cap, task = asyncio.run(scenario())

    assert dies(task)
    assert [one.status for one in cap.invocations] == ["completed", "completed"]


def test_a_pools_workers_keep_no_capture_alive():
    def run(pool):
        with capture() as cap:
            pool.submit(support, 1).result()
        return weakref.ref(cap._source.state)

    with ThreadPoolExecutor(1) as pool:
        state = run(pool)
        pool.submit(len, "").result()

        assert dies(state)


def test_a_thread_that_has_ended_keeps_no_capture_alive():
    def run():
        with capture() as cap:
            thread = threading.Thread(target=support, args=(1,))
            thread.start()
            thread.join()
        return thread, weakref.ref(cap._source.state)

    _thread, state = run()

    assert dies(state)


def test_nothing_is_kept_in_the_context_of_the_block_when_it_is_left():
    before = recorder.current_scope()
    with capture():
        pass

    assert recorder.current_scope() is before
    assert recorder.open_captures == ()


def test_the_last_model_call_of_a_thread_keeps_no_capture_alive():
    def run():
        with capture() as cap, record.model_call("m") as call:
            call.respond("done")
        return weakref.ref(cap._source.state)

    assert dies(run())


def test_the_run_ids_of_ended_work_keep_no_capture_alive():
    links = recorder.Links()

    def run():
        with capture() as cap:
            links.put("run", recorder.start_invocation("support", adapter="fake"))
            event = links.get("run")
            assert links.end("run") is event
            event.complete()
            assert links.get("run") is event
            assert links.end("run") is None
        return weakref.ref(cap._source.state)

    assert dies(run())
    assert links.get("run") is None


def test_run_ids_of_ended_work_are_forgotten_in_time():
    links = recorder.Links(remembered=2)
    with capture():
        for number in range(3):
            links.put(number, recorder.start_invocation("support", adapter="fake"))
        kept = [links.end(number) for number in range(3)]

    assert [links.get(number) for number in range(3)] == [None, kept[1], kept[2]]


def test_a_loaded_capture_holds_nothing_of_the_live_one():
    def run():
        value = Anything()
        with capture() as cap:
            support("x")
            get(value)
        return Capture.from_json(cap.to_json()), weakref.ref(value), weakref.ref(cap)

    loaded, value, cap = run()

    assert dies(value)
    assert dies(cap)
    assert loaded.invocation.name == "support"


def test_records_are_built_once_for_what_was_recorded():
    with capture() as cap:
        support(1)

    first = cap.invocation
    assert cap.invocation is first
    assert cap.invocations[0].tool_executions[0] is first.tool_executions[0]
