"""Leaving the block: what is waited for, how long, and how each thing that runs on ends."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time

import pytest

from agentassert import AgentAssertionError, Outcome, Status, assert_that, capture, record, recorder
from agentassert.recording.waiting import Wait


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def seconds_of(work):
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@record.agent
def background(started, may_end):
    started.set()
    may_end.wait()
    return "done"


def test_a_fire_and_forget_invocation_is_waited_for():
    started, may_end = threading.Event(), threading.Event()

    with capture(wait=60) as cap:
        thread = in_a_thread(lambda: background(started, may_end))
        started.wait()
        threading.Timer(0.01, may_end.set).start()
    thread.join()

    assert (cap.invocation.status, cap.output) == (Status.COMPLETED, "done")


def test_leaving_is_woken_when_the_last_invocation_ends(monkeypatch):
    started, may_end, looked = threading.Event(), threading.Event(), []
    is_needed = Wait._is_needed

    def counted(self):
        looked.append(1)
        may_end.set()
        return is_needed(self)

    monkeypatch.setattr(Wait, "_is_needed", counted)

    with capture(wait=60) as cap:
        in_a_thread(lambda: background(started, may_end))
        started.wait()

    assert cap.invocation.status is Status.COMPLETED
    # It looked once before it waited and once after it was woken; the nested timer of a poll would have looked more often.
    assert len(looked) <= 2


def test_wait_is_the_longest_time_and_what_still_runs_then_is_unfinished():
    started, may_end = threading.Event(), threading.Event()

    def run():
        with capture(wait=0.02) as cap:
            in_a_thread(lambda: background(started, may_end))
            started.wait()
        captures.append(cap)

    captures = []
    elapsed = seconds_of(run)
    may_end.set()

    assert 0.02 <= elapsed < 5
    assert captures[0].invocation.status is Status.UNFINISHED
    assert captures[0].invocation.duration is None


def test_with_no_wait_nothing_is_waited_for():
    started, may_end = threading.Event(), threading.Event()

    with capture(wait=0) as cap:
        thread = in_a_thread(lambda: background(started, may_end))
        started.wait()
    may_end.set()
    thread.join()

    assert cap.invocation.status is Status.UNFINISHED


def test_nothing_is_waited_for_after_an_exception():
    started, may_end = threading.Event(), threading.Event()

    with pytest.raises(ValueError, match="the test broke"), capture(wait=600) as cap:
        in_a_thread(lambda: background(started, may_end))
        started.wait()
        raise ValueError("the test broke")
    may_end.set()

    assert cap.invocation.status is Status.UNFINISHED


def test_a_tool_outside_every_invocation_is_waited_for_as_well():
    started, may_end = threading.Event(), threading.Event()

    @record.tool
    def slow():
        started.set()
        may_end.wait()
        return "done"

    with capture(wait=60) as cap:
        in_a_thread(slow)
        started.wait()
        threading.Timer(0.01, may_end.set).start()

    assert cap.invocation.tool_executions[0].result == "done"


def test_an_inner_capture_waits_for_its_own_only():
    started, may_end = threading.Event(), threading.Event()

    with capture(wait=60) as outer:
        in_a_thread(lambda: background(started, may_end))
        started.wait()
        with capture(wait=600) as inner:
            pass
        may_end.set()

    assert inner.invocations == ()
    assert outer.invocation.status is Status.COMPLETED


def test_with_inside_a_running_loop_cannot_wait_and_does_not():
    async def scenario():
        may_end = asyncio.Event()

        @record.agent
        async def slow():
            await may_end.wait()

        with capture(wait=600) as cap:
            task = asyncio.create_task(slow())
            await asyncio.sleep(0)
        may_end.set()
        await task
        return cap

    assert asyncio.run(scenario()).invocation.status is Status.UNFINISHED


def test_async_with_awaits_what_other_tasks_run_and_the_loop_goes_on():
    async def scenario():
        may_end = asyncio.Event()

        @record.agent
        async def slow():
            await may_end.wait()
            return "done"

        async with capture(wait=60) as cap:
            task = asyncio.create_task(slow())
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.01, may_end.set)
        await task
        return cap

    assert asyncio.run(scenario()).output == "done"


def test_async_with_awaits_what_threads_run():
    async def scenario():
        started, may_end = threading.Event(), threading.Event()
        async with capture(wait=60) as cap:
            thread = in_a_thread(lambda: background(started, may_end))
            await asyncio.to_thread(started.wait)
            asyncio.get_running_loop().call_later(0.01, may_end.set)
        thread.join()
        return cap

    assert asyncio.run(scenario()).output == "done"


def test_async_with_waits_no_longer_than_it_may():
    async def scenario():
        @record.agent
        async def hangs():
            await asyncio.Event().wait()

        async with capture(wait=0.02) as cap:
            task = asyncio.create_task(hangs())
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return cap

    assert asyncio.run(scenario()).invocation.status is Status.UNFINISHED


def test_waiting_itself_can_be_cancelled():
    async def scenario():
        captures = []

        @record.agent
        async def hangs():
            await asyncio.Event().wait()

        async def test():
            async with capture(wait=600) as cap:
                captures.append(cap)
                hanging.append(asyncio.create_task(hangs()))
                await asyncio.sleep(0)

        hanging = []
        task = asyncio.create_task(test())
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        hanging[0].cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
        return captures[0]

    cap = asyncio.run(scenario())

    assert cap.invocation.status is Status.UNFINISHED
    assert recorder.open_captures == ()


def test_an_agent_that_its_task_cancels_is_cancelled_and_its_tool_with_it():
    async def scenario():
        started = asyncio.Event()

        @record.tool
        async def hangs():
            started.set()
            await asyncio.Event().wait()

        @record.agent
        async def support():
            await hangs()

        async with capture() as cap:
            task = asyncio.create_task(support())
            await started.wait()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        return cap

    cap = asyncio.run(scenario())

    assert cap.invocation.status is Status.CANCELLED
    assert isinstance(cap.invocation.error, asyncio.CancelledError)
    assert [one.outcome for one in cap.invocation.tool_executions] == [Outcome.CANCELLED]


def test_an_agent_that_runs_into_a_timeout_is_cancelled():
    async def scenario():
        @record.agent
        async def hangs():
            await asyncio.Event().wait()

        async with capture() as cap:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await hangs()
        return cap

    assert asyncio.run(scenario()).invocation.status is Status.CANCELLED


def test_an_interrupt_cancels_and_is_no_failure():
    @record.agent
    def interrupted():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), capture() as cap:
        interrupted()

    assert cap.invocation.status is Status.CANCELLED


def test_a_failing_agent_is_failed_with_the_very_exception_and_raises_it_unchanged():
    error = ValueError("no seats")

    @record.agent
    def failing():
        raise error

    with pytest.raises(ValueError, match="no seats") as raised, capture() as cap:
        failing()

    assert raised.value is cap.error is cap.invocation.error is error
    assert error.__cause__ is error.__context__ is None
    assert cap.invocation.status is Status.FAILED


def test_the_exception_of_the_block_is_recorded_and_raised_unchanged():
    error = LookupError("of the test itself")

    with pytest.raises(LookupError) as raised, capture() as cap:
        raise error

    assert raised.value is cap.error is error


def test_what_ends_after_the_block_changes_no_record():
    started, may_end = threading.Event(), threading.Event()
    with capture(wait=0) as cap:
        thread = in_a_thread(lambda: background(started, may_end))
        started.wait()
    before = cap.invocation
    may_end.set()
    thread.join()

    assert cap.invocation is before or cap.invocation == before
    assert (cap.invocation.status, cap.output) == (Status.UNFINISHED, None)


def test_an_async_generator_fixture_that_another_task_finalises_closes_its_capture_cleanly():
    async def fixture():
        async with capture() as cap:
            yield cap

    async def scenario():
        running = fixture()
        cap = await asyncio.create_task(anext(running))
        with record.invocation("support"):
            pass

        async def finalise():
            with pytest.raises(StopAsyncIteration):
                await anext(running)

        context = contextvars.copy_context()
        await asyncio.create_task(finalise(), context=context)
        return cap, context.run(recorder.current_scope)

    with pytest.warns(match="nothing said where they belong: 1"):
        cap, scope = asyncio.run(scenario())

    assert cap.invocation.name == "support"
    assert recorder.open_captures == ()
    assert scope is None or scope.captures == ()


def test_a_generator_fixture_that_is_entered_in_another_context_leaves_nothing_in_the_one_it_is_left_in():
    block = capture()
    entered = contextvars.copy_context()
    cap = entered.run(block.__enter__)
    left = entered.copy()
    left.run(record.agent(lambda: "hello"))
    left.run(block.__exit__, None, None, None)

    assert cap.output == "hello"
    assert left.run(recorder.current_scope) is None


def test_an_agent_of_the_leaving_thread_that_nobody_can_move_on_is_cancelled_at_once():
    with capture(wait=600) as cap:
        block = record.invocation("left open")
        block.__enter__()

    assert cap.invocation.status is Status.CANCELLED
    with capture() as later:
        block.__exit__(None, None, None)
    assert later.invocations == ()


def test_a_capture_that_is_left_while_expecting_nothing_warns_of_its_doubts_once():
    def stray():
        record.tool_execution("get", {}, result=1)

    token = recorder.set_scope(None)
    thread = threading.Thread(target=stray)
    recorder.restore(token)

    with pytest.warns(match="The recording is in doubt") as caught, capture():
        token = recorder.set_scope(None)
        thread.start()
        recorder.restore(token)
        thread.join()

    assert len(caught) == 1


@pytest.mark.parametrize("wait", [-1, float("nan"), float("inf")])
def test_a_wait_that_no_clock_could_measure_is_refused(wait):
    with pytest.raises(ValueError, match="wait must be a number of seconds from 0 to"):
        capture(wait=wait)


@pytest.mark.parametrize("wait", [True, "10", None])
def test_a_wait_that_is_no_number_is_refused(wait):
    with pytest.raises(TypeError, match="wait must be a number of seconds, but was"):
        capture(wait=wait)


@pytest.mark.parametrize(
    "given",
    [{"name": 3}, {"expecting_failure": 1}, {"propagate_threads": "yes"}],
    ids=lambda given: next(iter(given)),
)
def test_other_arguments_of_the_wrong_type_are_refused(given):
    with pytest.raises(TypeError, match=next(iter(given))):
        capture(**given)


def test_an_empty_name_is_refused():
    with pytest.raises(ValueError, match="name must not be empty"):
        capture("")


def test_an_unknown_policy_for_doubts_is_refused():
    with pytest.raises(ValueError, match="on_doubt must be 'warn' or 'fail'"):
        capture(on_doubt="ignore")


def test_assertion_errors_of_the_test_leave_the_block_as_they_are():
    with pytest.raises(AssertionError) as raised, capture():
        raise AssertionError("mine")

    assert not isinstance(raised.value, AgentAssertionError)


def test_work_that_is_left_behind_is_counted_as_late_even_when_no_capture_is_open_any_more():
    @record.tool
    def delete_account():
        return "deleted"

    @record.agent
    async def support():
        async def later():
            await may_go_on.wait()
            delete_account()

        left_behind.append(asyncio.create_task(later()))

    async def scenario():
        async with capture(on_doubt="fail") as cap:
            await support()
        may_go_on.set()
        await left_behind[0]
        return cap

    left_behind, may_go_on = [], asyncio.Event()
    cap = asyncio.run(scenario())

    assert cap.health.late == 1
    with pytest.raises(AssertionError, match="came after their capture"):
        assert_that(cap).has_no_tool_executions("delete_account")


def test_a_task_that_was_made_at_the_end_of_the_block_is_awaited():
    @record.agent
    async def support():
        await asyncio.sleep(0)
        return "done"

    async def scenario():
        async with capture() as cap:
            task = asyncio.create_task(support())
        await task
        return cap

    assert asyncio.run(scenario()).output == "done"
