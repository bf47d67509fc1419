"""The tools of an agent, as they run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from google.adk.tools.base_tool import BaseTool

from agentassert import recorder
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.doubles import stood_in
from agentassert.adapters.google_adk.runs import position
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_family
from agentassert.recording.events import ToolEvent

_calls: Final[WeakKeyDictionary[ToolEvent, tuple[Any, Any]]] = WeakKeyDictionary()
"""By the executions, which tool runs, and the context that it is given."""


@functools.cache
def install_doubles() -> None:
    """Have doubles looked for also where nothing is captured."""
    wrap_family(BaseTool, {"run_async": running})


def running(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseTool.run_async`, of whatever class."""

    async def run_async(self: Any, *, args: Any, tool_context: Any) -> Any:
        return await stood_in(self, functools.partial(original, self), args)(args=args, tool_context=tool_context)

    return recorded(ADAPTER, _begin, _end)(run_async)


def _begin(tool: Any, *, args: Any, tool_context: Any) -> ToolEvent | None:
    call_id = None if tool_context is None else tool_context.function_call_id  # none where a program calls it, without an agent
    around = recorder.open_around(ToolEvent, ADAPTER)
    if around is not None and around.call_id == call_id:
        return None  # a class's own method calls the one that it overrides
    event = recorder.start_tool(tool.name, args, adapter=ADAPTER, call_id=call_id)
    if event is not None:
        _calls[event] = tool, tool_context
    return event


def _end(event: ToolEvent, result: Any) -> None:
    """It returned: a result, a failure in words, or a question of its own."""
    tool, context = _calls.pop(event)
    error = _soft_failure(tool, result)
    if context is not None and _was_held_back(context, error):
        recorder.withdraw(event)
    elif error is not None:
        event.fail(error, result)
    else:
        event.succeed(result)
    work = position.get()
    if work is not None and context is not None and context.actions.transfer_to_agent:
        work.run.transfers[context.actions.transfer_to_agent] = work


def _was_held_back(context: Any, error: str | None) -> bool:
    """Whether it did not run: a person has to agree first, or has refused."""
    confirmation = context.tool_confirmation
    was_rejected = confirmation is not None and not confirmation.confirmed and error is not None
    return was_rejected or context.function_call_id in context.actions.requested_tool_confirmations


def _soft_failure(tool: Any, result: Any) -> str | None:
    """The error that a result tells of: ADK and its tools tell the model of one under the key `error`, and some have words of their own."""
    if isinstance(result, Mapping) and result.get("error"):
        return str(result["error"])
    detect = getattr(tool, "_detect_error_in_response", None)
    detected = None if detect is None else detect(result)
    return None if detected is None else str(detected)
