"""Threads and pools: what they do is recorded where they were started, and nothing of ours stays in a worker."""

from __future__ import annotations

import asyncio
import contextvars
import multiprocessing.pool
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import anyio.to_thread
import pytest

from agentassert import CaptureWarning, capture, record, recorder

user = contextvars.ContextVar("user", default="nobody")


@record.tool
def get(number):
    return number


def numbers_in(cap):
    return sorted(execution.arguments["number"] for one in cap.invocations for execution in one.tool_executions)


def test_no_execution_is_lost_of_2020_from_pools_and_bare_threads():
    with capture() as cap, record.invocation("support"):
        with ThreadPoolExecutor(8) as one, ThreadPoolExecutor(8) as two:
            results = [pool.submit(get, number) for number in range(1_000) for pool in (one, two)]
            threads = [threading.Thread(target=get, args=(number,)) for number in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert all(result.result() is not None for result in results)

    executions = cap.invocation.tool_executions
    assert len(executions) == 2_020
    assert numbers_in(cap) == sorted([*range(1_000), *range(1_000), *range(20)])
    assert len({execution.id for execution in executions}) == 2_020
    assert all(execution.succeeded for execution in executions)
    assert cap.health.doubts == ()


def test_only_our_own_variable_travels_into_a_thread_and_into_a_pool():
    seen = []
    with ThreadPoolExecutor(1) as pool, capture():
        token = user.set("Ann")
        thread = threading.Thread(target=lambda: seen.append(user.get()))
        thread.start()
        thread.join()
        pool.submit(lambda: seen.append(user.get())).result()
        user.reset(token)

    assert seen == ["nobody", "nobody"]


def test_the_agents_own_context_is_as_without_a_capture():
    def context():
        return {
            variable.name: value for variable, value in contextvars.copy_context().items() if "agentassert" not in variable.name
        }

    @record.agent
    def support():
        user.set("Ann")
        return context()

    before = context()
    with capture():
        inside = support()

    assert inside == {**before, "user": "Ann"}
    assert user.get() == "Ann"
    user.set("nobody")


def test_the_scope_travels_with_each_piece_of_work_and_never_into_the_worker():
    scopes = []

    def worker_scope():
        scopes.append(recorder.current_scope())

    with ThreadPoolExecutor(1) as pool:
        with capture() as first:
            pool.submit(get, 1).result()
        pool.submit(worker_scope).result()
        with capture() as second:
            pool.submit(get, 2).result()
        pool.submit(worker_scope).result()

    assert numbers_in(first) == [1]
    assert numbers_in(second) == [2]
    assert [scope is None or scope.captures == () for scope in scopes] == [True, True]
    assert first.health.doubts == second.health.doubts == ()


def test_work_that_waits_in_a_pool_belongs_where_it_was_submitted():
    gate = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        pool.submit(gate.wait)
        with capture() as first:
            late = pool.submit(get, "late")
        with capture() as second:
            gate.set()
            late.result()

    assert first.health.late == 1
    assert second.invocations == ()


def test_an_invocation_is_the_parent_of_what_its_threads_do():
    with capture() as cap, record.invocation("support"):
        thread = threading.Thread(target=get, args=(1,))
        thread.start()
        thread.join()

    assert cap.strays is None
    assert numbers_in(cap) == [1]


def test_threads_are_not_followed_when_that_is_switched_off():
    plain = threading.Thread.start, ThreadPoolExecutor.submit
    scopes = []
    with capture(propagate_threads=False):
        patched = threading.Thread.start, ThreadPoolExecutor.submit
        thread = threading.Thread(target=lambda: scopes.append(recorder.current_scope()))
        thread.start()
        thread.join()

    assert patched == plain
    assert scopes == [None]


def test_a_capture_that_does_not_follow_threads_is_left_out_where_an_enclosing_one_does():
    with capture() as outer, capture(propagate_threads=False) as inner:
        thread = threading.Thread(target=get, args=(1,))
        thread.start()
        thread.join()

    assert numbers_in(outer) == [1]
    assert inner.invocations == ()


def test_the_patches_are_gone_when_the_last_capture_closes():
    plain = threading.Thread.start, ThreadPoolExecutor.submit
    with capture():
        with capture():
            pass
        still = threading.Thread.start, ThreadPoolExecutor.submit

    assert still != plain
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == plain


def test_a_patch_that_somebody_wrapped_since_stays_and_does_nothing(monkeypatch):
    plain = threading.Thread.start
    block = capture()
    block.__enter__()
    ours = threading.Thread.start

    def theirs(self):
        ours(self)

    monkeypatch.setattr(threading.Thread, "start", theirs)
    block.__exit__(None, None, None)
    scopes = []
    thread = threading.Thread(target=lambda: scopes.append(recorder.current_scope()))
    thread.start()
    thread.join()

    assert threading.Thread.start is theirs
    assert scopes == [None]
    with capture() as cap:
        thread = threading.Thread(target=get, args=(1,))
        thread.start()
        thread.join()
    assert numbers_in(cap) == [1]
    assert threading.Thread.start is theirs
    monkeypatch.setattr(threading.Thread, "start", plain)


def test_a_thread_is_as_it_was_once_it_runs():
    class Worker(threading.Thread):
        def run(self):
            self.seen = dict(vars(self))
            get(1)

    with capture() as cap:
        worker = Worker()
        before = set(vars(worker))
        worker.start()
        worker.join()

    assert "run" not in worker.seen
    assert set(vars(worker)) == before | {"seen"}
    assert numbers_in(cap) == [1]


def test_a_run_that_the_user_put_on_the_thread_itself_is_kept():
    with capture() as cap:
        thread = threading.Thread()
        thread.run = run = lambda: get(1)
        thread.start()
        thread.join()

    assert thread.run is run
    assert numbers_in(cap) == [1]


def test_a_thread_that_cannot_be_started_keeps_nothing_of_ours():
    with capture():
        thread = threading.Thread(target=get, args=(1,))
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="once"):
            thread.start()

    assert "run" not in vars(thread)


