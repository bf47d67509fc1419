"""Doubles in the place of function tools, MCP tools and agents that are tools."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Callable
from typing import Any

from agents import FunctionTool, function_tool
from agents.agent import AgentBase

from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn


@functools.cache
def install_doubles() -> None:
    """Wrap the method by which a run asks its agent for tools."""
    wrap_method(AgentBase, "get_all_tools", _listing)


def _listing(original: Callable[..., Any]) -> Callable[..., Any]:
    async def get_all_tools(self: Any, *args: Any, **kwargs: Any) -> Any:
        tools = await original(self, *args, **kwargs)
        return tools if active.current().doubles is None else [_doubled(tool) for tool in tools]

    return get_all_tools


def _doubled(tool: Any) -> Any:
    """A copy of the tool that looks for its double when it is invoked, so that nobody else sees it."""
    if not isinstance(tool, FunctionTool):
        return tool
    doubled = copy.copy(tool)
    original = tool.on_invoke_tool

    async def invoke(context: Any, given: str) -> Any:
        double = active.stand_in(tool.name)
        if double is None:
            return await original(context, given)
        return await _invoker(tool, double, given)(context, "{}")

    doubled.on_invoke_tool = invoke
    return doubled


def _invoker(tool: FunctionTool, double: StandIn, given: str) -> Callable[[Any, str], Any]:
    """A function tool made of the double: what follows from its errors is up to the SDK, as for the tool itself."""

    async def stand_in() -> Any:
        return await double.awaited(_call(tool, given))

    named: dict[str, Any] = {"name_override": tool.name, "strict_mode": False}
    if not tool._use_default_failure_error_function:  # noqa: SLF001
        named["failure_error_function"] = tool._failure_error_function  # noqa: SLF001
    made: FunctionTool = function_tool(stand_in, **named)
    return made.on_invoke_tool


def _call(tool: FunctionTool, given: str) -> Call:
    from agentassert.doubles.specs import schema_complaint

    try:
        arguments = json.loads(given) if given else {}
    except ValueError:
        return Call({}, complaint=f"its arguments are no JSON: {given!r}")
    complaint = schema_complaint(tool.params_json_schema, arguments)
    return Call(arguments if isinstance(arguments, dict) else {}, complaint=complaint)
