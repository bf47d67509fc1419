"""The ways in which runs of LlamaIndex begin, end, wait and hand over."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.instrumentation import get_dispatcher
from llama_index.core.workflow import Context, HumanResponseEvent, InputRequiredEvent, StartEvent, StopEvent, Workflow, step
from workflows.context.serializers import PickleSerializer

from agentassert import Decision, Status, assert_that, capture, recorder
from agentassert.adapters.base import HookMissingError
from agentassert.adapters.llama_index import runs
from agentassert.adapters.llama_index.adapter import LlamaIndexAdapter
from tests.adapters.llama_index_parts import agent, executed, gated_refund, get_booking, refund, run
from tests.adapters.llama_index_warnings import quietly
from tests.adapters.scenarios.parts import LOOKED_UP, arecording, everywhere, recording
from tests.scripted.llama_index import asks_for

pytestmark = quietly

LOOK_UP = asks_for(("get_booking", {"number": "1"}, "c1"))
REFUND = asks_for(("refund", {"amount": 50}, "c1"))


class Desk(Workflow):
    """A workflow of the user's own, a step of which asks an agent."""

    @step
    async def ask(self, ev: StartEvent) -> StopEvent:
        helper = agent(LOOK_UP, "found", tools=[get_booking], name="helper")
        return StopEvent(result={"answer": str(await helper.run(user_msg=ev.get("topic")))})


def test_a_workflow_of_any_kind_is_an_invocation_around_the_agents_that_it_asks():
    async def go():
        async with arecording() as cap:
            await Desk().run(topic="bookings")
        return cap

    cap = asyncio.run(go())
    assert (cap.invocation.name, cap.invocation.input, cap.invocation.output) == (
        "Desk",
        {"topic": "bookings"},
        {"answer": "found"},
    )
    assert executed(everywhere(cap, "helper")) == [LOOKED_UP]
    assert [one.name for one in cap.invocation.nested_invocations] == ["helper"]


def test_of_a_run_that_cannot_begin_nothing_is_kept():
    with capture(expecting_failure=True) as cap:
        Desk().run(start_event="no event")

    assert (cap.invocation.name, cap.invocation.status) == ("Desk", Status.FAILED)
    assert not [event for known in (runs.runs, runs._begun) for event in known if recorder.is_open(event)]


def test_a_run_that_nobody_awaits_is_waited_for():
    async def go():
        async with arecording() as cap:
            handler = agent(LOOK_UP, "found", tools=[get_booking]).run(user_msg="hi")
        assert handler.is_done()
        return cap

    assert_that(asyncio.run(go())).has_succeeded().has_tools_executed_exactly_in_order("get_booking")


def test_a_run_that_began_before_the_capture_is_not_part_of_it():
    async def go():
        handler = agent(LOOK_UP, "found", tools=[get_booking]).run(user_msg="hi")
        async with capture() as cap:
            pass
        await handler
        return cap

    assert asyncio.run(go()).invocations == ()


def test_a_run_that_is_cancelled_by_its_handler():
    async def wait() -> str:
        """Wait."""
        await asyncio.Event().wait()
        return ""

    async def go():
        async with arecording() as cap:
            handler = agent(asks_for(("wait", {}, "c1")), tools=[wait]).run(user_msg="hi")
            async for event in handler.stream_events():
                if type(event).__name__ == "ToolCall":
                    await handler.cancel_run()
        return cap

    cap = asyncio.run(go())
    assert cap.invocation.status is Status.CANCELLED
    assert_that(cap).was_cancelled().has_tool_execution_cancelled("wait")


def test_too_many_rounds_are_a_failure():
    with recording(expecting_failure=True) as cap:
        run(agent(LOOK_UP, LOOK_UP, tools=[get_booking]), max_iterations=1)

    assert_that(cap).has_failed_with_message_containing("Max iterations of 1 reached")


def test_history_without_a_message_is_the_input_by_its_last_message():
    with recording() as cap:
        run(agent("hello"), None, chat_history=[{"role": "user", "content": "hi there"}])

    assert cap.invocation.input == "hi there"


def test_agents_that_hand_over_in_turn_are_nested_in_turn():
    def over(to, call_id):
        return asks_for(("handoff", {"to_agent": to, "reason": "r"}, call_id))

    triage = agent(over("billing", "h1"), "done", name="triage", tools=[refund])
    billing = agent(over("triage", "h2"), name="billing", tools=[get_booking])
    with recording() as cap:
        run(AgentWorkflow([triage, billing], root_agent="triage"))

    assert [one.name for one in cap.invocation.with_nested()] == ["triage", "billing", "triage"]
    assert [one.output_text for one in cap.invocation.with_nested()] == ["done"] * 3
    assert_that(cap).nested_invocation("billing").top_level_only().has_tools_executed_exactly_in_order("handoff")


