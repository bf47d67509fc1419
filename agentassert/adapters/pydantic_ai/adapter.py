"""Where Pydantic AI is hooked into."""

from __future__ import annotations

import importlib.util
import inspect

from agentassert.adapters.base import APPROVALS, CHAT, EMBEDDING, REQUESTS, TOOL_FAILURES, Adapter, HookMissingError, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.patching import wrap_method
from agentassert.adapters.pydantic_ai import ADAPTER


def has_capabilities() -> bool:
    """Whether runs take capabilities; without them, Pydantic AI comes in by its spans."""
    from pydantic_ai.agent import Agent

    return "capabilities" in inspect.signature(Agent.iter).parameters


class _PydanticAI(Adapter):
    name = ADAPTER
    distribution = "pydantic-ai-slim"
    tested = ("1.86.0", "2.68.0")
    sees = frozenset({TOOL_FAILURES, CHAT, EMBEDDING, APPROVALS, REQUESTS})


class PydanticAIAdapter(_PydanticAI):
    """Wraps the method that every run of an agent goes through, and gives each run a capability of its own."""

    @classmethod
    def meets_framework(cls) -> bool:
        return has_capabilities()

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.pydantic_ai.driving import PydanticAIDriver

        return PydanticAIDriver()

    def install(self) -> None:
        with needs():
            from pydantic_ai import Agent, Embedder
            from pydantic_ai.capabilities import CombinedCapability

            from agentassert.adapters.pydantic_ai import approvals, contexts, embedding
        if not has_capabilities():
            raise HookMissingError("pydantic_ai.Agent.iter takes no capabilities")
        wrap_method(Embedder, "embed", embedding.recorded)
        if "handle_deferred_tool_calls" in vars(CombinedCapability):  # in early releases, nothing is decided while a run goes on
            wrap_method(CombinedCapability, "handle_deferred_tool_calls", approvals.recorded)
        wrap_method(Agent, "iter", contexts.recorded)


class PydanticAIDirectAdapter(_PydanticAI):
    """Gives the functions that send a request without an agent a model that records it."""

    @classmethod
    def meets_framework(cls) -> bool:
        # Not by the agent's signature: it may be imported while the module that defines agents still is.
        return importlib.util.find_spec("pydantic_ai.capabilities") is not None

    def install(self) -> None:
        with needs():
            from agentassert.adapters.pydantic_ai import direct
        direct.install()
