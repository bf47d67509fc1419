"""Doubles in the place of an agent's tools."""

from __future__ import annotations

import copy
import functools
from collections.abc import AsyncGenerator, Callable
from typing import Any

from strands.tools.decorator import DecoratedFunctionTool
from strands.types._events import ToolResultEvent

from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn


def doubled(original: Callable[..., Any]) -> Callable[..., Any]:
    """`AgentTool.stream`, in whose place that of a double runs where one stands in for the tool."""

    def stream(self: Any, tool_use: Any, *args: Any, **kwargs: Any) -> Any:
        double = None if getattr(self, "_agentassert_double", False) else active.stand_in(self.tool_name)
        if double is None:
            return original(self, tool_use, *args, **kwargs)
        call = Call(tool_use.get("input") or {}, complaint=_complaint(self, tool_use))
        if call.complaint is None and isinstance(self, DecoratedFunctionTool):
            return _function(self, double, call).stream(tool_use, *args, **kwargs)
        return _whole(double, call, str(tool_use.get("toolUseId")))

    return stream


def _function(tool: Any, double: StandIn, call: Call) -> Any:
    """A copy of the tool whose function is the double: what Strands does before and after it stays as it is."""
    stood: Any = copy.copy(tool)

    @functools.wraps(tool._tool_func)  # noqa: SLF001
    async def stand_in(**given: Any) -> Any:
        injected = {name: value for name, value in given.items() if name not in call.arguments}
        return await double.awaited(Call(call.arguments, injected=injected))

    stood._tool_func = stand_in  # noqa: SLF001
    stood._agentassert_double = True  # noqa: SLF001
    return stood


async def _whole(double: StandIn, call: Call, call_id: str) -> AsyncGenerator[Any, None]:
    given = await double.awaited(call)
    if not (isinstance(given, dict) and {"status", "content"} <= given.keys()):
        given = {"status": "success", "content": [{"text" if isinstance(given, str) else "json": given}]}
    result: Any = {**given, "toolUseId": call_id}
    yield ToolResultEvent(result)


def _complaint(tool: Any, tool_use: Any) -> str | None:
    from agentassert.doubles.specs import schema_complaint

    schema = tool.tool_spec["inputSchema"]
    return schema_complaint(schema.get("json", schema), tool_use.get("input") or {})
