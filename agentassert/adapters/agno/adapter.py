"""Where Agno is hooked into."""

from __future__ import annotations

from typing import Any, Final

from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.patching import wrap_function, wrap_method

_FORMS: Final = ("{}", "{}_stream", "a{}", "a{}_stream")
_PLAIN_FORMS: Final = ("{}", "a{}")


class _Adapter(Adapter):
    name = ADAPTER
    distribution = "agno"
    tested = ("2.5.0", "3.1.10")
    sees = frozenset({TOOL_FAILURES, CHAT, APPROVALS, REQUESTS})


class AgnoAdapter(_Adapter):
    """Wraps the methods that run agents, the one by which each function of theirs is called, and those by which models are asked.

    What Agno returns of a run does not hold its error, and a stream may not hold how the run ended. So the functions are wrapped, too,
    by which it stores each run that ends or pauses, and the one by which it logs the error of a tool.
    """

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.agno.driving import AgnoDriver

        return AgnoDriver()

    def install(self) -> None:
        with needs():
            from agno.agent import _run, _tools
            from agno.agent.agent import Agent
            from agno.models.base import Model
            from agno.tools import function

            from agentassert.adapters.agno import approvals, models, runs, tools
        _wrap_runs(Agent)
        for form in _PLAIN_FORMS:
            wrap_method(function.FunctionCall, form.format("execute"), tools.recorded)
            wrap_function(_run, form.format("cleanup_and_store"), runs.noting)
        wrap_function(function, "log_exception", tools.hearing)
        wrap_method(function.Function, "_get_cached_result", tools.remembering)
        wrap_method(Model, "_get_retry_delay", models.retrying)
        wrap_method(Model, "get_function_calls_to_run", models.naming)
        for form in _FORMS:
            wrap_method(Model, f"_{form.format('invoke')}_with_retry", models.recorded)
            wrap_function(_tools, form.format("handle_tool_call_updates"), approvals.deciding)


class AgnoTeamAdapter(_Adapter):
    """Does for teams what is done for agents."""

    def install(self) -> None:
        with needs():
            from agno.team import _run
            from agno.team.team import Team

            from agentassert.adapters.agno import approvals, runs
        _wrap_runs(Team)
        for form in _PLAIN_FORMS:
            wrap_function(_run, f"_{form.format('cleanup_and_store')}", runs.noting)
        for form in _FORMS:
            wrap_function(_run, f"_{form.format('handle_team_tool_call_updates')}", approvals.deciding)


class AgnoWorkflowAdapter(_Adapter):
    """Wraps the methods that run workflows; what their steps do is seen by itself."""

    def install(self) -> None:
        with needs():
            from agno.workflow.workflow import Workflow

            from agentassert.adapters.agno import runs
        for form in _PLAIN_FORMS:
            wrap_method(Workflow, form.format("run"), runs.run)
        wrap_method(Workflow, "_aexecute", runs.executing)


class AgnoKnowledgeAdapter(_Adapter):
    """Wraps the methods by which knowledge is searched."""

    def install(self) -> None:
        with needs():
            from agno.knowledge.knowledge import Knowledge

            from agentassert.adapters.agno import knowledge
        for form in _PLAIN_FORMS:
            wrap_method(Knowledge, form.format("search"), knowledge.recorded)


def _wrap_runs(owner: Any) -> None:
    from agentassert.adapters.agno import runs

    for form in _PLAIN_FORMS:
        wrap_method(owner, form.format("run"), runs.run)
        wrap_method(owner, form.format("continue_run"), runs.go_on)
