"""Where Strands is hooked into."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from typing import Any

from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.patching import wrap_family, wrap_function, wrap_method
from agentassert.adapters.strands import ADAPTER


class _Strands(Adapter):
    name = ADAPTER
    distribution = "strands-agents"
    tested = ("1.30.0", "1.62.0")
    sees = frozenset({TOOL_FAILURES, CHAT, APPROVALS, REQUESTS})


class StrandsAdapter(_Strands):
    """Wraps the streams that everything in a run comes from: of the agent, of each request to its model, and of each tool.

    No hook is added to agents: those are told of a tool also where it did not run, and not while it runs.
    """

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.strands.driving import StrandsDriver

        return StrandsDriver()

    def install(self) -> None:
        with needs():
            from strands.agent.agent import Agent
            from strands.event_loop import event_loop
            from strands.models.model import Model
            from strands.tools.executors._executor import ToolExecutor
            from strands.types.interrupt import _Interruptible
            from strands.types.tools import AgentTool

            from agentassert.adapters.strands import approvals, memories, models, runs, tools
        wrap_method(Agent, "stream_async", runs.agent_run)
        wrap_method(Agent, "structured_output_async", runs.structured_output)
        wrap_function(event_loop, "stream_messages", models.recorded_call)
        wrap_family(Model, {"stream": models.asked_directly})
        wrap_function(ToolExecutor, "_stream", approvals.deciding)
        wrap_family(AgentTool, {"stream": tools.running})
        for asking in (_Interruptible, *_later("strands.middleware.stages", "ExecuteToolContext")):
            wrap_method(asking, "interrupt", approvals.asking)
        for memory in _later("strands.memory.memory_manager", "MemoryManager"):
            wrap_method(memory, "search", memories.searched)


class StrandsTeamsAdapter(_Strands):
    """Wraps the streams of swarms and graphs, which are in modules that an agent alone does not import."""

    def install(self) -> None:
        with needs():
            from strands.multiagent.graph import Graph
            from strands.multiagent.swarm import Swarm

            from agentassert.adapters.strands import teams
        wrap_method(Graph, "stream_async", teams.team_run)
        wrap_method(Swarm, "stream_async", teams.team_run)
        wrap_method(Swarm, "_handle_handoff", teams.handing_over)


def _later(module: str, name: str) -> Iterator[Any]:
    """A class that only later releases than the oldest have."""
    with contextlib.suppress(ImportError):
        yield getattr(importlib.import_module(module), name)
