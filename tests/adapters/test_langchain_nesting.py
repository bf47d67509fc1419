"""What is an invocation of LangChain and LangGraph, and which one is nested in which."""

from __future__ import annotations

import pytest
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

from agentassert import Outcome, Status, capture, record
from tests.adapters.agents import QUESTION, agent, executed, get_booking
from tests.scripted.langchain import ScriptedChatModel, asks_for, says


def graph_of(name=None, **nodes):
    """A graph that runs its nodes one after the other."""
    graph = StateGraph(MessagesState)
    graph.add_sequence(list(nodes.items()))
    graph.add_edge(START, next(iter(nodes)))
    return graph.compile(**({} if name is None else {"name": name}))


def tree(invocation):
    return {invocation.name: [tree(one) for one in invocation.nested_invocations]}


def test_an_agent_is_one_invocation_with_its_input_and_output():
    with capture() as cap:
        agent(says("bye")).invoke(QUESTION)

    assert (cap.invocation.name, cap.invocation.framework, cap.invocation.status) == ("support", "langchain", Status.COMPLETED)
    assert cap.invocation.input == {"messages": [["user", "hi"]]}
    assert [message["content"] for message in cap.output["messages"]] == ["hi", "bye"]
    assert cap.output_text == "bye"
    assert cap.invocation.nested_invocations == ()


def test_an_agent_in_a_tool_is_nested_under_that_tool_and_awaited():
    researcher = agent(asks_for(("get_booking", {"number": "1"}, "s1")), says("found"), tools=[get_booking], name="researcher")

    @tool
    def research(topic: str) -> str:
        """Ask another agent."""
        return researcher.invoke({"messages": [("user", topic)]})["messages"][-1].text

    support = agent(asks_for(("research", {"topic": "x"}, "c1")), says("bye"), tools=[research])
    with capture() as cap:
        support.invoke(QUESTION)

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by, nested.awaited) == ("researcher", cap.invocation.tool_executions[0].id, True)
    assert executed(cap) == [("research", Outcome.SUCCEEDED)]
    assert [one.name for one in nested.tool_executions] == ["get_booking"]
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [2, 2]


def test_a_compiled_graph_in_a_node_is_nested_and_named_by_itself():
    with capture() as cap:
        graph_of("desk", worker=agent(says("done"), name="worker_agent")).invoke(QUESTION)

    assert tree(cap.invocation) == {"desk": [{"worker_agent": []}]}
    assert cap.invocation.own_chat_model_calls == ()


def test_a_graph_without_a_name_is_named_after_its_node():
    inner = graph_of(answer=lambda state: {"messages": [("ai", "done")]})

    def helper(state):
        answer = inner.invoke(state)
        return {"messages": answer["messages"][-1:]}

    with capture() as cap:
        graph_of("desk", worker=inner, helper=helper).invoke(QUESTION)

    assert tree(cap.invocation) == {"desk": [{"worker": []}, {"helper": []}]}


def test_a_graph_without_a_name_in_a_tool_is_not_named_after_the_node_that_runs_the_tools():
    inner = graph_of(answer=lambda state: {"messages": [("ai", "done")]})

    @tool
    def ask() -> str:
        """Ask a graph."""
        return inner.invoke(QUESTION)["messages"][-1].text

    with capture() as cap:
        agent(asks_for(("ask", {}, "c1")), says("bye"), tools=[ask]).invoke(QUESTION)

    assert tree(cap.invocation) == {"support": [{"LangGraph": []}]}


def test_nodes_and_chains_inside_an_agent_are_no_invocations():
    chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | ScriptedChatModel(says("yes"))

    with capture() as cap:
        graph_of("desk", ask=lambda state: {"messages": [chain.invoke({"question": "?"})]}).invoke(QUESTION)

    assert tree(cap.invocation) == {"desk": []}
    assert [call.messages[0]["content"] for call in cap.invocation.own_chat_model_calls] == ["?"]


def test_a_plain_runnable_at_the_root_is_an_invocation():
    chain = ChatPromptTemplate.from_messages([("user", "{question}")]) | ScriptedChatModel(says("yes"))

    with capture() as cap:
        chain.invoke({"question": "?"})

    assert (cap.invocation.name, cap.invocation.implicit) == ("RunnableSequence", False)
    assert (cap.invocation.input, cap.output_text) == ({"question": "?"}, "yes")


def test_a_plain_runnable_in_a_hand_written_agent_is_part_of_it():
    chain = RunnableLambda(lambda text: text) | ScriptedChatModel(says("yes"))

    @record.agent("mine")
    def mine(question):
        return chain.invoke(question).text

    with capture() as cap:
        mine("?")

    assert tree(cap.invocation) == {"mine": []}
    assert len(cap.invocation.own_chat_model_calls) == 1


def test_a_model_called_by_itself_makes_no_invocation():
    with capture() as cap:
        ScriptedChatModel(says("yes")).invoke("?")

    assert (cap.invocation.implicit, cap.output_text) == (True, "yes")


def test_an_agent_started_by_a_recorded_tool_is_nested_under_it():
    inner = agent(says("found"), name="researcher")

    @record.tool
    def research(topic):
        return inner.invoke(QUESTION)["messages"][-1].text

    with capture() as cap, record.invocation("mine"):
        research("x")

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by) == ("researcher", cap.invocation.tool_executions[0].id)


