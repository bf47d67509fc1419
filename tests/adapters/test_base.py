"""What the hooks of adapters are made of."""

from __future__ import annotations

import contextvars
import types
from contextlib import ExitStack
from contextvars import ContextVar
from typing import NamedTuple

import pytest

from agentassert import capture, recorder
from agentassert.adapters.base import holding, inside
from agentassert.adapters.waiting import Waiting
from agentassert.recording.events import InvocationEvent, ToolEvent

SHOWN: ContextVar[str] = ContextVar("shown", default="nothing")


@types.coroutine
def waiting():
    yield


async def show():
    with holding(SHOWN, "a lamp"):
        await waiting()


def test_a_coroutine_that_was_abandoned_may_be_closed_in_another_context():
    abandoned = show()
    begun = contextvars.copy_context()
    begun.run(abandoned.send, None)
    assert begun[SHOWN] == "a lamp"

    abandoned.close()

    assert SHOWN.get() == "nothing"


def test_an_error_leaves_a_variable_as_it_was():
    with pytest.raises(KeyError), holding(SHOWN, "a lamp"):
        raise KeyError("shelf")
    assert SHOWN.get() == "nothing"


def test_what_begins_inside_an_event_is_part_of_it_until_the_block_is_left():
    with capture() as cap:
        robot = recorder.start_invocation("robot", adapter="robots")
        with pytest.raises(KeyError), inside(robot):
            recorder.start_tool("weigh", {}, adapter="robots").succeed(3)
            raise KeyError("shelf")
        assert recorder.current_event() is None
        robot.complete("done")
    assert [one.name for one in cap.invocation.tool_executions] == ["weigh"]


def test_an_event_is_open_around_for_its_own_adapter_until_it_ends():
    with capture(wait=0):
        tool = recorder.start_tool("weigh", {}, adapter="robots")
        assert recorder.open_around(ToolEvent, "robots") is None
        with inside(tool):
            assert recorder.open_around(ToolEvent, "robots") is tool
            assert recorder.open_around(ToolEvent, "others") is None
            assert recorder.open_around(InvocationEvent, "robots") is None
            tool.succeed(3)
            assert recorder.open_around(ToolEvent, "robots") is None


@pytest.mark.parametrize("error", [ValueError("no shelf"), KeyboardInterrupt()])
def test_a_retrieval_that_an_error_left_has_no_answer(error):
    with capture() as cap:
        robot = recorder.start_invocation("robot", adapter="robots")
        with inside(robot):
            retrieval = recorder.start_retrieval(adapter="robots")
            recorder.end_by(retrieval, error)
        robot.complete("done")
    assert retrieval.ended_order is not None
    assert cap.invocation.sources == ()


class Run(NamedTuple):
    event: InvocationEvent


def test_what_waits_in_another_capture_hides_nothing_that_waits_in_this_one():
    waiting = Waiting()

    def begin():
        stack.enter_context(capture(wait=0))
        run = Run(recorder.start_invocation("robot", adapter="robots"))
        waiting.put(run)
        return run

    with ExitStack() as stack:
        contexts = [contextvars.copy_context(), contextvars.copy_context()]
        runs = [context.run(begin) for context in contexts]
        found = [context.run(waiting.take, lambda run: True) for context in reversed(contexts)]
        again = [context.run(waiting.take, lambda run: True) for context in contexts]

    assert found == runs[::-1]
    assert again == [None, None]
