"""Interrupts of LangGraph, and the decisions that answer them."""

from __future__ import annotations

import asyncio
import inspect
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.tools import tool
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from agentassert import CaptureWarning, Decision, Outcome, Status, capture
from tests.adapters.agents import QUESTION, agent, cancel_booking, executed, get_booking
from tests.scripted.langchain import asks_for, says

THREAD = {"configurable": {"thread_id": "1"}}
REQUEST = ("cancel_booking", {"number": "MS-777"}, "c1")


@tool
def ask(question: str) -> str:
    """Ask a human."""
    return str(interrupt({"question": question}))


def gated(*steps, **options):
    """An agent that needs an approval for each cancellation."""
    asking = HumanInTheLoopMiddleware(interrupt_on={"cancel_booking": True}, **options)
    return agent(*steps, tools=[cancel_booking, get_booking], middleware=[asking], checkpointer=InMemorySaver())


def asking(*steps):
    return agent(*steps, tools=[ask], checkpointer=InMemorySaver())


def decided(invocation):
    return [(one.tool, one.arguments, one.decision, one.reason) for one in invocation.approvals]


def resume(*decisions):
    return Command(resume={"decisions": list(decisions)})


def test_a_gated_tool_is_pending_and_was_requested_only():
    with capture() as cap:
        gated(asks_for(REQUEST)).invoke(QUESTION, THREAD)

    assert cap.invocation.status is Status.AWAITING_APPROVAL
    assert decided(cap.invocation) == [("cancel_booking", {"number": "MS-777"}, Decision.PENDING, None)]
    assert (cap.invocation.tool_executions, cap.invocation.tool_execution_requests[0].answered) == ((), False)


@pytest.mark.parametrize(
    ("answer", "decision", "reason", "ran_with"),
    [
        ({"type": "approve"}, Decision.APPROVE, None, [{"number": "MS-777"}]),
        ({"type": "reject", "message": "not that one"}, Decision.REJECT, "not that one", []),
        (
            {"type": "edit", "edited_action": {"name": "cancel_booking", "args": {"number": "MS-778"}}},
            Decision.EDIT,
            None,
            [{"number": "MS-778"}],
        ),
    ],
)
def test_a_decision_settles_what_was_pending(answer, decision, reason, ran_with):
    support = gated(asks_for(REQUEST), says("done"))

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(resume(answer), THREAD)

    assert (cap.invocation.status, cap.output_text) == (Status.COMPLETED, "done")
    assert decided(cap.invocation) == [("cancel_booking", {"number": "MS-777"}, decision, reason)]
    assert [execution.arguments for execution in cap.invocation.tool_executions] == ran_with
    assert len(cap.invocation.own_chat_model_calls) == 2


def test_each_of_several_gated_tools_has_its_own_decision():
    support = gated(
        asks_for(REQUEST, ("get_booking", {"number": "1"}, "c2"), ("cancel_booking", {"number": "2"}, "c3")), says("done")
    )

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(resume({"type": "reject"}, {"type": "approve"}), THREAD)

    assert [one[:3] for one in decided(cap.invocation)] == [
        ("cancel_booking", {"number": "MS-777"}, Decision.REJECT),
        ("cancel_booking", {"number": "2"}, Decision.APPROVE),
    ]
    assert [(one.name, one.call_id) for one in cap.invocation.tool_executions] == [
        ("get_booking", "c2"),
        ("cancel_booking", "c3"),
    ]


def test_async_agents_are_resumed_alike():
    support = gated(asks_for(REQUEST), says("done"))

    async def run():
        async with capture() as cap:
            await support.ainvoke(QUESTION, THREAD)
            await support.ainvoke(resume({"type": "approve"}), THREAD)
        return cap

    cap = asyncio.run(run())
    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("cancel_booking", Outcome.SUCCEEDED)])
    assert [one[2] for one in decided(cap.invocation)] == [Decision.APPROVE]


def test_in_another_capture_the_resumption_is_an_invocation_of_its_own():
    support = gated(asks_for(REQUEST), says("done"))

    with capture() as before:
        support.invoke(QUESTION, THREAD)
    with capture() as after:
        support.invoke(resume({"type": "approve"}), THREAD)

    assert (before.invocation.status, [one[2] for one in decided(before.invocation)]) == (
        Status.AWAITING_APPROVAL,
        [Decision.PENDING],
    )
    assert after.invocation.status is Status.COMPLETED
    assert decided(after.invocation) == [("cancel_booking", {"number": "MS-777"}, Decision.APPROVE, None)]
    assert executed(after) == [("cancel_booking", Outcome.SUCCEEDED)]


