"""The tools of an agent, as they run."""

from __future__ import annotations

from typing import Any, Final

from pydantic_ai import exceptions
from pydantic_ai.messages import ToolReturn

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.adapters.pydantic_ai.messages import arguments_of
from agentassert.adapters.pydantic_ai.runs import Run
from agentassert.recording.events import Scope, ToolEvent

_WRAPPERS: Final = tuple(getattr(exceptions, name) for name in ("ToolRetryError", "ToolFailedError") if hasattr(exceptions, name))
"""What Pydantic AI raises from a tool's own exception when it has made a message to the model of it."""


class Execution:
    """A tool that is about to run: whether it does is up to the capabilities that are asked before.

    Args:
        call: the part of the response that asked for it; its arguments are those of the decision where a human edited them.
    """

    __slots__ = ("_call", "_entered", "_event", "_run")

    def __init__(self, run: Run, call: Any) -> None:
        self._call = call
        self._run = run
        self._event: ToolEvent | None = None
        self._entered: Scope | None = None

    @guarded(ADAPTER)
    def begin(self) -> None:
        """It runs."""
        self._event = start(self._run, self._call)
        if self._event is not None:
            self._entered = recorder.enter(self._event)

    @guarded(ADAPTER)
    def succeed(self, result: Any) -> None:
        """It gave this result."""
        if self._event is not None:
            succeed(self._event, result)

    @guarded(ADAPTER)
    def stop(self, error: BaseException) -> None:
        """An exception left it, which may be a question."""
        event = self._event
        if event is None or event.ended_order is not None:
            return
        if isinstance(error, exceptions.ApprovalRequired):
            recorder.withdraw(event)
        elif isinstance(error, exceptions.CallDeferred):
            self._run.deferred[self._call.tool_call_id] = event
        elif isinstance(error, _WRAPPERS) and isinstance(error.__cause__, Exception):
            event.fail(error.__cause__)
        else:
            recorder.end_by(event, error)

    @guarded(ADAPTER)
    def leave(self) -> None:
        """What comes now is not part of it."""
        if self._entered is not None:
            recorder.leave(self._entered)


def start(run: Run, call: Any, *, inferred: bool = False) -> ToolEvent | None:
    """Record that the tool that `call` asks for runs."""
    return recorder.start_tool(
        call.tool_name,
        arguments_of(call),
        adapter=ADAPTER,
        call_id=call.tool_call_id,
        parent=run.event,
        inferred=inferred,
    )


def succeed(event: ToolEvent, result: Any) -> None:
    """End a tool with its result, which it may have wrapped in order to say more to the model."""
    if isinstance(result, ToolReturn):
        event.succeed(result.return_value, result)
    else:
        event.succeed(result)


@guarded(ADAPTER)
def refuse(run: Run, call: Any, error: Exception) -> None:
    """Record that a tool was given arguments that it does not take."""
    event = start(run, call)
    if event is not None:
        event.fail(error)
