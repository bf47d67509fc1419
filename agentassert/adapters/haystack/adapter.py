"""Where Haystack is hooked into."""

from __future__ import annotations

from agentassert.adapters.base import APPROVALS, CHAT, EMBEDDING, REQUESTS, SOURCES, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.haystack import ADAPTER
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_function, wrap_method


class _Haystack(Adapter):
    name = ADAPTER
    distribution = "haystack-ai"
    tested = ("2.28.0", "3.4.1")
    sees = frozenset({TOOL_FAILURES, CHAT, EMBEDDING, SOURCES, APPROVALS, REQUESTS})


class HaystackPipelinesAdapter(_Haystack):
    """Wraps pipelines, and the components that call models or retrieve, when each class of them is registered."""

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.haystack.driving import HaystackDriver

        return HaystackDriver()

    def install(self) -> None:
        with needs():
            # Each from the module that defines it: when the trigger was imported, the package itself may not be complete.
            from haystack.core import pipeline as pipelines
            from haystack.core.component.component import _Component
            from haystack.core.pipeline.pipeline import Pipeline

            from agentassert.adapters.haystack import components, runs
        record = recorded(ADAPTER, runs.begin_pipeline, runs.end, stop=runs.stop)
        wrap_method(Pipeline, "run", record)
        for name in ("run_async", "run_async_generator"):
            # Before Haystack 3, a class of its own runs in async code.
            wrap_method(getattr(pipelines, "AsyncPipeline", Pipeline), name, record)
        wrap_method(_Component, "_component", components.registering)
        components.wrap_registered()


class HaystackToolsAdapter(_Haystack):
    """Wraps tools, which programs with a loop of their own call themselves."""

    def install(self) -> None:
        with needs():
            from haystack.tools.tool import Tool

            from agentassert.adapters.haystack import tools
        for name in tools.METHODS:
            if hasattr(Tool, name):  # before Haystack 3, tools are not asynchronous
                wrap_method(Tool, name, tools.called)


class HaystackAdapter(_Haystack):
    """Wraps agents, the places where they run tools, and the strategies by which they ask a person."""

    def install(self) -> None:
        with needs():
            from haystack.components.agents.agent import Agent

            from agentassert.adapters.haystack import approvals, runs, tools
        record = recorded(ADAPTER, runs.begin_agent, runs.end_agent, stop=runs.stop)
        wrap_method(Agent, "run", record)
        wrap_method(Agent, "run_async", record)
        tools.install()
        wrap_method(approvals.BlockingConfirmationStrategy, "run", approvals.asking)
        wrap_function(approvals.strategies, "_get_confirmation_strategy", approvals.finding)
