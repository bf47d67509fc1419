"""The tools that the SDK's tool runner runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentassert import recorder
from agentassert.adapters.anthropic_sdk import ADAPTER
from agentassert.adapters.base import guarded
from agentassert.recording.events import Scope, ToolEvent


def recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BetaFunctionTool.call`, recorded."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not recorder.listening():
            return original(self, *args, **kwargs)
        entered = _begin(self, args, kwargs)
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            _fail(entered, error)
            raise
        _succeed(entered, result)
        return result

    return call


def recorded_async(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BetaAsyncFunctionTool.call`, recorded."""

    async def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not recorder.listening():
            return await original(self, *args, **kwargs)
        entered = _begin(self, args, kwargs)
        try:
            result = await original(self, *args, **kwargs)
        except BaseException as error:
            _fail(entered, error)
            raise
        _succeed(entered, result)
        return result

    return call


@guarded(ADAPTER)
def _begin(tool: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Scope | None:
    given = args[0] if args else kwargs.get("input")
    event = recorder.start_tool(tool.name, given, adapter=ADAPTER)
    return None if event is None else recorder.enter(event)


@guarded(ADAPTER)
def _fail(entered: Scope | None, error: BaseException) -> None:
    event = _left(entered)
    if event is not None:
        recorder.end_by(event, error)


@guarded(ADAPTER)
def _succeed(entered: Scope | None, result: Any) -> None:
    event = _left(entered)
    if event is not None:
        event.succeed(result)


def _left(entered: Scope | None) -> ToolEvent | None:
    if entered is None:
        return None
    recorder.leave(entered)
    return entered.event if isinstance(entered.event, ToolEvent) else None
