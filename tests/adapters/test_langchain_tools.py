"""Tool executions of LangChain agents: what they were given, in which order, and how they ended."""

from __future__ import annotations

import asyncio
import threading
from typing import Annotated

import pytest
from langchain.agents.middleware import ToolRetryMiddleware
from langchain.tools import InjectedState
from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.errors import GraphInterrupt
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from agentassert import Outcome, capture
from agentassert.adapters.langchain.callbacks import HANDLER
from agentassert.adapters.langchain.tools import arguments_of
from tests.adapters.agents import QUESTION, agent, broken, cancel_booking, executed, get_booking, soft
from tests.scripted.langchain import ScriptedChatModel, asks_for, says


def test_arguments_result_and_call_id_are_recorded():
    support = agent(asks_for(("get_booking", {"number": "MS-777"}, "c1")), says("done"), tools=[get_booking])

    with capture() as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.name, execution.arguments, execution.call_id) == ("get_booking", {"number": "MS-777"}, "c1")
    assert execution.result == {"number": "MS-777", "customer": "Ann"}
    assert execution.raw_result.content == '{"number": "MS-777", "customer": "Ann"}'
    assert execution.outcome is Outcome.SUCCEEDED


def test_parallel_tools_stand_in_the_order_of_the_models_request():
    second_started = threading.Event()

    @tool
    def first() -> str:
        """Wait for the second."""
        second_started.wait(10)
        return "1"

    @tool
    def second() -> str:
        """Be faster."""
        second_started.set()
        return "2"

    support = agent(asks_for(("first", {}, "c1"), ("second", {}, "c2")), says("done"), tools=[first, second])
    with capture() as cap:
        support.invoke(QUESTION)

    assert [execution.name for execution in cap.invocation.tool_executions] == ["first", "second"]
    assert cap.invocation.tool_executions[0].ended_order > cap.invocation.tool_executions[1].ended_order


def test_an_exception_that_leaves_a_tool_fails_it_and_the_agent():
    support = agent(asks_for(("broken", {"x": 1}, "c1")), tools=[broken])

    with capture(expecting_failure=True) as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, repr(execution.error), execution.call_id) == (Outcome.FAILED, "ValueError('kaput')", "c1")
    assert cap.invocation.error is execution.error


def test_a_failure_that_the_model_is_told_is_a_failure():
    support = agent(asks_for(("soft", {"x": 1}, "c1")), says("done"), tools=[soft])

    with capture() as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.error, execution.result) == (Outcome.FAILED, "not today", "not today")


def test_a_tool_that_returns_a_command_has_the_result_that_the_model_is_told():
    @tool
    def remember(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command:
        """Change the state."""
        return Command(update={"messages": [ToolMessage("kept", tool_call_id=tool_call_id)]})

    support = agent(asks_for(("remember", {}, "c1")), says("done"), tools=[remember])
    with capture() as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.result, execution.outcome) == ({}, "kept", Outcome.SUCCEEDED)


def test_wrong_arguments_fail_the_execution():
    support = agent(asks_for(("cancel_booking", {"number": ["no", "text"]}, "c1")), says("done"), tools=[cancel_booking])

    with capture() as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.outcome) == ({"number": ["no", "text"]}, Outcome.FAILED)


def test_an_unknown_tool_is_requested_and_never_executed():
    support = agent(asks_for(("nope", {"a": 1}, "c9")), says("done"), tools=[get_booking])

    with capture() as cap:
        support.invoke(QUESTION)

    assert cap.invocation.tool_executions == ()
    (request,) = cap.invocation.tool_execution_requests
    assert (request.name, request.arguments, request.answered) == ("nope", {"a": 1}, False)


def test_arguments_that_are_no_json_are_requested_as_they_are():
    support = agent(asks_for(("get_booking", '{"number": ', "c1")), says("done"), tools=[get_booking])

    with capture() as cap:
        support.invoke(QUESTION)

    (request,) = cap.invocation.tool_execution_requests
    assert (request.arguments, request.raw_arguments, request.call_id) == (None, '{"number": ', "c1")


