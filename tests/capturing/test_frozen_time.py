"""Libraries that freeze time change no order and no duration, and nothing hangs because of them."""

from __future__ import annotations

import asyncio
import datetime
import subprocess
import sys
import textwrap
import threading
import time

import freezegun
import pytest
import time_machine

from agentassert import Status, capture, record

really_sleep = time.sleep
NOON = datetime.datetime(2020, 1, 1, 12, tzinfo=datetime.UTC)
FREEZERS = {
    "freezegun": lambda: freezegun.freeze_time(NOON),
    "freezegun with asyncio": lambda: freezegun.freeze_time(NOON, real_asyncio=True),
    "time-machine": lambda: time_machine.travel(NOON, tick=False),
}
frozen = pytest.mark.parametrize("freeze", FREEZERS.values(), ids=FREEZERS)


@record.tool
def get(number):
    really_sleep(0.005)
    return number


@record.agent
def support():
    return [get(number) for number in range(3)]


@record.agent
def background(started, may_end):
    started.set()
    may_end.wait()
    return "done"


@frozen
def test_order_and_durations_are_those_of_real_time(freeze):
    with freeze(), capture() as cap:
        support()

    executions = cap.invocation.tool_executions
    assert [execution.arguments["number"] for execution in executions] == [0, 1, 2]
    assert [execution.started_order for execution in executions] == sorted({one.started_order for one in executions})
    assert all(0.005 <= execution.duration < 5 for execution in executions)
    assert 0.015 <= cap.invocation.duration < 5


@frozen
def test_wall_clock_times_are_those_that_the_test_has_set(freeze):
    with freeze(), capture() as cap:
        support()

    assert NOON <= cap.invocation.started_at < NOON + datetime.timedelta(seconds=5)


@frozen
def test_time_that_jumps_inside_the_block_changes_no_duration(freeze):
    with capture() as cap, record.invocation("support"), freeze():
        get(1)

    assert 0.005 <= cap.invocation.duration < 5


@frozen
def test_with_waits_in_real_time(freeze):
    started, may_end = threading.Event(), threading.Event()

    with freeze(), capture(wait=60) as cap:
        threading.Thread(target=background, args=(started, may_end)).start()
        started.wait()
        threading.Thread(target=lambda: (really_sleep(0.01), may_end.set())).start()

    assert cap.invocation.status is Status.COMPLETED


@frozen
def test_with_gives_up_in_real_time(freeze):
    started, may_end = threading.Event(), threading.Event()

    with freeze(), capture(wait=0.02) as cap:
        threading.Thread(target=background, args=(started, may_end)).start()
        started.wait()
    may_end.set()

    assert cap.invocation.status is Status.UNFINISHED


@frozen
@pytest.mark.parametrize("ends", [True, False], ids=["ends", "hangs"])
def test_async_with_waits_in_real_time(freeze, ends):
    async def scenario():
        started, may_end = threading.Event(), threading.Event()
        async with capture(wait=60 if ends else 0.02) as cap:
            threading.Thread(target=background, args=(started, may_end)).start()
            started.wait()
            if ends:
                threading.Thread(target=lambda: (really_sleep(0.01), may_end.set())).start()
        may_end.set()
        return cap

    with freeze():
        cap = asyncio.run(scenario())

    assert cap.invocation.status is (Status.COMPLETED if ends else Status.UNFINISHED)


@frozen
def test_async_with_waits_for_a_task_of_a_loop_whose_timers_stand_still(freeze):
    async def scenario():
        may_end = asyncio.Event()
        loop = asyncio.get_running_loop()

        @record.agent
        async def slow():
            await may_end.wait()

        async with capture(wait=60) as cap:
            task = asyncio.create_task(slow())
            await asyncio.sleep(0)
            threading.Thread(target=lambda: (really_sleep(0.01), loop.call_soon_threadsafe(may_end.set))).start()
        await task
        return cap

    with freeze():
        assert asyncio.run(scenario()).invocation.status is Status.COMPLETED


SCRIPT = textwrap.dedent(
    """
    import threading, time
    really_sleep = time.sleep
    import {library}

    with {freeze}:
        from agentassert import capture, record

        @record.tool
        def get(number):
            really_sleep(0.005)

        @record.agent
        def support(started):
            started.set()
            for number in range(3):
                get(number)

        started = threading.Event()
        with capture(wait=60) as cap:
            threading.Thread(target=support, args=(started,)).start()
            started.wait()

    executions = cap.invocation.tool_executions
    print(cap.invocation.status, [one.arguments["number"] for one in executions])
    print(all(0.005 <= one.duration < 5 for one in executions))
    """
)


@pytest.mark.parametrize(
    ("library", "freeze"),
    [
        ("freezegun", "freezegun.freeze_time('2020-01-01')"),
        ("time_machine", "time_machine.travel('2020-01-01T00:00Z', tick=False)"),
    ],
)
def test_the_package_may_be_imported_first_while_time_stands_still(library, freeze, project):
    script = SCRIPT.format(library=library, freeze=freeze)

    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=project, timeout=60, check=False)

    assert (done.stdout, done.stderr) == ("completed [0, 1, 2]\nTrue\n", "")
