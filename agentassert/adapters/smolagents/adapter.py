"""Where smolagents is hooked into."""

from __future__ import annotations

from agentassert.adapters.base import CHAT, REQUESTS, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.patching import wrap_family, wrap_method
from agentassert.adapters.smolagents import ADAPTER


class SmolagentsAdapter(Adapter):
    """Wraps the methods that run agents, tools and models.

    Callbacks of steps would not do: they are given to each agent's constructor, and are told of no tool of a step that failed.
    """

    name = ADAPTER
    distribution = "smolagents"
    tested = ("1.21.0", "1.26.0")
    sees = frozenset({TOOL_FAILURES, CHAT, REQUESTS})

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.smolagents.driving import SmolagentsDriver

        return SmolagentsDriver()

    def install(self) -> None:
        with needs():
            # Each from the module that defines it: when the trigger was imported, the package itself may not be complete.
            from smolagents.agents import MultiStepAgent
            from smolagents.models import Model

            from agentassert.adapters.smolagents import models, runs, tools
        wrap_method(MultiStepAgent, "run", runs.running)
        wrap_family(
            Model, {"generate": models.generating, "generate_stream": models.streaming, "parse_tool_calls": models.parsing}
        )
        tools.install()
