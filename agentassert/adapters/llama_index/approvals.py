"""What tools ask people, and what those decide."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from workflows.events import HumanResponseEvent, InputRequiredEvent
from workflows.runtime.types.results import WaitingForEvent

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.decisions import decisions_in
from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.llama_index.runs import run_around
from agentassert.recording.events import ApprovalEvent, ToolEvent
from agentassert.records import Decision


class Question(NamedTuple):
    """What a tool asks, and what the event that answers it must be."""

    tool: str
    arguments: Any
    call_id: str | None
    answered_by: type[Any]
    requirements: Mapping[str, Any]


heard: Final[ContextVar[list[Question] | None]] = ContextVar("agentassert_llama_index_questions", default=None)
"""Takes the questions of a run that is driven."""


def asking(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Context.wait_for_event`: the step that it stops is called again when the event has come."""

    async def wait_for_event(
        self: Any,
        event_type: Any,
        waiter_event: Any = None,
        waiter_id: Any = None,
        requirements: Any = None,
        *args: Any,
        **more: Any,
    ) -> Any:
        try:
            answer = await original(self, event_type, waiter_event, waiter_id, requirements, *args, **more)
        except WaitingForEvent:
            if issubclass(event_type, HumanResponseEvent) or isinstance(waiter_event, InputRequiredEvent):
                _ask(event_type, requirements or {})
            raise
        _decide(answer, waiter_id or repr(requirements))
        return answer

    return wait_for_event


@guarded(ADAPTER)
def _ask(answered_by: type[Any], requirements: Mapping[str, Any]) -> None:
    run, tool = run_around(), recorder.open_around(ToolEvent, ADAPTER)
    if run is None:
        return
    if tool is not None and tool.call_id not in run.asked:
        run.asked[tool.call_id] = _add(tool)
        questions = heard.get()
        if questions is not None:
            questions.append(Question(tool.name, tool.arguments, tool.call_id, answered_by, requirements))
    run.suspend()


@guarded(ADAPTER)
def _decide(answer: Any, waiter: str) -> None:
    run, tool = run_around(), recorder.open_around(ToolEvent, ADAPTER)
    if run is None or tool is None or not (isinstance(answer, HumanResponseEvent) or tool.call_id in run.asked):
        return
    if (tool.call_id, waiter) in run.decided:
        return
    run.decided.add((tool.call_id, waiter))
    pending = run.asked.pop(tool.call_id, None)
    (decided,) = decisions_in(dict(answer.items()), 1)
    if decided is not None:
        _add(tool, *decided)
    elif pending is not None:
        recorder.withdraw(pending)  # what was asked was no approval


def _add(tool: ToolEvent, decision: Decision = Decision.PENDING, reason: str | None = None) -> ApprovalEvent | None:
    return recorder.add_approval(
        tool.name, tool.arguments, adapter=ADAPTER, decision=decision, reason=reason, call_id=tool.call_id, parent=tool.parent
    )
