"""Doubles in the place of an agent's tools."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

from google.adk.tools.function_tool import FunctionTool

from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn


def stood_in(tool: Any, original: Callable[..., Any], args: Any) -> Callable[..., Any]:
    """What runs in the place of a tool's own method: that method, unless a double stands in for the tool."""
    double = active.stand_in(tool.name)
    if double is None or getattr(tool, "_agentassert_double", False):
        return original
    return _function(tool, double, args) if isinstance(tool, FunctionTool) else _whole(tool, double)


def _function(tool: FunctionTool, double: StandIn, given: Any) -> Callable[..., Any]:
    """A copy of the tool whose function is the double: what ADK does before it calls a function stays as it is."""
    doubled: Any = copy.copy(tool)

    @functools.wraps(tool.func)
    async def stand_in(**kwargs: Any) -> Any:
        from agentassert.doubles.specs import function_complaint

        complaint = function_complaint(tool.func, (), kwargs)
        injected = {name: value for name, value in kwargs.items() if name not in given}
        return await double.awaited(Call(given, injected=injected, complaint=complaint))

    doubled.func = stand_in
    doubled._agentassert_double = True  # noqa: SLF001
    run_async: Callable[..., Any] = doubled.run_async
    return run_async


def _whole(tool: Any, double: StandIn) -> Callable[..., Any]:
    async def run_async(*, args: Any, tool_context: Any) -> Any:
        return await double.awaited(Call(args, injected={"tool_context": tool_context}, complaint=_complaint(tool, args)))

    return run_async


def _complaint(tool: Any, args: Any) -> str | None:
    from agentassert.doubles.specs import schema_complaint

    declaration = tool._get_declaration()  # noqa: SLF001
    schema = getattr(declaration, "parameters_json_schema", None)
    return schema_complaint(schema, args) if schema else None
