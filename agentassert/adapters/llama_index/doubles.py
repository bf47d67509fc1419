"""Doubles in the place of an agent's tools."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from llama_index.core.agent.workflow import AgentWorkflow
from llama_index.core.agent.workflow.base_agent import BaseWorkflowAgent
from llama_index.core.tools import FunctionTool

from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn


@functools.cache
def install_doubles() -> None:
    """Wrap the methods by which agents, and workflows of them, call a tool that they have chosen."""
    wrap_method(BaseWorkflowAgent, "_call_tool", _calling)
    wrap_method(AgentWorkflow, "_call_tool", _calling)


def _calling(original: Callable[..., Any]) -> Callable[..., Any]:
    async def call_tool(self: Any, ctx: Any, tool: Any, tool_input: Any) -> Any:
        double = active.stand_in(tool.metadata.get_name())
        return await original(self, ctx, tool if double is None else _doubled(tool, double, ctx), tool_input)

    return call_tool


def _doubled(tool: Any, double: StandIn, ctx: Any) -> FunctionTool:
    """A tool of the same description that does what the double does, for this call."""
    context = getattr(tool, "ctx_param_name", None)

    async def stand_in(**arguments: Any) -> Any:
        from agentassert.doubles.specs import schema_complaint

        complaint = schema_complaint(tool.metadata.get_parameters_dict(), arguments)
        return await double.awaited(Call(arguments, injected={} if context is None else {context: ctx}, complaint=complaint))

    return FunctionTool(async_fn=stand_in, metadata=tool.metadata)
