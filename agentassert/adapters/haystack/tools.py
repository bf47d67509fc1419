"""The tools of an agent, as they run."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, Final

from haystack.tools.errors import ToolInvocationError
from haystack.tools.tool import Tool

from agentassert import recorder
from agentassert.adapters.base import HookMissingError, guarded
from agentassert.adapters.haystack import ADAPTER
from agentassert.adapters.haystack.messages import plain
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_function, wrap_method
from agentassert.doubles import active
from agentassert.doubles.sets import Call, StandIn
from agentassert.recording.events import ToolEvent
from agentassert.recording.guarding import suspends


def install() -> None:
    """Hook in where Haystack is about to run a tool, and knows what the model asked for."""
    try:
        running = importlib.import_module("haystack.components.agents.tool_calling")
    except ImportError:  # before Haystack 3
        invoking = importlib.import_module("haystack.components.tools.tool_invoker")
        wrap_method(invoking.ToolInvoker, "_prepare_tool_call_params", _preparing)
        return
    wrap_function(running, "_make_context_bound_invoke", _binding)
    wrap_function(running, "_make_bounded_invoke_async", _binding)


install_doubles = functools.cache(install)
"""Have doubles looked for also where nothing is captured."""


def _binding(original: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(original)
    if not {"tool", "tool_call"} <= signature.parameters.keys():
        raise HookMissingError("it makes the calls of tools in another way")

    def make(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        return original(**{**given, "tool": _watched(given["tool"], given["tool_call"])})

    return make


def _preparing(original: Callable[..., Any]) -> Callable[..., Any]:
    def prepare(self: Any, *args: Any, **kwargs: Any) -> Any:
        prepared = original(self, *args, **kwargs)
        _watch_all(*prepared)
        return prepared

    return prepare


@guarded(ADAPTER)
def _watch_all(calls: Any, prepared: Any, _: Any) -> None:
    for call, one in zip(calls, prepared, strict=True):
        one["tool_to_invoke"] = _watched(one["tool_to_invoke"], call)


def _watched(tool: Any, call: Any) -> Any:
    is_of_interest = active.in_use or recorder.listening()
    return _Watched(tool, call) if is_of_interest and not isinstance(tool, _Watched) else tool


def _begin(tool: _Watched, /, **_: Any) -> ToolEvent | None:
    return recorder.start_tool(tool.call.tool_name, tool.call.arguments, adapter=ADAPTER, call_id=tool.call.id)


def _end(event: ToolEvent, result: Any) -> None:
    event.succeed(plain(result), result)


def _stop(event: ToolEvent, error: BaseException) -> None:
    if isinstance(error, ToolInvocationError):
        event.fail(error.__cause__ or error, str(error))
    elif not suspends(error):
        recorder.end_by(event, error)


def _begin_by_program(tool: Any, /, **arguments: Any) -> ToolEvent | None:
    around = recorder.open_around(ToolEvent, ADAPTER)
    if around is not None and around.name == tool.name:
        return None  # it is how an agent runs the tool, or how the tool's other method does
    return recorder.start_tool(tool.name, arguments, adapter=ADAPTER)


called: Final = recorded(ADAPTER, _begin_by_program, _end, stop=_stop)
"""What a tool is called by, recorded where it is a program that calls it."""
METHODS: Final = ("invoke", "invoke_async")


class _Watched:
    """In the place of a tool, whatever its class, where it is called."""

    def __init__(self, tool: Any, call: Any) -> None:
        self.tool = tool
        self.call = call

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tool, name)

    @recorded(ADAPTER, _begin, _end, stop=_stop)
    def invoke(self, /, **arguments: Any) -> Any:
        """Call the tool, or its double in the way in which Haystack calls tools."""
        double = active.stand_in(self.tool.name)
        if double is None:
            return self.tool.invoke(**arguments)
        return self._doubled(function=lambda **_: double.called(self._call(arguments))).invoke(**arguments)

    @recorded(ADAPTER, _begin, _end, stop=_stop)
    async def invoke_async(self, /, **arguments: Any) -> Any:
        """The same in async code."""
        double = active.stand_in(self.tool.name)
        if double is None:
            return await self.tool.invoke_async(**arguments)
        return await self._doubled(async_function=self._awaiting(double, arguments)).invoke_async(**arguments)

    def _awaiting(self, double: StandIn, arguments: dict[str, Any]) -> Callable[..., Any]:
        async def stand_in(**_: Any) -> Any:
            return await double.awaited(self._call(arguments))

        return stand_in

    def _doubled(self, **functions: Any) -> Any:
        tool = self.tool
        return Tool(name=tool.name, description=tool.description, parameters=tool.parameters, **functions)

    def _call(self, arguments: dict[str, Any]) -> Call:
        from agentassert.doubles.specs import schema_complaint

        given = self.call.arguments
        injected = {name: value for name, value in arguments.items() if name not in given}
        return Call(given, injected=injected, complaint=schema_complaint(self.tool.parameters, given))
