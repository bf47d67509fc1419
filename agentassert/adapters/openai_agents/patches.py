"""What is put in the place of the SDK's own methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.exceptions import ToolTimeoutError
from agents.mcp import MCPServer
from agents.models.interface import Model
from agents.result import RunResult, RunResultStreaming
from agents.run import AgentRunner
from agents.run_state import RunState
from agents.tool_context import ToolContext
from agents.tool_guardrails import ToolOutputGuardrail
from agents.tracing.spans import NoOpSpan, SpanImpl

from agentassert import recorder
from agentassert.adapters.openai_agents import models, runner, tools
from agentassert.adapters.patching import wrap_family, wrap_function, wrap_method


def install() -> None:
    """Put everything in its place.

    Raises:
        HookMissingError: when one of the places is not there.
    """
    wrap_method(RunResultStreaming, "stream_events", runner.stream_events)
    wrap_method(RunResultStreaming, "cancel", runner.cancel)
    for result in (RunResult, RunResultStreaming):
        wrap_method(result, "to_state", runner.to_state)
    for decision in ("approve", "reject"):
        wrap_method(RunState, decision, runner.deciding)
    for span in (SpanImpl, NoOpSpan):
        wrap_method(span, "set_error", _set_error)
    wrap_method(ToolTimeoutError, "__init__", _timed_out)
    wrap_method(ToolOutputGuardrail, "run", _guarding)
    wrap_function(ToolContext, "from_agent_context", _preparing)
    wrap_family(Model, {"get_response": models.answering, "stream_response": models.streaming})
    wrap_family(MCPServer, {"call_tool": tools.calling})
    # Last, since all the others do nothing outside a run that these began: if one is missing, nothing is half recorded.
    wrap_method(AgentRunner, "run_streamed", runner.run_streamed)
    wrap_method(AgentRunner, "run", runner.run)


def _set_error(original: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(self: Any, error: Any) -> Any:
        if recorder.listening():
            tools.blame(self.span_data, error)
        return original(self, error)

    return recorded


def _timed_out(original: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        tools.fail(self)

    return recorded


def _guarding(original: Callable[..., Any]) -> Callable[..., Any]:
    async def recorded(self: Any, data: Any) -> Any:
        tools.returned(data.output)
        return await original(self, data)

    return recorded


def _preparing(original: Callable[..., Any]) -> Callable[..., Any]:
    def from_agent_context(cls: type[ToolContext[Any]], *args: Any, **kwargs: Any) -> Any:
        context = original(cls, *args, **kwargs)
        if recorder.listening():
            tools.prepare(context)
        return context

    return from_agent_context
