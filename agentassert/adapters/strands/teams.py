"""The runs of swarms and graphs, in which agents work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from strands.agent.agent_result import AgentResult
from strands.multiagent.base import MultiAgentResult, Status

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.hooks import recorded
from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.messages import text_of
from agentassert.adapters.strands.runs import end, handed_over, start, stop, suspend
from agentassert.recording.events import InvocationEvent


def _begin(team: Any, task: Any = None, *_: Any, **__: Any) -> InvocationEvent | None:
    return start(str(team.id), task)


def _hear(event: InvocationEvent, part: Any) -> None:
    result = part.get("result")
    if not isinstance(result, MultiAgentResult):
        return
    text = _text_of(result) or None
    if result.status is Status.INTERRUPTED:
        suspend(event, text, result.interrupts)
    elif result.status is Status.FAILED:
        event.fail(_error_of(result), text)
    else:
        event.complete(text, text)


def _text_of(result: Any) -> str:
    """What the member answered that worked last."""
    worked = getattr(result, "node_history", None) or getattr(result, "execution_order", None)
    node = result.results.get(worked[-1].node_id) if worked else None
    last: Any = None if node is None else node.result
    if isinstance(last, AgentResult):
        return text_of(last.message)
    return _text_of(last) if isinstance(last, MultiAgentResult) else ""


def _error_of(result: MultiAgentResult) -> Exception | str:
    """Why a team failed: the error of a member, or one of its own limits, of which its result says nothing."""
    raised = [node.result for node in result.results.values() if isinstance(node.result, Exception)]
    return raised[-1] if raised else "it failed, and its result does not say why"


team_run: Final = recorded(ADAPTER, _begin, end, stop=stop, hear=_hear)
"""`Swarm.stream_async` and `Graph.stream_async`."""


def handing_over(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Swarm._handle_handoff`, which an agent calls by the tool that hands over."""

    def handle(self: Any, target_node: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.listening():
            _hand_over(target_node.executor)
        return original(self, target_node, *args, **kwargs)

    return handle


@guarded(ADAPTER)
def _hand_over(target: Any) -> None:
    at_work = recorder.current_event()
    if at_work is not None and at_work.owner is not None:
        handed_over[target] = at_work.owner