def test_a_decision_about_an_interrupt_that_nobody_recorded_is_recorded():
    support = gated(asks_for(REQUEST), says("done"))
    support.invoke(QUESTION, THREAD)

    with capture() as cap:
        support.invoke(resume({"type": "reject", "message": "no"}), THREAD)

    assert decided(cap.invocation) == [("cancel_booking", {"number": "MS-777"}, Decision.REJECT, "no")]


def test_a_tool_that_interrupts_is_suspended_and_goes_on():
    support = asking(asks_for(("ask", {"question": "sure?"}, "c1")), says("done"))

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        pending = cap.invocation
        support.invoke(Command(resume="yes"), THREAD)

    assert [(one.name, one.outcome) for one in pending.tool_executions] == [("ask", Outcome.UNFINISHED)]
    assert [(one.call_id, one.decision) for one in pending.approvals] == [("c1", Decision.PENDING)]
    (execution,) = cap.invocation.tool_executions
    assert (execution.outcome, execution.result, execution.attempt) == (Outcome.SUCCEEDED, "yes", 1)
    assert [one[2] for one in decided(cap.invocation)] == [Decision.APPROVE]


@pytest.mark.parametrize(
    ("answer", "decision", "reason"),
    [
        (True, Decision.APPROVE, None),
        (False, Decision.REJECT, None),
        ("No", Decision.REJECT, None),
        ("approved", Decision.APPROVE, None),
        ("No, don't do that", Decision.REJECT, "No, don't do that"),
        ("Don\u2019t", Decision.REJECT, None),
        ("nope", Decision.REJECT, None),
        (0, Decision.REJECT, None),
        ("", Decision.REJECT, None),
        ([], Decision.REJECT, None),
        ({"accepted": False}, Decision.REJECT, None),
        ({"confirmed": False}, Decision.REJECT, None),
        ({"approved": None}, Decision.REJECT, None),
        ({"approved": 0}, Decision.REJECT, None),
        ({"approved": True, "confirmed": False}, Decision.REJECT, None),
        ({"rejected": True}, Decision.REJECT, None),
        ({"decision": "do not approve"}, Decision.REJECT, "do not approve"),
        ({"approved": True}, Decision.APPROVE, None),
        ({"approved": True, "response": ""}, Decision.APPROVE, None),
        ({"answer": "no, thanks"}, Decision.REJECT, "no, thanks"),
        ({"decision": None}, Decision.REJECT, None),
        ("OK.", Decision.APPROVE, None),
        ("Yes, refund it", Decision.APPROVE, "Yes, refund it"),
        ({"approved": False, "reason": "too dear"}, Decision.REJECT, "too dear"),
        ([{"type": "ignore"}], Decision.REJECT, None),
        ({"type": "timeout"}, Decision.TIMEOUT, None),
    ],
)
def test_an_answer_in_ones_own_terms_is_read_as_a_decision(answer, decision, reason):
    support = asking(asks_for(("ask", {"question": "sure?"}, "c1")), says("done"))

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(Command(resume=answer), THREAD)

    assert decided(cap.invocation) == [("ask", {"question": "sure?"}, decision, reason)]


@pytest.mark.parametrize(
    "answer", ["call me Ann", "No problem", "yes, but not now", {"name": "Ann"}, {"type": "draft"}, 42, {"rejected": False}]
)
def test_an_answer_that_says_neither_yes_nor_no_was_no_approval(answer):
    support = asking(asks_for(("ask", {"question": "who?"}, "c1")), says("done"))

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        pending = decided(cap.invocation)
        support.invoke(Command(resume=answer), THREAD)

    assert pending == [("ask", {"question": "who?"}, Decision.PENDING, None)]
    assert (cap.invocation.approvals, executed(cap)) == ((), [("ask", Outcome.SUCCEEDED)])