def test_each_retry_is_an_execution_of_the_same_request():
    retrying = ToolRetryMiddleware(max_retries=2, initial_delay=0, jitter=False, on_failure=lambda error: f"gave up: {error}")
    support = agent(asks_for(("broken", {"x": 1}, "c1")), says("done"), tools=[broken], middleware=[retrying])

    with capture() as cap:
        support.invoke(QUESTION)

    attempts = [(one.call_id, one.attempt, one.outcome) for one in cap.invocation.tool_executions]
    assert attempts == [("c1", 1, Outcome.FAILED), ("c1", 2, Outcome.FAILED), ("c1", 3, Outcome.FAILED)]


def test_what_the_framework_injects_is_no_argument():
    @tool
    def tax(state: str, order: dict, context: Annotated[dict, InjectedState]) -> str:
        """Have a parameter of one's own that is named like one of the framework's."""
        return f"{state} {len(context['messages'])}"

    support = agent(asks_for(("tax", {"state": "CA", "order": {"id": 1}}, "c1")), says("done"), tools=[tax])
    with capture() as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.result) == ({"state": "CA", "order": {"id": 1}}, "CA 2")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # LangGraph 1.0 warns of itself when its prebuilt part is imported
def test_a_hand_built_graph_with_a_tool_node_is_recorded():
    from langgraph.prebuilt import ToolNode

    model = ScriptedChatModel(asks_for(("get_booking", {"number": "1"}, "c1"), ("get_booking", {"number": "2"}, "c2")))
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.bind_tools([get_booking]).invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([get_booking]))
    graph.add_edge(START, "model")
    graph.add_edge("model", "tools")

    with capture() as cap:
        graph.compile(name="booker").invoke(QUESTION)

    assert [(one.call_id, one.arguments) for one in cap.invocation.tool_executions] == [
        ("c1", {"number": "1"}),
        ("c2", {"number": "2"}),
    ]
    assert cap.invocation.tool_execution_requests[1].answered


def test_a_sibling_that_is_cancelled_because_another_one_raised_has_not_failed():
    started = asyncio.Event()

    @tool
    async def slow() -> str:
        """Never end."""
        started.set()
        await asyncio.sleep(3600)

    @tool
    async def raising() -> str:
        """Raise once the other one runs."""
        await started.wait()
        raise ValueError("kaput")

    support = agent(asks_for(("slow", {}, "c1"), ("raising", {}, "c2")), tools=[slow, raising])

    async def run():
        async with capture(expecting_failure=True) as cap:
            await support.ainvoke(QUESTION)
        return cap

    assert executed(asyncio.run(run())) == [("slow", Outcome.CANCELLED), ("raising", Outcome.FAILED)]


def test_a_sibling_in_a_thread_that_ends_after_another_one_raised_has_succeeded():
    raised = threading.Event()

    @tool
    def slow() -> str:
        """End after the other one."""
        raised.wait(10)
        return "done"

    @tool
    def raising() -> str:
        """Raise."""
        raised.set()
        raise ValueError("kaput")

    support = agent(asks_for(("slow", {}, "c1"), ("raising", {}, "c2")), tools=[slow, raising])
    with capture(expecting_failure=True) as cap:
        support.invoke(QUESTION)

    assert executed(cap) == [("slow", Outcome.SUCCEEDED), ("raising", Outcome.FAILED)]


def test_a_tool_called_by_itself_makes_no_invocation():
    with capture(name="loop") as cap:
        get_booking.invoke({"number": "MS-777"})

    assert (cap.invocation.implicit, cap.invocation.name) == (True, "loop")
    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.result["customer"]) == ({"number": "MS-777"}, "Ann")


def test_a_tool_called_with_a_text_keeps_the_text():
    with capture() as cap:
        get_booking.invoke("MS-777")

    (execution,) = cap.invocation.tool_executions
    assert (execution.arguments, execution.raw_arguments) == (None, "MS-777")


def test_later_mutation_of_arguments_changes_no_record():
    @tool
    def greedy(order: dict) -> str:
        """Empty what it was given."""
        order.clear()
        return "ok"

    with capture() as cap:
        greedy.invoke({"order": {"id": 7}})

    assert cap.invocation.tool_executions[0].arguments == {"order": {"id": 7}}


@pytest.mark.parametrize("method", ["invoke", "ainvoke"])
def test_sync_and_async_tools_are_recorded_alike(method):
    support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("done"), tools=[get_booking])

    with capture() as cap:
        result = getattr(support, method)(QUESTION)
        if method == "ainvoke":
            asyncio.run(_await(result))

    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]


