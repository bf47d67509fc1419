"""The tools of an agent, as they run."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakSet

from google.adk.plugins.plugin_manager import PluginManager

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.doubles import stood_in
from agentassert.adapters.google_adk.runs import position
from agentassert.adapters.patching import wrap_method
from agentassert.doubles import active
from agentassert.recording.events import Scope, ToolEvent

_METHOD: Final = "run_async"
_wrapped: Final[WeakSet[type]] = WeakSet()


@functools.cache
def install_doubles() -> None:
    """Have doubles looked for also where nothing is captured."""
    wrap_method(PluginManager, "run_before_tool_callback", finding)


def finding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`PluginManager.run_before_tool_callback`, after which a tool runs, of whatever class."""

    async def run_before_tool_callback(self: Any, *args: Any, **kwargs: Any) -> Any:
        if active.in_use or recorder.listening():
            _wrap(type(kwargs.get("tool")))
        return await original(self, *args, **kwargs)

    return run_before_tool_callback


@guarded(ADAPTER)
def _wrap(kind: type) -> None:
    owner = next((one for one in kind.__mro__ if _METHOD in vars(one)), None)
    if owner is not None and owner not in _wrapped:
        _wrapped.add(owner)
        wrap_method(owner, _METHOD, _running)


def _running(original: Callable[..., Any]) -> Callable[..., Any]:
    async def run_async(self: Any, *, args: Any, tool_context: Any) -> Any:
        perform = stood_in(self, functools.partial(original, self), args)
        if not recorder.listening() or recorder.is_executing(ADAPTER, tool_context.function_call_id):
            return await perform(args=args, tool_context=tool_context)
        execution = Execution(self, args, tool_context)
        try:
            result = await perform(args=args, tool_context=tool_context)
        except BaseException as error:
            execution.stop(error)
            raise
        else:
            execution.end(result)
        finally:
            execution.leave()
        return result

    return run_async


class Execution:
    """A tool that runs."""

    __slots__ = ("_context", "_entered", "_event", "_tool")

    def __init__(self, tool: Any, args: Any, context: Any) -> None:
        self._tool = tool
        self._context = context
        self._event: ToolEvent | None = None
        self._entered: Scope | None = None
        self._begin(args)

    @guarded(ADAPTER)
    def _begin(self, args: Any) -> None:
        self._event = recorder.start_tool(self._tool.name, args, adapter=ADAPTER, call_id=self._context.function_call_id)
        if self._event is not None:
            self._entered = recorder.enter(self._event)

    @guarded(ADAPTER)
    def end(self, result: Any) -> None:
        """It returned: a result, a failure in words, or a question of its own."""
        event = self._event
        if event is None:
            return
        error = _soft_failure(self._tool, result)
        confirmation = self._context.tool_confirmation
        was_rejected = confirmation is not None and not confirmation.confirmed and error is not None
        if was_rejected or self._context.function_call_id in self._context.actions.requested_tool_confirmations:
            recorder.withdraw(event)
        elif error is not None:
            event.fail(error, result)
        else:
            event.succeed(result)
        self._note_transfer()

    def _note_transfer(self) -> None:
        target = self._context.actions.transfer_to_agent
        work = position.get()
        if target and work is not None:
            work.run.transfers[target] = work

    @guarded(ADAPTER)
    def stop(self, error: BaseException) -> None:
        """An exception left it, or it was cancelled."""
        if self._event is not None:
            recorder.end_by(self._event, error)

    @guarded(ADAPTER)
    def leave(self) -> None:
        """What comes now is not part of it."""
        if self._entered is not None:
            recorder.leave(self._entered)


def _soft_failure(tool: Any, result: Any) -> str | None:
    """The error that a result tells of: ADK and its tools tell the model of one under the key `error`, and some have words of their own."""
    if isinstance(result, Mapping) and result.get("error"):
        return str(result["error"])
    detect = getattr(tool, "_detect_error_in_response", None)
    detected = None if detect is None else detect(result)
    return None if detected is None else str(detected)