def test_a_tool_that_asks_twice_has_two_approvals_and_ran_once():
    @tool
    def careful() -> str:
        """Ask twice."""
        return f"{interrupt('first')} {interrupt('second')}"

    support = agent(asks_for(("careful", {}, "c1")), says("done"), tools=[careful], checkpointer=InMemorySaver())
    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(Command(resume="yes"), THREAD)
        support.invoke(Command(resume="no"), THREAD)

    assert [one[2] for one in decided(cap.invocation)] == [Decision.APPROVE, Decision.REJECT]
    assert executed(cap) == [("careful", Outcome.SUCCEEDED)]


def test_parallel_tools_that_interrupt_are_answered_by_id():
    support = asking(asks_for(("ask", {"question": "a"}, "c1"), ("ask", {"question": "b"}, "c2")), says("done"))

    with capture() as cap:
        raised = support.invoke(QUESTION, THREAD)["__interrupt__"]
        answers = {one.id: one.value["question"] == "a" for one in raised}
        support.invoke(Command(resume=answers), THREAD)

    assert sorted((one[1]["question"], one[2]) for one in decided(cap.invocation)) == [
        ("a", Decision.APPROVE),
        ("b", Decision.REJECT),
    ]
    assert executed(cap) == [("ask", Outcome.SUCCEEDED)] * 2


def test_a_sibling_of_a_suspended_tool_is_not_run_or_recorded_again():
    support = agent(
        asks_for(("ask", {"question": "a"}, "c1"), ("get_booking", {"number": "1"}, "c2")),
        says("done"),
        tools=[ask, get_booking],
        checkpointer=InMemorySaver(),
    )

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(Command(resume="yes"), THREAD)

    assert executed(cap) == [("ask", Outcome.SUCCEEDED), ("get_booking", Outcome.SUCCEEDED)]


@pytest.mark.skipif(
    "interrupt_mode" not in inspect.signature(HumanInTheLoopMiddleware).parameters,
    reason="this version asks about all tools at once only",
)
def test_approvals_that_are_asked_for_one_by_one_are_recorded_too():
    support = gated(asks_for(REQUEST, ("cancel_booking", {"number": "2"}, "c2")), says("done"), interrupt_mode="per_call")

    with capture() as cap:
        raised = support.invoke(QUESTION, THREAD)["__interrupt__"]
        pending = cap.invocation
        answers = {one.id: {"type": "approve" if one.value["tool_call_id"] == "c2" else "reject"} for one in raised}
        support.invoke(Command(resume=answers), THREAD)

    assert sorted((one.call_id, one.decision) for one in pending.approvals) == [
        ("c1", Decision.PENDING),
        ("c2", Decision.PENDING),
    ]
    assert sorted((one.call_id, one.decision) for one in cap.invocation.approvals) == [
        ("c1", Decision.REJECT),
        ("c2", Decision.APPROVE),
    ]
    assert [(one.call_id, one.outcome) for one in cap.invocation.tool_executions] == [("c2", Outcome.SUCCEEDED)]


def test_an_interrupt_in_a_node_names_the_node():
    graph = StateGraph(MessagesState)
    graph.add_node("review", lambda state: {"messages": [("ai", str(interrupt({"draft": "hello"})))]})
    graph.add_edge(START, "review")
    desk = graph.compile(name="desk", checkpointer=InMemorySaver())

    with capture() as cap:
        desk.invoke(QUESTION, THREAD)
        pending = decided(cap.invocation)
        desk.invoke(Command(resume="yes"), THREAD)

    assert pending == [("review", None, Decision.PENDING, None)]
    assert (decided(cap.invocation), cap.output_text) == ([("review", None, Decision.APPROVE, None)], "yes")


def test_a_nested_agent_that_interrupts_is_suspended_and_goes_on_too():
    inner = gated(asks_for(REQUEST), says("cancelled it"))

    @tool
    def delegate() -> str:
        """Ask another agent."""
        return inner.invoke(QUESTION)["messages"][-1].text

    outer = agent(asks_for(("delegate", {}, "d1")), says("done"), tools=[delegate], name="outer", checkpointer=InMemorySaver())
    with capture() as cap:
        outer.invoke(QUESTION, THREAD)
        pending = cap.invocation
        outer.invoke(resume({"type": "approve"}), THREAD)

    assert (pending.status, pending.nested_invocations[0].status) == (Status.AWAITING_APPROVAL,) * 2
    assert [one.decision for one in pending.nested_invocations[0].approvals] == [Decision.PENDING]
    assert executed(cap) == [("delegate", Outcome.SUCCEEDED)]
    (nested,) = cap.invocation.nested_invocations
    assert (nested.status, [one.decision for one in nested.approvals]) == (Status.COMPLETED, [Decision.APPROVE])
    assert [(one.name, one.outcome) for one in nested.tool_executions] == [("cancel_booking", Outcome.SUCCEEDED)]
    assert cap.invocation.approvals == ()


