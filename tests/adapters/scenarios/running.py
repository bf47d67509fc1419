"""The ways to run an agent, and the ways in which a run ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from agentassert import Capture, Outcome, Status, assert_that, capture
from tests.adapters.kits import Ask, Kit, Request, Say, Tool
from tests.adapters.scenarios.parts import LOOKED_UP, arecording, booker, executed, recording


def _is_complete(cap: Capture, number: str = "MS-777") -> None:
    """Whether the capture holds the whole run of one booker, and nothing else."""
    assert (cap.invocation.name, cap.invocation.status) == ("support", Status.COMPLETED)
    assert cap.output_text == f"found {number}"
    assert executed(cap.invocation) == [LOOKED_UP]
    assert cap.invocation.tool_executions[0].arguments == {"number": number}
    assert [one.response_text or "" for one in cap.invocation.own_chat_model_calls] == ["", f"found {number}"]
    assert [one.name for one in cap.invocation.tool_execution_requests] == ["get_booking"]


def run(kit: Kit) -> None:
    """Run outside async code"""
    with recording() as cap:
        kit.run(booker(kit))

    _is_complete(cap)


def run_async(kit: Kit) -> None:
    """Run in async code"""

    async def run() -> Capture:
        async with arecording() as cap:
            await kit.arun(booker(kit))
        return cap

    _is_complete(asyncio.run(run()))


def stream_async(kit: Kit) -> None:
    """A stream in async code"""

    async def run() -> Capture:
        async with arecording() as cap:
            assert [part async for part in kit.astream(booker(kit))]
        return cap

    _is_complete(asyncio.run(run()))


def stream(kit: Kit) -> None:
    """A stream outside async code"""
    with recording() as cap:
        assert list(kit.stream(booker(kit)))

    _is_complete(cap)


def stream_that_is_abandoned(kit: Kit) -> None:
    """A stream that is abandoned: cancelled"""

    async def run() -> Capture:
        async with arecording() as cap:
            parts: Any = kit.astream(booker(kit))
            await anext(parts)
            await parts.aclose()
        return cap

    cap = asyncio.run(run())
    assert cap.invocation.status is Status.CANCELLED
    assert_that(cap).was_cancelled()


def thread(kit: Kit) -> None:
    """A bare thread"""
    with recording() as cap:
        _in_threads(lambda: kit.run(booker(kit)))

    _is_complete(cap)


def pool(kit: Kit) -> None:
    """A pool of threads that was there before"""
    with ThreadPoolExecutor(1) as workers:
        workers.submit(int).result()
        with recording() as cap:
            workers.submit(kit.run, booker(kit)).result()

    _is_complete(cap)


def captures_in_threads(kit: Kit) -> None:
    """Captures side by side in threads: each its own"""
    captures: dict[str, Capture] = {}
    together = threading.Barrier(3, timeout=10)

    def record(number: str) -> None:
        with recording() as cap:
            together.wait()
            kit.run(booker(kit, number))
            together.wait()
        captures[number] = cap

    _in_threads(*(lambda number=number: record(number) for number in "123"))
    assert sorted(captures) == ["1", "2", "3"]
    for number, cap in captures.items():
        _is_complete(cap, number)


def captures_in_tasks(kit: Kit) -> None:
    """Captures side by side in tasks: each its own"""

    async def record(number: str) -> Capture:
        async with arecording() as cap:
            await kit.arun(booker(kit, number))
        return cap

    async def run() -> list[Capture]:
        return await asyncio.gather(*(record(str(number)) for number in range(10)))

    for number, cap in enumerate(asyncio.run(run())):
        _is_complete(cap, str(number))


def captures_in_captures(kit: Kit) -> None:
    """A capture in a capture: both record"""
    with recording() as outer, recording() as inner:
        kit.run(booker(kit))

    _is_complete(outer)
    _is_complete(inner)


def several_runs(kit: Kit) -> None:
    """Several runs in one capture: an invocation each"""
    with recording() as cap:
        for number in "12":
            kit.run(booker(kit, number))

    assert [one.output_text for one in cap.invocations] == ["found 1", "found 2"]
    assert [one.arguments for run in cap.invocations for one in run.tool_executions] == [{"number": "1"}, {"number": "2"}]
    assert_that(cap).whole_capture().has_tool_executed_times("get_booking", 2).has_no_more_tool_executions()


def cancellation(kit: Kit) -> None:
    """A task that is cancelled: so are its invocation and its tool"""

    async def run() -> Capture:
        started = asyncio.Event()

        async def patient() -> str:
            """Wait for ever."""
            started.set()
            await asyncio.Event().wait()
            return "never"

        async with arecording() as cap:
            task = asyncio.create_task(kit.arun(kit.agent(Ask(Request("patient")), Say("never"), tools=[Tool(patient)])))
            await asyncio.wait_for(started.wait(), 10)
            task.cancel()
            await asyncio.wait([task])
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.status, executed(cap.invocation)) == (Status.CANCELLED, [("patient", Outcome.CANCELLED)])
    assert_that(cap).was_cancelled().has_tool_execution_cancelled("patient")


def agent_that_is_left_running(kit: Kit) -> None:
    """An agent that still runs when the block is left: waited for"""
    started, release = threading.Event(), threading.Event()

    def slow() -> str:
        """Wait."""
        started.set()
        release.wait(10)
        return "ok"

    agent = kit.agent(Ask(Request("slow")), Say("done"), tools=[Tool(slow)])
    with recording() as cap:
        threading.Thread(target=kit.run, args=(agent,)).start()
        started.wait(10)
        threading.Timer(0.05, release.set).start()

    assert (cap.invocation.status, executed(cap.invocation)) == (Status.COMPLETED, [("slow", Outcome.SUCCEEDED)])


def outside_the_block(kit: Kit) -> None:
    """Nothing is recorded before and after the block"""
    kit.run(booker(kit, "before"))
    with recording() as cap:
        kit.run(booker(kit))
    before = cap.to_json()
    kit.run(booker(kit, "after"))

    _is_complete(cap)
    assert cap.to_json() == before


def late_work(kit: Kit) -> None:
    """What is left running when its capture gives up waiting goes into no other capture"""
    started, release = threading.Event(), threading.Event()

    def slow() -> str:
        """Wait."""
        started.set()
        release.wait(10)
        return "ok"

    agent = kit.agent(Ask(Request("slow")), Say("done"), tools=[Tool(slow)])
    with capture(wait=0, on_doubt="fail") as first:
        thread = threading.Thread(target=kit.run, args=(agent,))
        thread.start()
        started.wait(10)
    with recording() as second:
        release.set()
        thread.join()
        kit.run(booker(kit))

    assert (first.invocation.status, executed(first.invocation)) == (Status.UNFINISHED, [("slow", Outcome.UNFINISHED)])
    _is_complete(second)


def _in_threads(*work: Callable[[], Any]) -> None:
    threads = [threading.Thread(target=one) for one in work]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
