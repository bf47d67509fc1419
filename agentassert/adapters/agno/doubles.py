"""Doubles in the place of functions."""

from __future__ import annotations

import asyncio
import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any

from agno.tools.function import FunctionCall

from agentassert.adapters.agno.gates import stood_in_for
from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call


@functools.cache
def install_doubles() -> None:
    """Have doubles looked for where functions are called."""
    wrap_method(FunctionCall, "execute", _standing_in)
    wrap_method(FunctionCall, "aexecute", _awaiting)


def _standing_in(original: Callable[..., Any]) -> Callable[..., Any]:
    def execute(self: Any) -> Any:
        double = active.stand_in(self.function.name)
        if double is not None:

            def stand_in(**arguments: Any) -> Any:
                result = double.call(_call(self, arguments))
                return asyncio.run(result) if inspect.iscoroutine(result) else result

            _put(self, stand_in)
        return original(self)

    return execute


def _awaiting(original: Callable[..., Any]) -> Callable[..., Any]:
    async def aexecute(self: Any) -> Any:
        double = active.stand_in(self.function.name)
        if double is not None:

            async def stand_in(**arguments: Any) -> Any:
                return await double.awaited(_call(self, arguments))

            _put(self, stand_in)
        return await original(self)

    return aexecute


def _put(call: Any, stand_in: Callable[..., Any]) -> None:
    """Have a call go to a double; what Agno does around it, hooks for example, stays as it is."""
    call.function = copy.copy(call.function)
    call.function.entrypoint = stood_in_for(call.function.entrypoint, stand_in)
    call.function.cache_results = False


def _call(call: Any, arguments: dict[str, Any]) -> Call:
    from agentassert.doubles.specs import schema_complaint

    function = call.function
    injected = {"agent": function._agent, "team": function._team, "run_context": function._run_context, "fc": call}  # noqa: SLF001
    return Call(arguments, injected=injected, complaint=schema_complaint(function.parameters, arguments))
