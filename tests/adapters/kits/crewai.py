"""CrewAI."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from tests.scripted.crewai import ScriptedModel, asks_for, says  # isort: skip  # before CrewAI itself

from crewai import Agent, Knowledge
from crewai.hooks import register_before_tool_call_hook, unregister_before_tool_call_hook
from crewai.tools import tool as made_of
from crewai.tools.base_tool import Tool as NativeTool

from agentassert.adapters.crewai import ADAPTER
from agentassert.adapters.crewai.adapter import CrewAIAdapter
from tests.adapters.crewai_warnings import OWN_WARNINGS
from tests.adapters.kits import QUESTION, Ask, Break, HandOff, Kit, Say, Step, Tool, refuse
from tests.adapters.scenarios import approvals

APPROVALS = [name for name in vars(approvals) if name.startswith(("approval_", "several_"))]
HAS_POLICIES = "tool_failure_policy" in NativeTool.model_fields
"""Whether a tool's failure can end an agent."""


class CrewAIKit(Kit):
    """Agents that are kicked off by themselves; in crews they are nested, which `test_crewai_running.py` shows."""

    framework = ADAPTER
    title = "CrewAI"
    adapters = (CrewAIAdapter,)
    awaits_tools = False
    own_warnings = OWN_WARNINGS

    @property
    def cannot(self) -> Mapping[str, str]:
        reasons = {
            "parallel_tools": "CrewAI runs each async tool in an event loop and a thread of its own, where it cannot wait for another.",
            "retry_by_the_framework": "CrewAI asks the model to call again, unless the model asked in words, without a call id.",
            "failure_that_ends_the_agent": "Where a tool's failure ends an agent, CrewAI raises an error without the tool's own.",
            "nested_failure": "Where a tool's failure ends an agent, CrewAI raises an error without the tool's own.",
            "stream": "An agent of CrewAI has no stream; crews have.",
            "stream_async": "An agent of CrewAI has no stream; crews have.",
            "stream_that_is_abandoned": "An agent of CrewAI has no stream; crews have.",
            "cancellation": "CrewAI runs tools in threads, which a task that is cancelled leaves running.",
            "handoff": "CrewAI has no handoffs: an agent delegates by a tool, and answers itself.",
        }
        if not HAS_POLICIES:
            reasons |= dict.fromkeys(
                ("failure_that_ends_the_agent", "nested_failure", "failures_reach_the_user_unchanged"),
                "CrewAI 1.10 tells the model of every failure of a tool; none ends an agent.",
            )
            reasons["finish_reason"] = "CrewAI 1.10 keeps no finish reasons; the SDK's own adapter sees them."
        return reasons | dict.fromkeys(
            APPROVALS, "CrewAI asks people at the terminal, and waits there: no run stops and is resumed."
        )

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent:
        if handoffs:
            refuse("handoffs: an agent delegates by a tool, and answers itself")
        if retries:
            refuse("retries of a tool that was asked for with a call id")
        return Agent(
            role=name,
            goal="help",
            backstory="You help.",
            llm=ScriptedModel(*map(_step, script)),
            tools=[_tool(one) for one in tools],
        )

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        def listen(context: Any) -> None:
            if heard is not None:
                heard.append(context.tool_name)

        register_before_tool_call_hook(listen)
        try:
            return agent.kickoff(question)
        finally:
            unregister_before_tool_call_hook(listen)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        return await agent.kickoff_async(question)

    def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        refuse("streams of an agent")

    def text_of(self, result: Any) -> str:
        return str(result.raw)

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        knowledge = Knowledge("manual", [], storage=Shelf(texts))
        return lambda query: [found["content"] for found in knowledge.query([query])]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Agent, "kickoff"), (NativeTool, "run")]


class Shelf:
    """A storage of knowledge that finds all that it has."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts

    def search(self, query: list[str], **options: Any) -> list[dict[str, Any]]:
        return [{"id": str(place), "content": text, "metadata": {}, "score": 0.9} for place, text in enumerate(self._texts)]

    async def asearch(self, query: list[str], **options: Any) -> list[dict[str, Any]]:
        return self.search(query, **options)


def _tool(asked: Tool) -> Any:
    if inspect.iscoroutinefunction(asked.function):
        refuse("tools that are awaited where the agent is: it runs each in a loop of its own, in a thread")
    if asked.needs_approval:
        refuse("approvals")
    made: Any = made_of(asked.function)
    if HAS_POLICIES and not asked.tells_errors:
        made.tool_failure_policy = "raise"
    return made


def _step(step: Step) -> Any:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case Break(error):
            return error
        case HandOff():
            return refuse("handoffs")
        case _:
            return lambda _: _step(step())