@pytest.mark.parametrize("place", ["tool", "node"])
def test_a_hand_written_agent_inside_langchain_is_nested_where_it_runs(place):
    @record.agent("mine")
    def mine(question):
        return "42"

    @tool
    def ask(question: str) -> str:
        """Ask."""
        return mine(question)

    with capture() as cap:
        if place == "tool":
            agent(asks_for(("ask", {"question": "?"}, "c1")), says("bye"), tools=[ask]).invoke(QUESTION)
        else:
            graph_of("support", ask=lambda state: {"messages": [("ai", mine("?"))]}).invoke(QUESTION)

    assert tree(cap.invocation) == {"support": [{"mine": []}]}
    started_by = cap.invocation.tool_executions[0].id if place == "tool" else None
    assert cap.invocation.nested_invocations[0].started_by == started_by


def test_a_model_called_inside_a_tool_is_a_components():
    @tool
    def summarize(text: str) -> str:
        """Ask a model."""
        return ScriptedChatModel(says("short")).invoke(text).text

    with capture() as cap:
        agent(asks_for(("summarize", {"text": "x"}, "c1")), says("bye"), tools=[summarize]).invoke(QUESTION)

    assert [(call.response_text, call.own) for call in cap.invocation.model_calls] == [
        ("", True),
        ("short", False),
        ("bye", True),
    ]


def test_an_agent_that_is_handed_off_to_is_nested_in_the_one_that_handed_off():
    @tool
    def transfer() -> Command:
        """Hand off to billing."""
        return Command(goto="billing", graph=Command.PARENT, update={"messages": [("ai", "over to billing")]})

    triage = agent(asks_for(("transfer", {}, "c1")), tools=[transfer], name="triage")
    billing = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("paid"), tools=[get_booking], name="billing_agent")
    desk = StateGraph(MessagesState)
    desk.add_node("triage", triage, destinations=("billing",))
    desk.add_node("billing", billing)
    desk.add_edge(START, "triage")

    with capture() as cap:
        desk.compile(name="desk").invoke(QUESTION)

    assert tree(cap.invocation) == {"desk": [{"triage": [{"billing_agent": []}]}]}
    (triaged,) = cap.invocation.nested_invocations
    assert (triaged.status, triaged.nested_invocations[0].status) == (Status.COMPLETED, Status.COMPLETED)
    assert triaged.nested_invocations[0].awaited is True
    assert [(one.name, one.outcome) for one in triaged.tool_executions] == [("transfer", Outcome.SUCCEEDED)]


def test_a_tool_whose_agent_hands_off_has_succeeded():
    def leave(state):
        return Command(goto="billing", graph=Command.PARENT)

    inner = graph_of("inner", leave=leave)

    @tool
    def delegate() -> str:
        """Ask a graph that hands off."""
        return str(inner.invoke(QUESTION))

    desk = StateGraph(MessagesState)
    desk.add_node("triage", lambda state: delegate.invoke({}), destinations=("billing",))
    desk.add_node("billing", lambda state: {"messages": [("ai", "paid")]})
    desk.add_edge(START, "triage")

    with capture() as cap:
        desk.compile(name="desk").invoke(QUESTION)

    assert (tree(cap.invocation), cap.output_text) == ({"desk": [{"inner": []}]}, "paid")
    assert executed(cap) == [("delegate", Outcome.SUCCEEDED)]
    assert cap.invocation.nested_invocations[0].status is Status.COMPLETED


def test_handing_back_and_forth_nests_each_time():
    targets = iter(["two", "one"])

    def go(state):
        target = next(targets, None)
        return {"messages": [("ai", "done")]} if target is None else Command(goto=target, graph=Command.PARENT)

    desk = StateGraph(MessagesState)
    desk.add_node("one", graph_of("first", go=go))
    desk.add_node("two", graph_of("second", go=go))
    desk.add_edge(START, "one")

    with capture() as cap:
        desk.compile(name="desk").invoke(QUESTION)

    assert tree(cap.invocation) == {"desk": [{"first": [{"second": [{"first": []}]}]}]}


def test_functional_workflows_are_invocations_too():
    @task
    def double(number: int) -> int:
        return get_booking.invoke({"number": str(number)}) and number * 2

    @entrypoint()
    def doubler(number: int) -> int:
        return double(number).result()

    with capture() as cap:
        doubler.invoke(3)

    assert (tree(cap.invocation), cap.output) == ({"doubler": []}, 6)
    assert executed(cap) == [("get_booking", Outcome.SUCCEEDED)]


def test_two_runs_in_one_capture_are_two_invocations():
    support = agent(says("one"), says("two"))

    with capture() as cap:
        support.invoke(QUESTION)
        support.invoke(QUESTION)

    assert [one.output_text for one in cap.invocations] == ["one", "two"]


def test_a_context_that_an_agent_left_behind_does_no_harm():
    kept = []

    @tool
    def keep() -> str:
        """Keep the context of a run."""
        import contextvars

        kept.append(contextvars.copy_context())
        return "ok"

    with capture() as first:
        agent(asks_for(("keep", {}, "c1")), says("bye"), tools=[keep]).invoke(QUESTION)
    with capture() as second:
        pass

    def later():
        with capture() as third:
            get_booking.invoke({"number": "1"})
        return third

    third = kept[0].run(later)
    assert executed(first) == [("keep", Outcome.SUCCEEDED)]
    assert second.invocations == ()
    assert executed(third) == [("get_booking", Outcome.SUCCEEDED)]
    assert third.health.doubts == ()