def test_handlers_are_not_needed():
    root = get_dispatcher()
    handlers, own = root.span_handlers, get_dispatcher("workflows.runtime.types.step_function")
    root.span_handlers, own.propagate = [], False
    try:
        with recording() as cap:
            run(agent(LOOK_UP, "found", tools=[get_booking]))
    finally:
        root.span_handlers, own.propagate = handlers, True

    assert executed(cap) == [LOOKED_UP]


IMPORTING = """
import warnings
from agentassert import CaptureWarning, assert_that, capture
warnings.simplefilter("error", CaptureWarning)
with capture(on_doubt="fail") as cap:
    from llama_index.core.agent.workflow import FunctionAgent
    from tests.adapters.llama_index_parts import agent, get_booking, run
    from tests.scripted.llama_index import asks_for
    run(agent(asks_for(("get_booking", {"number": "1"}, "c1")), "found", tools=[get_booking]))
assert_that(cap).has_succeeded().has_tools_executed_exactly_in_order("get_booking").has_own_chat_model_call_count(2)
"""


def test_what_is_imported_inside_the_block_is_recorded(project):
    subprocess.run([sys.executable, "-c", IMPORTING], cwd=project, check=True)


def test_workflows_whose_spans_end_before_their_runs_are_refused(monkeypatch):
    monkeypatch.delattr("workflows.runtime.types.step_function.SpanCancelledEvent")

    with pytest.raises(HookMissingError, match="SpanCancelledEvent"):
        LlamaIndexAdapter().install()


def answering(*answers, tools=(gated_refund,), steps=(REFUND, "done")):
    """A run whose questions are answered while it goes on."""
    left = [*answers]

    async def go():
        async with capture(wait=0.2) as cap:
            handler = agent(*steps, tools=[*tools]).run(user_msg="hi")
            async for event in handler.stream_events():
                if isinstance(event, InputRequiredEvent):
                    assert cap.invocation.status is Status.AWAITING_APPROVAL
                    if not left:
                        break
                    handler.ctx.send_event(HumanResponseEvent(amount=50, **left.pop(0)))
            else:
                await handler
        return cap

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("answer", "decisions"),
    [
        ({"response": "yes"}, [Decision.APPROVE]),
        ({"response": "no"}, [Decision.REJECT]),
        ({"response": "to Ann, please"}, []),
    ],
)
def test_a_question_that_is_answered_while_the_run_goes_on(answer, decisions):
    cap = answering(answer)

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert [(one.tool, one.arguments, one.decision) for one in cap.invocation.approvals] == [
        ("refund", {"amount": 50}, decision) for decision in decisions
    ]
    assert [(one.call_id, one.arguments) for one in cap.invocation.tool_executions] == [("c1", {"amount": 50})]


def test_a_run_that_waits_is_not_waited_for():
    cap = answering()

    assert cap.invocation.status is Status.AWAITING_APPROVAL
    assert cap.invocation.tool_executions == ()
    assert_that(cap).has_approval_requested("refund", {"amount": 50})


def test_of_two_runs_that_wait_each_goes_on_by_its_own_call():
    async def waiting(number):
        asked = asks_for(("refund", {"amount": 50}, f"call-{number}"))
        support = agent(asked, f"done {number}", tools=[gated_refund])
        handler = support.run(user_msg=f"hi {number}")
        async for event in handler.stream_events(expose_internal=True):
            if type(event).__name__ == "WorkflowIdleEvent":
                saved = handler.ctx.to_dict(serializer=PickleSerializer())
                await handler.cancel_run()
        return support, saved

    async def going_on(support, saved):
        handler = support.run(ctx=Context.from_dict(support, saved, serializer=PickleSerializer()))
        handler.ctx.send_event(HumanResponseEvent(amount=50, response="yes"))
        await handler

    async def go():
        async with arecording() as cap:
            first, second = await waiting(1), await waiting(2)
            await going_on(*second)
            await going_on(*first)
        return cap

    cap = asyncio.run(go())
    assert [(one.input, one.output_text) for one in cap.invocations] == [("hi 1", "done 1"), ("hi 2", "done 2")]
    assert [one.tool_executions[0].call_id for one in cap.invocations] == ["call-1", "call-2"]
