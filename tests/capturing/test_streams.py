"""Agents and tools that stream: they end when the stream does, and are cancelled when it is abandoned."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import threading

import pytest

from agentassert import Outcome, Status, capture, record, recorder


@record.tool
def get(number):
    return number


@record.agent
def words(*texts):
    for text in texts:
        get(text)
        yield text


@record.agent
async def awords(*texts):
    for text in texts:
        get(text)
        yield text


def arguments_in(cap):
    return [execution.arguments["number"] for execution in cap.invocation.tool_executions]


def test_a_stream_that_is_exhausted_has_completed_with_all_that_it_gave():
    with capture() as cap:
        assert [*words("a", "b")] == ["a", "b"]

    assert (cap.invocation.status, cap.output, cap.output_text) == (Status.COMPLETED, "ab", "ab")
    assert arguments_in(cap) == ["a", "b"]
    assert cap.strays is None


def test_an_async_stream_that_is_exhausted_has_completed_with_all_that_it_gave():
    async def scenario():
        async with capture() as cap:
            assert [text async for text in awords("a", "b")] == ["a", "b"]
        return cap

    cap = asyncio.run(scenario())

    assert (cap.invocation.status, cap.output) == (Status.COMPLETED, "ab")
    assert arguments_in(cap) == ["a", "b"]


def test_what_a_stream_gives_that_is_no_text_is_kept_as_a_list_of_snapshots():
    @record.agent
    def events():
        event = {"step": 1}
        yield event
        event["step"] = 2
        yield event

    with capture() as cap:
        for _ in events():
            pass

    assert cap.output == [{"step": 1}, {"step": 2}]


def test_a_stream_that_returns_a_value_has_that_as_its_output():
    @record.agent
    def agent():
        yield "thinking"
        return "answer"

    with capture() as cap:
        stream = agent()
        next(stream)
        with pytest.raises(StopIteration) as stopped:
            next(stream)

    assert stopped.value.value == cap.output == "answer"


def test_a_stream_that_fails_has_failed_with_what_it_gave_until_then():
    error = ConnectionError("cut off")

    @record.agent
    def agent():
        yield "Hel"
        raise error

    with pytest.raises(ConnectionError) as raised, capture() as cap:
        [*agent()]

    assert raised.value is error
    assert (cap.invocation.status, cap.invocation.error, cap.output) == (Status.FAILED, error, "Hel")


def test_a_stream_that_was_never_advanced_is_cancelled_at_once():
    with capture(wait=600) as cap:
        stream = words("a")

    assert cap.invocation.status is Status.CANCELLED
    assert cap.invocation.tool_executions == ()
    stream.close()


def test_an_async_stream_that_was_never_advanced_is_cancelled_at_once():
    async def scenario():
        async with capture(wait=600) as cap:
            stream = awords("a")
        await stream.aclose()
        return cap

    assert asyncio.run(scenario()).invocation.status is Status.CANCELLED


def test_a_stream_that_is_closed_is_cancelled_with_what_it_gave_until_then():
    with capture() as cap:
        stream = words("a", "b")
        next(stream)
        stream.close()
        status = cap.invocation.status

    assert status is Status.CANCELLED
    assert (cap.invocation.status, cap.output, cap.invocation.error) == (Status.CANCELLED, "a", None)


def test_an_async_stream_that_is_closed_is_cancelled():
    async def scenario():
        async with capture() as cap:
            stream = awords("a", "b")
            await anext(stream)
            await stream.aclose()
            return cap, cap.invocation.status

    cap, status = asyncio.run(scenario())

    assert status is cap.invocation.status is Status.CANCELLED


def test_a_stream_that_is_garbage_is_cancelled():
    with capture() as cap:
        for _ in words("a", "b"):
            break
        gc.collect()
        status = cap.invocation.status

    assert status is Status.CANCELLED


def test_an_async_stream_that_is_garbage_is_cancelled():
    async def scenario():
        async with capture() as cap:
            async for _ in awords("a", "b"):
                break
            gc.collect()
            for _ in range(3):
                await asyncio.sleep(0)
            return cap, cap.invocation.status

    cap, status = asyncio.run(scenario())

    assert status is cap.invocation.status is Status.CANCELLED


def test_a_stream_that_the_leaving_thread_advanced_last_is_cancelled_at_once():
    with capture(wait=600) as cap:
        stream = words("a", "b")
        next(stream)

    assert (cap.invocation.status, cap.output) == (Status.CANCELLED, None)
    assert [*stream] == ["b"]
    assert cap.invocation.status is Status.CANCELLED


def test_a_stream_that_the_leaving_task_advanced_last_is_cancelled_at_once():
    async def scenario():
        async with capture(wait=600) as cap:
            stream = awords("a", "b")
            await anext(stream)
        await stream.aclose()
        return cap

    assert asyncio.run(scenario()).invocation.status is Status.CANCELLED


def test_a_stream_that_another_thread_advances_is_waited_for():
    advanced, go_on = threading.Event(), threading.Event()

    def read(stream):
        next(stream)
        advanced.set()
        go_on.wait()
        next(stream, None)

    with capture(wait=60) as cap:
        threading.Thread(target=read, args=(words("a"),)).start()
        advanced.wait()
        threading.Timer(0.01, go_on.set).start()

    assert (cap.invocation.status, cap.output) == (Status.COMPLETED, "a")


def test_a_stream_that_another_task_advances_is_waited_for():
    async def scenario():
        advanced = asyncio.Event()

        async def read(stream):
            async for _ in stream:
                advanced.set()
                await asyncio.sleep(0.01)

        async with capture(wait=60) as cap:
            task = asyncio.create_task(read(awords("a")))
            await advanced.wait()
        await task
        return cap

    assert asyncio.run(scenario()).output == "a"


def test_a_stream_is_part_of_the_running_code_only_while_it_is_advanced():
    with capture() as cap:
        stream = words("a", "b")
        next(stream)
        get("outside")
        next(stream)
        next(stream, None)

    assert arguments_in(cap) == ["a", "b"]
    assert [execution.arguments["number"] for execution in cap.strays.tool_executions] == ["outside"]


def test_streams_that_are_read_in_turns_do_not_mix():
    with capture() as cap:
        one, two = words("a", "b"), words("c", "d")
        for stream in (one, two, two, one):
            next(stream)
        next(two, None)
        next(one, None)

    assert [[execution.result for execution in each.tool_executions] for each in cap.invocations] == [["a", "b"], ["c", "d"]]


def test_a_tool_that_streams_is_over_when_its_stream_is():
    @record.tool
    def search(query):
        yield query
        yield "!"

    with capture() as cap, record.invocation("support"):
        stream = search("x")
        next(stream)
        during = cap.invocation.tool_executions[0].outcome
        assert [*stream] == ["!"]

    assert during is Outcome.UNFINISHED
    assert cap.invocation.tool_executions[0].outcome is Outcome.SUCCEEDED
    assert cap.invocation.tool_executions[0].result == "x!"


def test_a_tool_whose_stream_is_closed_is_cancelled():
    @record.tool
    def search():
        yield "a"

    with capture() as cap:
        stream = search()
        next(stream)
        stream.close()

    assert cap.invocation.tool_executions[0].outcome is Outcome.CANCELLED


@pytest.mark.parametrize("steps", [0, 1])
def test_a_tool_whose_stream_the_leaving_thread_left_is_not_waited_for(steps):
    @record.tool
    def search():
        yield "a"

    with capture(wait=600) as cap:
        stream = search()
        for _ in range(steps):
            next(stream)

    assert cap.invocation.tool_executions[0].outcome is Outcome.UNFINISHED
    stream.close()


def test_a_stream_that_is_closed_in_another_context_leaves_no_scope_behind():
    with capture() as cap:
        stream = words("a", "b")
        contextvars.copy_context().run(next, stream)
        other = contextvars.copy_context()
        other.run(stream.close)
        scope = recorder.current_scope()

    assert scope.event is None
    assert other.run(lambda: recorder.current_scope().event) is None
    assert cap.invocation.status is Status.CANCELLED


def test_a_stream_that_was_made_before_the_block_is_not_recorded_but_its_tools_are():
    stream = words("a")

    with capture() as cap:
        assert [*stream] == ["a"]

    assert cap.invocation.implicit
    assert arguments_in(cap) == ["a"]


def test_a_task_that_is_cancelled_while_it_reads_a_stream_cancels_it():
    async def scenario():
        waiting = asyncio.Event()

        @record.agent
        async def hangs():
            yield "a"
            waiting.set()
            await asyncio.Event().wait()

        async def read():
            async for _ in hangs():
                pass

        async with capture() as cap:
            task = asyncio.create_task(read())
            await waiting.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return cap

    cap = asyncio.run(scenario())

    assert (cap.invocation.status, cap.output) == (Status.CANCELLED, "a")


def test_the_item_that_is_thrown_in_is_not_kept_alive_by_the_frame_it_leaves():
    @record.agent
    def agent():
        yield "a"

    with capture():
        stream = agent()
        next(stream)
        try:
            stream.throw(ValueError("no"))
        except ValueError as error:
            traceback = error.__traceback__
    held = []
    while traceback is not None:
        held.extend(value for value in traceback.tb_frame.f_locals.values() if isinstance(value, ValueError))
        traceback = traceback.tb_next

    assert held == []


def test_a_block_that_is_left_in_a_copy_of_its_context_leaves_nothing_behind_there():
    async def scenario():
        with capture() as cap:
            block = record.invocation("support")
            block.__enter__()

            async def leave():
                block.__exit__(None, None, None)
                return recorder.current_scope().event

            left = await asyncio.create_task(leave())
        return cap, left

    cap, left = asyncio.run(scenario())
    assert left is None
    assert cap.invocation.status == "completed"
