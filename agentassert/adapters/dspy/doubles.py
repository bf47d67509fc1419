"""Doubles in the place of an agent's tools."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from dspy.adapters.types.tool import Tool

from agentassert.adapters.dspy.programs import is_an_ending
from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn


@functools.cache
def install_doubles() -> None:
    """Have doubles looked for wherever a tool is called."""
    wrap_method(Tool, "__call__", functools.partial(_doubled, invoke=StandIn.called))
    wrap_method(Tool, "acall", functools.partial(_doubled, invoke=StandIn.awaited))


def _doubled(original: Callable[..., Any], invoke: Callable[[StandIn, Call], Any]) -> Callable[..., Any]:
    """The method of a tool, or of a copy of it that calls a double: what DSPy does before it calls a function stays as it is."""

    def call(tool: Any, **arguments: Any) -> Any:
        double = None if is_an_ending(tool) else active.stand_in(tool.name)
        return original(tool if double is None else _copy(tool, double, arguments, invoke), **arguments)

    return call


def _copy(tool: Any, double: StandIn, given: dict[str, Any], invoke: Callable[[StandIn, Call], Any]) -> Any:
    def stand_in(**arguments: Any) -> Any:
        from agentassert.doubles.specs import function_complaint

        return invoke(double, Call(given, complaint=function_complaint(tool.func, (), arguments)))

    return tool.model_copy(update={"func": stand_in})