def test_an_error_of_submitted_work_reaches_its_future_unchanged():
    error = ValueError("no")

    def fail():
        raise error

    with ThreadPoolExecutor(1) as pool, capture():
        raised = pool.submit(fail).exception()

    assert raised is error


def test_work_for_another_interpreter_is_handed_on_as_it_is():
    class OtherInterpreters(ThreadPoolExecutor):
        pass

    OtherInterpreters.__module__ = "concurrent.futures.interpreter"
    with OtherInterpreters(1) as pool, capture():
        scope = pool.submit(recorder.current_scope).result()

    assert scope is None


def test_a_thread_pool_of_multiprocessing_is_adopted_by_the_one_open_capture():
    with multiprocessing.pool.ThreadPool(2) as pool:
        with pytest.warns(CaptureWarning), capture() as first:
            pool.map(get, [1, 2])
        with pytest.warns(CaptureWarning), capture() as second:
            pool.map(get, [3])

    assert numbers_in(first) == [1, 2]
    assert numbers_in(second) == [3]
    assert (first.health.adopted, second.health.adopted) == (2, 1)


def test_a_thread_pool_of_multiprocessing_that_outlives_its_capture_holds_nothing_of_it():
    with capture() as first:
        pool = multiprocessing.pool.ThreadPool(1)
    with pool, pytest.warns(CaptureWarning), capture() as second:
        pool.map(get, [1])

    assert numbers_in(second) == [1]
    assert first.health.late == 0


def test_work_that_asyncio_hands_to_threads_is_recorded_in_its_place():
    async def scenario():
        loop = asyncio.get_running_loop()
        async with capture() as cap:
            with record.invocation("support"):
                await asyncio.to_thread(get, 1)
                await loop.run_in_executor(None, get, 2)
                async with asyncio.TaskGroup() as group:
                    group.create_task(asyncio.to_thread(get, 3))
        return cap

    cap = asyncio.run(scenario())

    assert numbers_in(cap) == [1, 2, 3]
    assert (cap.strays, cap.health.doubts) == (None, ())


def test_work_in_threads_of_anyio_is_recorded_in_its_place_and_its_workers_keep_no_scope():
    async def scenario():
        async with capture() as first:
            with record.invocation("support"):
                await anyio.to_thread.run_sync(get, 1)
        async with capture() as second:
            await anyio.to_thread.run_sync(get, 2)
        return first, second

    first, second = anyio.run(scenario, backend="asyncio")

    assert (numbers_in(first), numbers_in(second)) == ([1], [2])
    assert first.health.doubts == second.health.doubts == ()


def test_a_timer_records_where_it_was_started():
    with capture() as cap:
        timer = threading.Timer(0, get, args=(1,))
        timer.start()
        timer.join()

    assert numbers_in(cap) == [1]
