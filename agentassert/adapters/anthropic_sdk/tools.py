"""The tools that the SDK's tool runner runs."""

from __future__ import annotations

from typing import Any, Final

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.anthropic_sdk import ADAPTER
from agentassert.recording.events import ToolEvent


def _begin(tool: Any, input: Any = None, *_: Any, **__: Any) -> ToolEvent | None:
    return recorder.start_tool(tool.name, input, adapter=ADAPTER)


def _end(event: ToolEvent, result: Any) -> None:
    event.succeed(result)


recorded: Final = hooks.recorded(ADAPTER, _begin, _end)
"""`BetaFunctionTool.call`, and that of `BetaAsyncFunctionTool`."""