@pytest.mark.parametrize("run", ["invoke", "stream", "ainvoke"])
def test_a_breakpoint_suspends_and_is_resumed_without_an_answer(run):
    support = agent(
        asks_for(("get_booking", {"number": "1"}, "c1")),
        says("done"),
        tools=[get_booking],
        checkpointer=InMemorySaver(),
        interrupt_before=["tools"],
    )

    def start(given):
        if run == "ainvoke":
            asyncio.run(support.ainvoke(given, THREAD))
        elif run == "invoke":
            support.invoke(given, THREAD)
        else:
            list(support.stream(given, THREAD))

    with capture() as cap:
        start(QUESTION)
        pending = cap.invocation
        start(None)

    assert (pending.status, pending.tool_executions) == (Status.AWAITING_APPROVAL, ())
    assert (cap.invocation.status, executed(cap)) == (Status.COMPLETED, [("get_booking", Outcome.SUCCEEDED)])


def test_a_new_question_on_a_thread_that_waits_is_an_invocation_of_its_own():
    support = asking(asks_for(("ask", {"question": "sure?"}, "c1")), says("done"))

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(QUESTION, THREAD)

    assert [one.status for one in cap.invocations] == [Status.AWAITING_APPROVAL, Status.COMPLETED]


@pytest.mark.parametrize("in_one_capture", [True, False])
def test_a_resumption_of_what_a_new_question_dropped_decides_nothing(in_one_capture):
    support = gated(asks_for(REQUEST), says("Anything else?"))

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(QUESTION, THREAD)
        if in_one_capture:
            support.invoke(resume({"type": "approve"}), THREAD)
    with capture() as later:
        if not in_one_capture:
            support.invoke(resume({"type": "approve"}), THREAD)

    statuses = [one.status for one in (*cap.invocations, *later.invocations)]
    assert statuses == [Status.AWAITING_APPROVAL, Status.COMPLETED, Status.COMPLETED]
    decisions = [approval.decision for one in (*cap.invocations, *later.invocations) for approval in one.approvals]
    assert decisions == [Decision.PENDING]


def test_a_run_that_is_resumed_in_an_inner_capture_is_two_invocations_in_the_outer_one():
    support = gated(asks_for(REQUEST), says("done"))

    with capture() as outer:
        support.invoke(QUESTION, THREAD)
        with capture() as inner:
            support.invoke(resume({"type": "approve"}), THREAD)

    assert [one.status for one in outer.invocations] == [Status.AWAITING_APPROVAL, Status.COMPLETED]
    assert [(one.status, decided(one)[0][2]) for one in inner.invocations] == [(Status.COMPLETED, Decision.APPROVE)]


def test_threads_are_told_apart():
    support = asking(*[asks_for(("ask", {"question": "sure?"}, f"c{turn}")) for turn in range(2)], says("one"), says("two"))
    other = {"configurable": {"thread_id": "2"}}

    with capture() as cap:
        support.invoke(QUESTION, THREAD)
        support.invoke(QUESTION, other)
        support.invoke(Command(resume="no"), other)

    assert [one.status for one in cap.invocations] == [Status.AWAITING_APPROVAL, Status.COMPLETED]
    assert [one.approvals[0].decision for one in cap.invocations] == [Decision.PENDING, Decision.REJECT]


PAYS = StateGraph(MessagesState)
PAYS.add_node("pay", lambda state: {"messages": [("ai", str(interrupt(state["messages"][-1].text)))]})
PAYS.add_edge(START, "pay")


def unnamed(saver=None):
    """An agent that LangGraph names as it names every other one."""
    return PAYS.compile(checkpointer=saver or InMemorySaver())


def asks(text):
    return {"messages": [("user", text)]}


