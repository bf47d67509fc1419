"""The tools of an agent, and the agents that it manages, as they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from smolagents.agent_types import handle_agent_output_types
from smolagents.agents import MultiStepAgent, ToolCallingAgent
from smolagents.tools import BaseTool, Tool, validate_tool_arguments
from smolagents.utils import AgentToolCallError, AgentToolExecutionError

from agentassert import recorder
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_family, wrap_method
from agentassert.adapters.smolagents import ADAPTER
from agentassert.adapters.smolagents.messages import FINAL_ANSWER
from agentassert.doubles import active
from agentassert.recording.events import ToolEvent

_tools: Final[WeakKeyDictionary[ToolEvent, Any]] = WeakKeyDictionary()
"""What runs: an agent may know a tool by another name than its own."""
_CONVERTS: Final = "sanitize_inputs_outputs"
"""By this agents ask a tool to convert what it is given and what it gives."""


def install() -> None:
    """Wrap what runs tools: an agent that calls them does it by one method, and code that an agent wrote calls them itself.

    Wrapped twice, they are recorded once.
    """
    wrap_method(ToolCallingAgent, "execute_tool_call", _executing)
    wrap_family(MultiStepAgent, {"__call__": _calling})
    wrap_family(BaseTool, {"__call__": _calling_tool})


def _executing(original: Callable[..., Any]) -> Callable[..., Any]:
    def execute_tool_call(self: Any, tool_name: str, arguments: Any) -> Any:
        try:
            return original(self, tool_name, arguments)
        except AgentToolCallError as error:
            double = _double_of(tool_name)
            if double is not None:
                double.refuse(str(error))
            raise

    return recorded(ADAPTER, _begin_execution, _end, stop=_stop, kind="plain")(execute_tool_call)


def _calling(original: Callable[..., Any]) -> Callable[..., Any]:
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        around = recorder.current_event()
        double = _double_of(around.name if isinstance(around, ToolEvent) and _tools.get(around) is self else self.name)
        return original(self, *args, **kwargs) if double is None else _stood_in(self, double, args, kwargs)

    return recorded(ADAPTER, _begin_call, _end, stop=_stop, kind="plain")(call)


def _calling_tool(original: Callable[..., Any]) -> Callable[..., Any]:
    call = _calling(original)
    if (original.__module__, original.__qualname__) == (Tool.__module__, f"{Tool.__qualname__}.__call__"):
        return call

    def overriding(self: Any, *args: Any, **kwargs: Any) -> Any:
        # Written out as source, a tool keeps the methods whose code is not that of `Tool`'s, which that of one wrapper would be.
        return call(self, *args, **kwargs)

    return overriding


def _begin_execution(agent: Any, tool_name: str, arguments: Any) -> ToolEvent | None:
    tool = {**agent.tools, **agent.managed_agents}.get(tool_name)
    if tool is None:
        return None
    named = arguments if isinstance(arguments, (dict, str)) else _arguments_of(tool, (arguments,), {})
    return _start(tool, tool_name, named)


def _begin_call(tool: Any, *args: Any, **kwargs: Any) -> ToolEvent | None:
    return _start(tool, tool.name, _arguments_of(tool, args, kwargs))


def _start(tool: Any, name: str, arguments: Any) -> ToolEvent | None:
    around = recorder.open_around(ToolEvent, ADAPTER)
    is_within = around is not None and (around.name == name or _tools.get(around) is tool)
    event = None if is_within or name == FINAL_ANSWER else recorder.start_tool(name, arguments, adapter=ADAPTER)
    if event is not None:
        _tools[event] = tool
    return event


def _end(event: ToolEvent, result: Any) -> None:
    inner = event.inner
    if inner is not None and inner.error is not None and result == inner.result:
        event.fail(inner.error, result)  # tools of MCP servers give the words of a failure like those of a result
    else:
        event.succeed(result)


def _stop(event: ToolEvent, error: BaseException) -> None:
    is_told = isinstance(error, (AgentToolCallError, AgentToolExecutionError))
    recorder.end_by(event, error.__cause__ if is_told and error.__cause__ is not None else error)


def _arguments_of(tool: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, of a call by code too, which may give them by position, or all of them as one mapping."""
    by_name = {name: value for name, value in kwargs.items() if name != _CONVERTS}
    inputs = list(getattr(tool, "inputs", ()))  # an agent that none manages has none
    if len(args) == 1 and not by_name and isinstance(args[0], dict) and all(name in inputs for name in args[0]):
        return args[0]
    left = {"args": list(args[len(inputs) :])} if len(args) > len(inputs) else {}
    return {**dict(zip(inputs, args, strict=False)), **left, **by_name}


def _double_of(name: str) -> Any:
    return None if name == FINAL_ANSWER else active.stand_in(name)


def _stood_in(tool: Any, double: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a double gives in the place of a tool, made into what agents expect of a tool."""
    from agentassert.doubles.sets import Call

    arguments = _arguments_of(tool, args, kwargs)
    result = double.called(Call(arguments, complaint=_complaint(tool, arguments)))
    return handle_agent_output_types(result, tool.output_type) if kwargs.get(_CONVERTS) else result


def _complaint(tool: Any, arguments: Mapping[str, Any]) -> str | None:
    if not isinstance(tool, BaseTool):
        return None  # an agent, which code may give whatever its run takes
    try:
        validate_tool_arguments(tool, dict(arguments))
    except (ValueError, TypeError) as error:
        return str(error)
    return None