async def _await(awaitable):
    return await awaitable


@pytest.mark.parametrize(
    ("inputs", "arguments"),
    [
        ({"state": "CA", "config": {"a": 1}}, {"state": "CA", "config": {"a": 1}}),
        ({"id": 7, "runtime": Command()}, {"id": 7}),
        ({"id": 7, "anything": {"messages": []}}, {"id": 7}),
        ({"id": 7, "config": {"configurable": {}}}, {"id": 7}),
    ],
)
def test_what_older_versions_report_of_the_injected_is_left_out(inputs, arguments):
    assert arguments_of(inputs, "", filtered=False) == arguments


def test_a_call_id_that_is_told_late_is_kept():
    with capture() as cap:
        HANDLER.on_tool_start({"name": "pay"}, "", run_id="run", inputs={"amount": 5})
        HANDLER.on_tool_end(ToolMessage("paid", tool_call_id="c1"), run_id="run")

    assert cap.invocation.tool_executions[0].call_id == "c1"


def test_an_interrupt_of_a_tool_that_no_agent_runs_cancels_it():
    with capture() as cap:
        HANDLER.on_tool_start({"name": "pay"}, "", run_id="run", inputs={"amount": 5})
        HANDLER.on_tool_error(GraphInterrupt(), run_id="run")

    assert executed(cap) == [("pay", Outcome.CANCELLED)]


FAILED = ToolMessage("it failed", tool_call_id="c1", status="error")
ANOTHER = ToolMessage("it failed", tool_call_id="c9", status="error")
NOTE = ToolMessage("noted", tool_call_id="c9")


@tool
def listed() -> list:
    """Give a list of messages back."""
    return [FAILED]


lists = pytest.mark.skipif(
    not isinstance(listed.invoke({"type": "tool_call", "name": "listed", "args": {}, "id": "c1"}), list),
    reason="this version tells the model the text of a list instead of the messages in it",
)


@pytest.mark.parametrize(
    "output",
    [
        pytest.param([FAILED], marks=lists, id="a list"),
        pytest.param([Command(update={"messages": [FAILED]})], marks=lists, id="a command in a list"),
        pytest.param(Command(update={"messages": [FAILED]}), id="a command"),
    ],
)
def test_a_failure_that_the_model_is_told_in_any_form_is_a_failure(output):
    @tool
    def fails() -> str:
        """Report a failure."""
        return output

    support = agent(asks_for(("fails", {}, "c1")), says("done"), tools=[fails])
    with capture() as cap:
        support.invoke(QUESTION)

    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.error, execution.call_id) == (Outcome.FAILED, "it failed", "c1")


@pytest.mark.parametrize(
    ("output", "outcome"),
    [
        (Command(update={"messages": FAILED}), Outcome.FAILED),
        pytest.param([Command(update={"messages": FAILED})], Outcome.FAILED, marks=lists),
        pytest.param([NOTE, FAILED], Outcome.FAILED, marks=lists),
        pytest.param([ANOTHER], Outcome.FAILED, marks=lists),
        ([ANOTHER, NOTE], Outcome.SUCCEEDED),
        ([ANOTHER, ToolMessage("paid", tool_call_id="c1")], Outcome.SUCCEEDED),
        ([], Outcome.SUCCEEDED),
    ],
)
def test_of_several_messages_the_one_that_answers_the_call_counts(output, outcome):
    @tool
    def pay() -> str:
        """Pay."""
        return output

    with capture() as cap:
        pay.invoke({"type": "tool_call", "name": "pay", "args": {}, "id": "c1"})

    (execution,) = cap.invocation.tool_executions
    assert execution.outcome is outcome


class Remote:
    """A proxy that asks another machine for whatever it is asked for, which is not there."""

    def __getattr__(self, name):
        raise RuntimeError(f"no connection to look up {name}")


def test_a_result_whose_attributes_raise_is_a_result():
    remote = Remote()

    @tool
    def connect() -> object:
        """Connect."""
        return remote

    with capture() as cap:
        connect.invoke({})
        RunnableLambda(lambda _: remote).invoke("hi")

    assert [execution.raw_result for execution in cap.strays.tool_executions] == [remote]
    assert (cap.invocation.output, cap.health.faults) == (remote, ())
