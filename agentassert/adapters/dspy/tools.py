"""The tools of an agent, as they run."""

from __future__ import annotations

from typing import Any

from agentassert import recorder
from agentassert.adapters.dspy import ADAPTER
from agentassert.adapters.dspy.predictions import call_id_of
from agentassert.adapters.dspy.programs import is_an_ending
from agentassert.recording.events import ToolEvent


def begin(tool: Any, **arguments: Any) -> ToolEvent | None:
    """It runs."""
    if is_an_ending(tool):
        return None
    return recorder.start_tool(tool.name, arguments, adapter=ADAPTER, call_id=call_id_of(tool.name, arguments))


def end(event: ToolEvent, result: Any) -> None:
    """It returned."""
    event.succeed(result)
