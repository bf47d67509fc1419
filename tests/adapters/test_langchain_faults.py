"""A fault in one of our own hooks: the agent does not notice, and the assertions say so."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.language_models import FakeListLLM
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from agentassert import AdapterError, assert_that, capture, recorder
from agentassert.adapters.base import HookMissingError
from agentassert.adapters.langchain import graphs
from agentassert.adapters.langchain.adapter import LangChainAdapter, LangGraphAdapter
from agentassert.adapters.langchain.agents import Agents
from agentassert.adapters.langchain.callbacks import Handler
from agentassert.adapters.langchain.runs import AgentRun
from agentassert.recording.events import InvocationEvent, ModelCallEvent, RetrievalEvent
from tests.adapters.agents import QUESTION, Library, agent, broken, get_booking
from tests.scripted.langchain import ScriptedChatModel, asks_for, says


@tool
def search(query: str) -> str:
    """Search."""
    return str(len(Library(texts=("Paris",)).invoke(query)))


class BrokenLibrary(Library):
    def _get_relevant_documents(self, query, *, run_manager):
        raise ConnectionError("index down")


def run_agent():
    script = asks_for(("get_booking", {"number": "1"}, "c1"), ("search", {"query": "x"}, "c2")), says("all is well")
    return agent(*script, tools=[get_booking, search]).invoke(QUESTION)["messages"][-1].text


def run_async_agent():
    async def read():
        support = agent(asks_for(("get_booking", {"number": "1"}, "c1")), says("all is well"), tools=[get_booking])
        return [chunk async for chunk in support.astream(QUESTION, stream_mode="values")]

    return asyncio.run(read())[-1]["messages"][-1].text


def failing_with(runnable, given):
    def run():
        try:
            runnable.invoke(given)
        except Exception as error:
            return repr(error)

    return run


def run_failing_tool():
    return failing_with(agent(asks_for(("broken", {"x": 1}, "c1")), tools=[broken]), QUESTION)()


def run_failing_model():
    return failing_with(agent(ConnectionError("no answer")), QUESTION)()


def run_failing_retriever():
    return failing_with(BrokenLibrary() | RunnableLambda(str), "x")()


def run_completion_model():
    return FakeListLLM(responses=["bye"]).invoke("hi")


def run_plain_chain():
    return (RunnableLambda(lambda text: text) | ScriptedChatModel(says("yes"))).invoke("?").text


def explode(*args, **kwargs):
    raise ZeroDivisionError("forced")


FAULTS = [
    (run_agent, graphs, "GraphStart"),
    (run_agent, InvocationEvent, "advanced"),
    (run_agent, graphs, "_holds_interrupt"),
    (run_async_agent, graphs, "GraphStart"),
    (run_async_agent, graphs, "_holds_interrupt"),
    (run_agent, Agents, "begin_graph"),
    (run_plain_chain, Agents, "begin_chain"),
    (run_agent, Agents, "end"),
    (run_failing_tool, Agents, "fail"),
    (run_agent, "arguments_of", None),
    (run_agent, "end_tool", None),
    (run_failing_tool, "is_raised", None),
    (run_agent, "message_mapping", None),
    (run_completion_model, recorder, "start_model_call"),
    (run_agent, "response_of", None),
    (run_failing_model, ModelCallEvent, "fail"),
    (run_agent, recorder, "start_retrieval"),
    (run_agent, "sources_of", None),
    (run_failing_retriever, RetrievalEvent, "fail"),
    (run_agent, Handler, "_parent"),
    (run_failing_tool, AgentRun, "cancel_tools"),
]


@pytest.mark.parametrize(("run", "owner", "name"), FAULTS, ids=[f"{run.__name__}-{name or owner}" for run, owner, name in FAULTS])
def test_a_fault_changes_nothing_for_the_agent_and_fails_the_assertions(monkeypatch, run, owner, name):
    expected = run()
    if name is None:
        monkeypatch.setattr(f"agentassert.adapters.langchain.callbacks.{owner}", explode)
    else:
        monkeypatch.setattr(owner, name, explode)

    with capture(on_doubt="fail") as cap:
        assert run() == expected

    monkeypatch.undo()
    assert any("ZeroDivisionError: forced" in fault for fault in cap.health.faults)
    with pytest.raises(AdapterError, match="forced"):
        assert_that(cap).has_no_tool_executions()


HOOKS = [name for name in vars(Handler) if name.startswith("on_")]


def test_every_hook_is_guarded():
    assert len(HOOKS) == 13
    for name in HOOKS:
        with capture(on_doubt="fail") as cap:
            # Called with nothing that it needs, any hook breaks.
            assert getattr(Handler(), name)() is None
        assert len(cap.health.faults) == 1, name


def test_a_framework_without_the_place_to_hook_into_is_reported_as_such(monkeypatch):
    monkeypatch.delattr("langchain_core.tracers.context.register_configure_hook")
    with pytest.raises(HookMissingError, match="no function 'register_configure_hook'"):
        LangChainAdapter().install()

    monkeypatch.delattr("langgraph.pregel.Pregel.stream")
    with pytest.raises(HookMissingError, match="Pregel has no method 'stream'"):
        LangGraphAdapter().install()

    monkeypatch.delattr("langgraph.pregel.Pregel")
    with pytest.raises(HookMissingError, match="no class 'Pregel'"):
        LangGraphAdapter().install()