def test_agents_without_names_on_threads_of_one_id_are_told_apart_by_their_savers():
    first, second = unnamed(), unnamed()

    with capture() as cap:
        first.invoke(asks("a"), THREAD)
        second.invoke(asks("b"), THREAD)
        first.invoke(Command(resume="yes"), THREAD)

    assert [(one.input["messages"][0][1], one.status) for one in cap.invocations] == [
        ("a", Status.COMPLETED),
        ("b", Status.AWAITING_APPROVAL),
    ]
    assert [one.approvals[0].decision for one in cap.invocations] == [Decision.APPROVE, Decision.PENDING]


@pytest.mark.parametrize("shared", [None, InMemorySaver()], ids=["savers of their own", "one saver"])
def test_captures_side_by_side_continue_their_own_invocations(shared):
    both_asked, one_at_a_time = threading.Barrier(2), threading.Lock()

    def run(answer):
        pays = unnamed(shared)
        with capture() as cap:
            with one_at_a_time:
                pays.invoke(QUESTION, THREAD)
            both_asked.wait(10)
            with one_at_a_time:
                pays.invoke(Command(resume=answer), THREAD)
        return cap

    with ThreadPoolExecutor(2) as pool:
        captures = list(pool.map(run, ["yes", "no"]))

    assert [cap.invocation.status for cap in captures] == [Status.COMPLETED] * 2
    assert [[one[2] for one in decided(cap.invocation)] for cap in captures] == [[Decision.APPROVE], [Decision.REJECT]]


def test_what_an_earlier_test_left_waiting_is_not_what_another_agent_resumes():
    abandoned, support = unnamed(), unnamed()
    with capture() as before:
        abandoned.invoke(asks("5"), THREAD)
    support.invoke(asks("7"), THREAD)

    with capture() as after:
        support.invoke(Command(resume="yes"), THREAD)

    assert before.invocation.status is Status.AWAITING_APPROVAL
    assert (after.invocation.status, after.invocation.approvals) == (Status.COMPLETED, ())


def test_an_agent_whose_run_is_named_anew_is_resumed_all_the_same():
    support = unnamed()

    with capture() as cap:
        support.invoke(QUESTION, {**THREAD, "run_name": "ask"})
        support.invoke(Command(resume="yes"), {**THREAD, "run_name": "answer"})

    assert (cap.invocation.name, cap.invocation.status) == ("ask", Status.COMPLETED)


class Database(BaseCheckpointSaver):
    """A saver of which several objects stand for what is kept elsewhere."""

    def __init__(self, kept):
        super().__init__()
        for name in ("get_tuple", "put", "put_writes", "get_next_version"):
            setattr(self, name, getattr(kept, name))


def test_a_saver_that_is_opened_again_continues_what_another_one_kept():
    kept = InMemorySaver()

    with capture() as cap:
        unnamed(Database(kept)).invoke(QUESTION, THREAD)
        unnamed(Database(kept)).invoke(Command(resume="yes"), THREAD)

    assert (cap.invocation.status, [one[2] for one in decided(cap.invocation)]) == (Status.COMPLETED, [Decision.APPROVE])
    assert cap.health.doubts == ()


def test_a_resumption_of_which_nothing_says_what_it_resumes_is_an_invocation_of_its_own_and_doubtful():
    first, second = InMemorySaver(), InMemorySaver()

    with pytest.warns(CaptureWarning, match="several invocations of 'LangGraph' wait on thread '1'"), capture() as cap:
        unnamed(Database(first)).invoke(QUESTION, THREAD)
        unnamed(Database(second)).invoke(QUESTION, THREAD)
        unnamed(Database(first)).invoke(Command(resume="yes"), THREAD)

    assert [one.status for one in cap.invocations] == [Status.AWAITING_APPROVAL, Status.AWAITING_APPROVAL, Status.COMPLETED]


@dataclass
class Application:
    """What somebody applies with, whose name is that of what a command resumes with."""

    resume: str = "yes"


def test_an_input_with_a_field_named_resume_resumes_nothing():
    graph = StateGraph(Application)
    graph.add_node("read", lambda state: {"resume": str(interrupt("read it?"))})
    graph.add_edge(START, "read")
    reader = graph.compile(checkpointer=InMemorySaver())

    with capture() as cap:
        reader.invoke(Application(), THREAD)
        reader.invoke(Application(), THREAD)

    assert [one.status for one in cap.invocations] == [Status.AWAITING_APPROVAL] * 2
    assert [[one.decision for one in invocation.approvals] for invocation in cap.invocations] == [[Decision.PENDING]] * 2
