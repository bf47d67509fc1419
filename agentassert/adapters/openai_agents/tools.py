"""Tools that run in the program: function tools, agents and MCP tools among them, and the SDK's own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from agents.tool import Tool
from agents.tracing import get_current_span

from agentassert.adapters.base import guarded
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.items import Requested, field
from agentassert.adapters.openai_agents.runs import Execution, Run, position, running


@guarded(ADAPTER)
def prepare(context: Any) -> None:
    """The SDK made the context of a tool call, in the task in which everything about that call happens."""
    run = running()
    if run is None:
        return
    execution = run.suspended.pop(context.tool_call_id, None)
    if execution is None:
        asked = Requested(context.tool_name, context.tool_arguments, context.tool_call_id)
        execution = Execution(run, asked, _span_data())
    else:
        execution.span_data = _span_data()
        execution.waits = False
    position.set(execution)


@guarded(ADAPTER)
def start(run: Run, tool: Tool) -> None:
    """A tool is about to run."""
    execution = position.get()
    if not isinstance(execution, Execution) or execution.run is not run:
        execution = Execution(run, _claimed(run, tool.name), _span_data())
    if execution.started is None:
        execution.start()


@guarded(ADAPTER)
def end(run: Run, tool: Tool, told: Any) -> None:
    """A tool has run."""
    execution = position.get()
    if isinstance(execution, Execution) and execution.run is run:
        if execution.started is None:
            execution.start()
        execution.end(told)
        return
    for one in run.executions:
        if one.asked.name == tool.name:
            one.end(told)
            return


@guarded(ADAPTER)
def blame(span_data: Any, error: Any) -> None:
    """The SDK marks the span of a tool as failed, which it does wherever it handles a tool's exception."""
    run = running()
    if run is None:
        return
    for execution in run.executions:
        if execution.span_data is span_data and execution.returned is None:
            # The error that it is given is a text, without what could be sensitive; the exception is being handled right now.
            execution.error = sys.exception() or str(error.get("message"))


@guarded(ADAPTER)
def fail(error: BaseException | str) -> None:
    """What the running tool does failed, of which no span is told."""
    execution = position.get()
    if isinstance(execution, Execution):
        execution.error = error


@guarded(ADAPTER)
def returned(result: Any) -> None:
    """A guardrail is about to look at what the running tool returned."""
    execution = position.get()
    if isinstance(execution, Execution) and execution.returned is None:
        execution.returned = (result,)


def _span_data() -> Any:
    """What the SDK knows the running tool by, also where tracing is disabled."""
    span = get_current_span()
    return None if span is None or span.span_data.type != "function" else span.span_data


def _claimed(run: Run, name: str) -> Requested:
    """The first request that asks for a tool of the SDK's own, whose hooks are not told which one they answer."""
    for asked in run.requested:
        if asked.name == name:
            run.requested.remove(asked)
            return asked
    return Requested(name)


def calling(original: Callable[..., Any]) -> Callable[..., Any]:
    """`MCPServer.call_tool`."""

    async def call_tool(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = await original(self, *args, **kwargs)
        _judge(result)
        return result

    return call_tool


@guarded(ADAPTER)
def _judge(result: Any) -> None:
    """An MCP tool that failed gives a result like any other, which says so."""
    # Asked for by its old name alone where it has that alone: fastmcp warns of the old one, which a filter may make an error.
    failed = result.is_error if hasattr(result, "is_error") else field(result, "isError")
    if failed:
        fail("\n".join(str(field(part, "text") or "") for part in result.content))
