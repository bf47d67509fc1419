"""Agents in agents, and what retrievers find."""

from __future__ import annotations

import pytest

from agentassert import NOT_RECORDED, NotRecordedError, Outcome, Status, assert_that, record
from tests.adapters.kits import Ask, HandOff, Kit, Request, Say, Tool
from tests.adapters.scenarios.parts import LOOKED_UP, booker, everywhere, executed, fragile, only_execution, recording

DELEGATED = Ask(Request("research", {"topic": "bookings"}, "d1"))


def nested_agent(kit: Kit) -> None:
    """An agent that a tool runs: nested under that tool execution"""
    researcher = booker(kit, name="researcher")

    with recording() as cap:
        kit.run(kit.agent(DELEGATED, Say("done"), tools=[kit.delegating(researcher, "research")]))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.started_by, nested.awaited) == ("researcher", only_execution(cap.invocation).id, True)
    assert (executed(cap.invocation), executed(nested)) == ([("research", Outcome.SUCCEEDED)], [LOOKED_UP])
    assert [len(one.own_chat_model_calls) for one in (cap.invocation, nested)] == [2, 2]
    assert (nested.output_text, cap.output_text) == ("found MS-777", "done")
    assert_that(cap).including_nested().has_tool_executed("get_booking").has_tool_executed("research")
    assert_that(cap).nested_invocation("researcher").has_tools_executed_exactly_in_order("get_booking")


def nested_agents_two_deep(kit: Kit) -> None:
    """Agents in agents in agents"""
    reader = booker(kit, name="reader")
    researcher = kit.agent(
        Ask(Request("read", {"topic": "x"})), Say("read"), tools=[kit.delegating(reader, "read")], name="researcher"
    )

    with recording() as cap:
        kit.run(kit.agent(DELEGATED, Say("done"), tools=[kit.delegating(researcher, "research")]))

    names = [one.name for one in cap.invocation.with_nested()]
    assert names == ["support", "researcher", "reader"]
    assert [one.name for one in cap.invocation.nested_invocations] == ["researcher"]
    assert executed(everywhere(cap, "reader")) == [LOOKED_UP]


def nested_agents_side_by_side(kit: Kit) -> None:
    """Agents that parallel tools run: each under its own tool execution"""
    agents = {number: booker(kit, number, name=f"researcher_{number}") for number in "12"}
    tools = [kit.delegating(agents[number], f"research_{number}") for number in "12"]
    asked = Ask(*(Request(f"research_{number}", {"topic": "x"}, f"d{number}") for number in "12"))

    with recording() as cap:
        kit.run(kit.agent(asked, Say("done"), tools=tools))

    by_tool = {one.id: one.name for one in cap.invocation.tool_executions}
    assert {by_tool[nested.started_by or ""]: nested.output_text for nested in cap.invocation.nested_invocations} == {
        "research_1": "found 1",
        "research_2": "found 2",
    }


def nested_failure(kit: Kit) -> None:
    """A nested agent that fails, and takes the outer one with it"""
    researcher = kit.agent(Ask(Request("fragile", {"x": 1})), tools=[Tool(fragile)], name="researcher")

    with recording(expecting_failure=True) as cap:
        kit.run(kit.agent(DELEGATED, Say("never said"), tools=[kit.delegating(researcher, "research")]))

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.status, nested.status) == (Status.FAILED, Status.FAILED)
    assert (executed(cap.invocation), executed(nested)) == ([("research", Outcome.FAILED)], [("fragile", Outcome.FAILED)])
    assert_that(cap).has_failed_with(ValueError)


def handwritten_agent_around(kit: Kit) -> None:
    """An agent that hand-written, recorded code runs: nested there"""
    support = booker(kit)

    @record.tool
    def ask_support() -> str:
        return kit.text_of(kit.run(support))

    @record.agent
    def desk(question: str) -> str:
        return ask_support()

    with recording() as cap:
        desk("?")

    (nested,) = cap.invocation.nested_invocations
    assert (cap.invocation.name, nested.name, nested.started_by) == ("desk", "support", only_execution(cap.invocation).id)
    assert executed(nested) == [LOOKED_UP]


def handwritten_agent_inside(kit: Kit) -> None:
    """A hand-written, recorded agent that a tool runs: nested under that tool execution"""

    @record.agent("mine")
    def answer(topic: str) -> str:
        return f"all about {topic}"

    def research(topic: str) -> str:
        """Ask a hand-written agent."""
        return answer(topic)

    with recording() as cap:
        kit.run(kit.agent(DELEGATED, Say("done"), tools=[Tool(research)]))

    (nested,) = cap.invocation.nested_invocations
    assert (nested.name, nested.output, nested.started_by) == ("mine", "all about bookings", only_execution(cap.invocation).id)


def handoff(kit: Kit) -> None:
    """A handoff: the other agent is nested in the one that handed off"""
    billing = booker(kit, name="billing")

    with recording() as cap:
        result = kit.run(kit.agent(HandOff("billing"), name="triage", handoffs=[billing]))

    (nested,) = everywhere(cap, "triage").nested_invocations
    assert (nested.name, nested.status, nested.awaited) == ("billing", Status.COMPLETED, True)
    assert executed(nested) == [LOOKED_UP]
    assert [len(everywhere(cap, name).own_chat_model_calls) for name in ("triage", "billing")] == [1, 2]
    assert (cap.output_text, kit.text_of(result)) == ("found MS-777", "found MS-777")
    assert_that(cap).nested_invocation("billing").has_tools_executed_exactly_in_order("get_booking")


def retrieval(kit: Kit) -> None:
    """What retrievers found"""
    retrieve = kit.retriever("Who cancels gets a refund.", "Refunds take a week.")

    def read(query: str) -> str:
        """Read the manual."""
        return " ".join(retrieve(query))

    with recording() as cap:
        kit.run(kit.agent(Ask(Request("read", {"query": "refunds"})), Say("done"), tools=[Tool(read)]))

    assert cap.invocation.sources is not NOT_RECORDED
    assert [one.text for one in cap.invocation.sources] == ["Who cancels gets a refund.", "Refunds take a week."]
    assert_that(cap).has_retrieved_source_containing("a week")


def no_retriever(kit: Kit) -> None:
    """No retriever seen: a question about sources is refused, not answered with no"""
    with recording() as cap:
        kit.run(booker(kit))

    assert cap.invocation.sources is NOT_RECORDED
    with pytest.raises(NotRecordedError):
        assert_that(cap).has_no_retrieved_sources()


def recorded_tool_inside(kit: Kit) -> None:
    """A recorded function inside a tool: an execution of its own"""

    @record.tool
    def fetch(number: str) -> str:
        return f"row {number}"

    def look_up(number: str) -> str:
        """Look up."""
        return fetch(number)

    with recording() as cap:
        kit.run(kit.agent(Ask(Request("look_up", {"number": "1"})), Say("done"), tools=[Tool(look_up)]))

    assert sorted(executed(cap.invocation)) == [("fetch", Outcome.SUCCEEDED), ("look_up", Outcome.SUCCEEDED)]
