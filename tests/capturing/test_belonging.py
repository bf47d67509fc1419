"""To which captures an event belongs: by its context, its framework's parent, or the one nest that is open."""

from __future__ import annotations

import asyncio
import threading

import pytest

from agentassert import Capture, CaptureWarning, Status, capture, record, recorder


@record.tool
def get(number):
    return f"booking {number}"


@record.agent
def support(number):
    return get(number)


def numbers_in(cap: Capture) -> list[object]:
    everything = [*cap.invocations, *([cap.strays] if cap.strays is not None else [])]
    return [execution.arguments["number"] for one in everything for execution in one.tool_executions]


def run_outside_every_context(work):
    """Run in a thread that carries no scope, as a framework's own worker does."""
    token = recorder.set_scope(None)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        recorder.restore(token)
    thread.join()


def test_an_inner_capture_steals_nothing_from_the_enclosing_one():
    with capture() as outer:
        support(1)
        with capture() as inner:
            support(2)
        support(3)

    assert numbers_in(outer) == [1, 2, 3]
    assert numbers_in(inner) == [2]
    assert inner.health.doubts == outer.health.doubts == ()


def test_nested_captures_have_records_ids_and_books_of_their_own():
    with capture() as outer:
        support(1)
        with capture() as inner:
            support(2)
    outer.books.mark({outer.invocations[1].tool_executions[0].id: 1})

    assert inner.invocation.id == "1"
    assert outer.invocations[1].id != inner.invocation.id
    assert outer.invocations[1].home is outer
    assert inner.invocation.home is inner
    assert inner.books.marks == {}


def test_a_capture_inside_an_invocation_sees_what_happens_in_it_and_the_outer_one_sees_where():
    with capture() as outer, record.invocation("support"):
        get(1)
        with capture() as inner:
            get(2)
            support(3)

    assert [execution.arguments for execution in outer.invocation.tool_executions] == [{"number": 1}, {"number": 2}]
    assert [one.name for one in outer.invocation.nested_invocations] == ["support"]
    assert [one.name for one in inner.invocations] == ["support"]
    assert [execution.arguments for execution in inner.strays.tool_executions] == [{"number": 2}]


def test_an_enclosing_capture_still_receives_what_an_inner_one_is_too_late_for():
    with capture() as outer:
        with capture() as inner:
            stream = stream_of(1, 2)
            next(stream)
        assert [*stream] == [2]
        get(3)

    assert outer.invocations[0].status is Status.COMPLETED
    assert inner.invocation.status is Status.CANCELLED
    assert numbers_in(outer) == [3]
    assert numbers_in(inner) == []


@record.agent
def stream_of(*numbers):
    yield from numbers


def test_twenty_concurrent_async_captures_never_mix():
    barrier = asyncio.Barrier(20)

    @record.tool
    async def look(number):
        await barrier.wait()
        return number

    @record.agent
    async def assistant(number):
        return [await look(number), *await asyncio.gather(look(number), asyncio.to_thread(get, number))]

    async def one_user(number):
        async with capture() as cap:
            await barrier.wait()
            await assistant(number)
        return cap

    async def all_users():
        return await asyncio.gather(*(one_user(number) for number in range(20)))

    # Each user waits for all of them three times, so that everything interleaves.
    for number, cap in enumerate(asyncio.run(all_users())):
        assert numbers_in(cap) == [number] * 3
        assert cap.invocation.output == [number, number, f"booking {number}"]
        assert cap.health.doubts == ()


