"""The tools of an agent, as they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from weakref import WeakValueDictionary

from strands.types._events import ToolInterruptEvent, ToolResultEvent

from agentassert import recorder
from agentassert.adapters.hooks import recorded
from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.approvals import current_use
from agentassert.adapters.strands.doubles import doubled
from agentassert.adapters.strands.messages import result_of
from agentassert.recording.events import ToolEvent

_paused: Final[WeakValueDictionary[tuple[int, str], ToolEvent]] = WeakValueDictionary()
"""The executions that wait for an agent that they run: by the orders of their invocations, and their call ids."""


def _begin(tool: Any, tool_use: Any, *_: Any, **__: Any) -> ToolEvent | None:
    call_id = tool_use.get("toolUseId")
    around = recorder.current_event()
    executing = recorder.open_around(ToolEvent, ADAPTER)
    if executing is not None and executing.call_id == call_id:
        return None  # a class's own method that calls the one that it overrides
    use = current_use()
    if use is not None:
        use.begin(tool_use)
    paused = None if around is None or around.owner is None else _paused.pop((around.owner.order, call_id), None)
    if paused is not None:
        return paused
    return recorder.start_tool(tool.tool_name, tool_use.get("input") or {}, adapter=ADAPTER, call_id=call_id)


def _hear(event: ToolEvent, part: Any) -> None:
    """Nobody reads the stream of a tool beyond these."""
    if isinstance(part, ToolInterruptEvent):
        _interrupt(event)
    elif isinstance(part, ToolResultEvent):
        _finish(event, part.tool_result, part.exception)


def _end(event: ToolEvent, last: Any) -> None:
    """It is over; the last thing that a tool of a class of the user's own yields is the result."""
    if not isinstance(last, (ToolInterruptEvent, ToolResultEvent)):
        _finish(event, last, None)


def _finish(event: ToolEvent, result: Any, error: Exception | None) -> None:
    given = result_of(result)
    if not isinstance(result, Mapping):  # by what Strands makes of it, or breaks on, depends on the release
        event.fail(error or "what it gave is no result that Strands knows", given)
    elif result.get("status") == "error":
        event.fail(error or str(given), given)
    else:
        event.succeed(given)


def _interrupt(event: ToolEvent) -> None:
    """It asked a person itself, and will run from the top; or an agent that it runs waits for one."""
    use = current_use()
    if use is not None and use.asks:
        recorder.withdraw(event)
    elif event.owner is not None and event.call_id is not None:
        _paused[event.owner.order, event.call_id] = event


def _stop(event: ToolEvent, error: BaseException) -> None:
    """It failed, or was cancelled; the stream of one that waits is left, too."""
    if event not in _paused.values():
        recorder.end_by(event, error)


def running(original: Callable[..., Any]) -> Callable[..., Any]:
    """`AgentTool.stream`, of whatever class."""
    return _recorded(doubled(original))


_recorded: Final = recorded(ADAPTER, _begin, _end, stop=_stop, hear=_hear, kind="async stream")
