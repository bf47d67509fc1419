"""Doubles in the place of an agent's tools."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.toolsets import AbstractToolset, WrapperToolset

from agentassert.adapters.patching import wrap_method
from agentassert.adapters.pydantic_ai.messages import arguments_of
from agentassert.doubles import active
from agentassert.doubles.sets import Call


@functools.cache
def install_doubles() -> None:
    """Give each run that begins where doubles are in use a capability that looks for them."""
    wrap_method(Agent, "iter", _iterating)


def _iterating(original: Callable[..., Any]) -> Callable[..., Any]:
    def open_run(self: Any, *args: Any, **options: Any) -> Any:
        if active.current().doubles is not None:
            options["capabilities"] = [*(options.get("capabilities") or ()), _Doubling()]
        return original(self, *args, **options)

    return open_run


class _Doubling(AbstractCapability[Any]):
    """Puts itself between the agent and its tools."""

    _safe_at_runtime: ClassVar[bool] = True

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        return _DoubledToolset(toolset)

    async def on_tool_validate_error(self, ctx: Any, *, call: Any, tool_def: Any, args: Any, error: Any) -> Any:
        double = None if ctx.partial_output else active.stand_in(call.tool_name)
        if double is not None:
            from agentassert.doubles.specs import schema_complaint

            double.refuse(schema_complaint(tool_def.parameters_json_schema, arguments_of(call)) or str(error))
        raise error


@dataclass
class _DoubledToolset(WrapperToolset[Any]):
    """Calls the double of a tool, after Pydantic AI has checked the arguments as it does for the tool itself."""

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        double = active.stand_in(name)
        if double is None:
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        return await double.awaited(Call(tool_args, injected={"ctx": ctx}))