def test_captures_in_threads_side_by_side_never_mix():
    both_are_open = threading.Barrier(2)
    captures = {}

    def one_user(number):
        with capture() as cap:
            both_are_open.wait()
            support(number)
            both_are_open.wait()
        captures[number] = cap

    threads = [threading.Thread(target=one_user, args=(number,)) for number in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {number: numbers_in(cap) for number, cap in captures.items()} == {1: [1], 2: [2]}
    assert all(cap.health.doubts == () for cap in captures.values())


def test_a_framework_parent_says_where_an_event_belongs_that_has_no_context():
    with capture() as one:
        parent = recorder.start_invocation("graph", adapter="fake")
        with capture() as two:
            run_outside_every_context(lambda: recorder.start_tool("get", {}, adapter="fake", parent=parent).succeed(1))
        parent.complete()

    assert [execution.name for execution in one.invocation.tool_executions] == ["get"]
    assert two.invocations == ()
    assert one.health.adopted == two.health.adopted == 0


def test_the_context_decides_over_the_framework_parent_for_the_captures():
    with capture() as one:
        parent = recorder.start_invocation("graph", adapter="fake")
        with capture() as two:
            recorder.start_tool("get", {}, adapter="fake", parent=parent).succeed(1)
        parent.complete()

    assert len(one.invocation.tool_executions) == 1
    assert two.invocation.implicit


def test_membership_is_fixed_at_the_start_and_the_end_goes_where_the_start_went():
    with capture() as outer:
        event = recorder.start_tool("get", {}, adapter="fake")
        with capture() as inner:
            event.succeed("late for nobody")

    assert outer.invocation.tool_executions[0].result == "late for nobody"
    assert inner.invocations == ()


def test_an_event_without_a_place_is_adopted_by_the_one_nest_that_is_open():
    with pytest.warns(CaptureWarning, match="nothing said where they belong"), capture() as outer:
        with pytest.warns(CaptureWarning), capture() as inner:
            run_outside_every_context(lambda: support(1))
        run_outside_every_context(lambda: support(2))

    assert numbers_in(inner) == [1]
    assert numbers_in(outer) == [1, 2]
    assert inner.health.adopted == 1
    assert outer.health.adopted == 2


def test_an_event_that_could_belong_to_several_captures_is_given_to_none_and_counted():
    both_are_open, done = threading.Barrier(3), threading.Event()
    captures = []

    def one_user():
        with capture(on_doubt="fail") as cap:
            both_are_open.wait()
            done.wait()
        captures.append(cap)

    threads = [threading.Thread(target=one_user) for _ in range(2)]
    for thread in threads:
        thread.start()
    both_are_open.wait()
    get(1)
    done.set()
    for thread in threads:
        thread.join()

    assert [numbers_in(cap) for cap in captures] == [[], []]
    assert [cap.health.unattributed for cap in captures] == [1, 1]
    assert all("several captures were open side by side" in cap.health.doubts[0] for cap in captures)


def test_captures_of_one_context_that_are_left_in_the_order_they_were_entered_leave_nothing_behind():
    first, second = capture(), capture()
    one = first.__enter__()
    other = second.__enter__()
    support(1)
    first.__exit__(None, None, None)
    support(2)
    second.__exit__(None, None, None)
    support(3)

    assert (numbers_in(one), numbers_in(other)) == ([1], [1, 2])
    assert one.health.doubts == other.health.doubts == ()
    assert recorder.current_scope() is None


def test_what_names_only_closed_captures_is_late_and_never_adopted_by_a_later_one():
    go_on = threading.Event()

    def left_behind():
        go_on.wait()
        get("late")

    with capture() as first:
        thread = threading.Thread(target=left_behind)
        thread.start()
    with capture() as second:
        go_on.set()
        thread.join()

    assert numbers_in(second) == []
    assert first.health.late == 1
    assert second.health == type(second.health)()


def test_a_framework_parent_of_a_closed_capture_is_late_too():
    with capture() as first:
        parent = recorder.start_invocation("graph", adapter="fake", awaited=False)
        parent.complete()
    with capture() as second:
        run_outside_every_context(lambda: recorder.start_invocation("left behind", adapter="fake", parent=parent))

    assert first.health.late == 1
    assert second.invocations == ()


def test_a_task_that_outlives_its_capture_feeds_no_later_one():
    async def scenario():
        go_on = asyncio.Event()

        async def left_behind():
            await go_on.wait()
            get("late")

        async with capture() as first:
            task = asyncio.create_task(left_behind())
        async with capture() as second:
            go_on.set()
            await task
        return first, second

    first, second = asyncio.run(scenario())

    assert numbers_in(second) == []
    assert first.health.late == 1


def test_what_an_invocation_does_after_its_end_is_ignored_but_a_nested_one_may_still_start():
    with pytest.warns(CaptureWarning, match="their invocation had ended"), capture() as cap:
        event = recorder.start_invocation("support", adapter="fake")
        event.complete("done")
        assert recorder.start_tool("get", {}, adapter="fake", parent=event) is None
        assert recorder.start_model_call(adapter="fake", parent=event) is None
        recorder.start_invocation("follow-up", adapter="fake", parent=event).complete()

    assert cap.invocation.tool_executions == ()
    assert [one.name for one in cap.invocation.nested_invocations] == ["follow-up"]
    assert cap.invocation.nested_invocations[0].awaited is False
    assert cap.health.late == 2


def test_a_capture_inside_what_an_ended_invocation_left_behind_records_all_of_its_own():
    with pytest.warns(CaptureWarning), capture() as outer:
        event = recorder.start_invocation("support", adapter="fake")
        token = recorder.enter(event)
        event.complete("done")
        with capture() as inner:
            get(1)
        recorder.leave(token)

    assert numbers_in(inner) == [1]
    assert inner.health.late == 0
    assert numbers_in(outer) == []
    assert outer.health.late == 1


def test_only_the_first_end_counts():
    with capture() as cap:
        invocation = recorder.start_invocation("support", adapter="fake")
        tool = recorder.start_tool("get", {}, adapter="fake", parent=invocation)
        tool.succeed("first")
        tool.fail(ValueError("second"))
        call = recorder.start_model_call(adapter="fake", parent=invocation)
        call.respond(text="first")
        call.fail(ValueError("second"))
        invocation.complete("first")
        invocation.fail(ValueError("second"))
        invocation.suspend("third")
        invocation.resume()

    (execution,) = cap.invocation.tool_executions
    assert (execution.result, execution.error) == ("first", None)
    assert (cap.invocation.model_calls[0].response_text, cap.invocation.model_calls[0].error) == ("first", None)
    assert (cap.invocation.output, cap.invocation.status, cap.error) == ("first", Status.COMPLETED, None)


def test_waiting_for_an_approval_is_a_suspension_and_no_end():
    with capture() as cap:
        event = recorder.start_invocation("support", adapter="fake")
        event.suspend("may I?")
        waiting = cap.invocation.status
        recorder.start_tool("get", {}, adapter="fake", parent=event).succeed(1)
        event.resume()
        going_on = cap.invocation.status
        event.complete("done")

    assert (waiting, going_on, cap.invocation.status) == (Status.AWAITING_APPROVAL, Status.UNFINISHED, Status.COMPLETED)
    assert len(cap.invocation.tool_executions) == 1
    assert cap.health.late == 0


def test_a_suspended_invocation_is_not_waited_for():
    with capture(wait=60) as cap:
        event = recorder.start_invocation("support", adapter="fake")
        event.mover = (0, None)
        event.suspend()

    assert cap.invocation.status is Status.AWAITING_APPROVAL


def test_the_function_behind_a_frameworks_tool_is_not_recorded_twice():
    with capture() as cap:
        event = recorder.start_tool("get", {"number": 1}, adapter="fake")
        token = recorder.enter(event)
        event.succeed(get(1))
        recorder.leave(token)

    assert numbers_in(cap) == [1]


def test_a_tool_that_calls_itself_is_recorded_each_time():
    @record.tool
    def countdown(number):
        return 0 if number == 0 else countdown(number - 1)

    with capture() as cap:
        countdown(2)

    assert numbers_in(cap) == [2, 1, 0]


@pytest.mark.parametrize(
    ("ends_first", "awaited"), [("nested", True), ("tool", False)], ids=["ended before its starter", "outlived its starter"]
)
def test_a_nested_invocation_was_awaited_when_it_ended_before_what_started_it(ends_first, awaited):
    with capture() as cap, record.invocation("manager"):
        tool = recorder.start_tool("delegate", {}, adapter="fake")
        nested = recorder.start_invocation("worker", adapter="fake", parent=tool)
        for end in (nested.complete, tool.succeed) if ends_first == "nested" else (tool.succeed, nested.complete):
            end(None)

    (worker,) = cap.invocation.nested_invocations
    assert worker.awaited is awaited
    assert worker.started_by == cap.invocation.tool_executions[0].id


def test_a_top_level_invocation_is_neither_awaited_nor_not():
    with capture() as cap:
        support(1)

    assert cap.invocation.awaited is None


def test_what_is_read_inside_the_block_is_read_anew_when_more_happened():
    with capture() as cap:
        event = recorder.start_invocation("support", adapter="fake")
        before = cap.invocation
        recorder.start_tool("get", {}, adapter="fake", parent=event).succeed(1)
        during = cap.invocation
        event.complete("done")

    assert (before.status, len(before.tool_executions)) == (Status.UNFINISHED, 0)
    assert (during.status, len(during.tool_executions)) == (Status.UNFINISHED, 1)
    assert cap.invocation.status is Status.COMPLETED
    assert cap.invocation is cap.invocation


def test_a_block_can_be_entered_once():
    block = capture()
    with block:
        pass

    with pytest.raises(RuntimeError, match=r"call capture\(\) for each block"), block:
        pass
