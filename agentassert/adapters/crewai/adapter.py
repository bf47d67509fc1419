"""Where CrewAI is hooked into."""

from __future__ import annotations

from agentassert.adapters.base import CHAT, REQUESTS, SOURCES, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.crewai import ADAPTER
from agentassert.adapters.driver import Driver
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_method


class CrewAIAdapter(Adapter):
    """Wraps the methods by which crews, agents and flows run, tools are called, and models are asked.

    CrewAI's event bus is not used: its events hold the texts that were made of exceptions and results, a tool's have no call id, and models
    of a program's own send none.
    """

    name = ADAPTER
    distribution = "crewai"
    tested = ("1.10.1", "1.15.30")
    sees = frozenset({TOOL_FAILURES, CHAT, SOURCES, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.crewai.driving import CrewAIDriver

        return CrewAIDriver()

    def install(self) -> None:
        with needs():
            # Each from the module that defines it: when the trigger was imported, the package itself may not be complete.
            from crewai.agent.core import Agent
            from crewai.crew import Crew
            from crewai.flow.flow import Flow
            from crewai.knowledge.knowledge import Knowledge

            from agentassert.adapters.crewai import knowledge, models, runs, tools
        for owner, names, begin in (
            (Agent, ("kickoff",), runs.kick_off),
            (Agent, ("kickoff_async",), runs.kick_off_async),
            (Agent, ("execute_task", "aexecute_task"), runs.begin_task),
            (Crew, ("kickoff", "akickoff"), runs.begin_crew),
            (_defining(Flow, "kickoff_async"), ("kickoff_async",), runs.begin_flow),
            (_defining(Flow, "resume_async"), ("resume_async",), runs.begin_resumption),
        ):
            for name in names:
                wrap_method(owner, name, recorded(ADAPTER, begin, runs.complete))
        for name in ("query", "aquery"):
            wrap_method(Knowledge, name, knowledge.searched)
        models.install()
        tools.install()


def _defining(kind: type, name: str) -> type:
    """The class that a method comes from: newer releases divide flows into several."""
    return next((one for one in kind.__mro__ if name in vars(one)), kind)
