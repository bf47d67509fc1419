"""The beginning and the end of the runs of agents, crews and flows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from crewai.flow.async_feedback import HumanFeedbackPending
from crewai.flow.flow import Flow
from crewai.utilities.agent_utils import is_inside_event_loop

from agentassert import recorder
from agentassert.adapters.crewai import ADAPTER
from agentassert.adapters.waiting import Waiting
from agentassert.recording.events import InvocationEvent

_agents: Final[WeakKeyDictionary[InvocationEvent, Any]] = WeakKeyDictionary()
"""The invocations of agents, each with the task that the agent works on, or else with the agent."""


class _Paused(NamedTuple):
    """A flow that stopped until somebody answers."""

    event: InvocationEvent
    flow_id: str


_waiting: Final[Waiting[_Paused]] = Waiting()


def agent_at_work() -> InvocationEvent | None:
    """The agent whose own loop the running code is part of."""
    around = recorder.open_around(InvocationEvent, ADAPTER)
    return around if around in _agents else None


def kick_off(agent: Any, messages: Any = None, *args: Any, **options: Any) -> InvocationEvent | None:
    """An agent runs by itself; where an event loop runs, the method only hands on to the other one."""
    return None if is_inside_event_loop() else kick_off_async(agent, messages, *args, **options)


def kick_off_async(agent: Any, messages: Any = None, *_: Any, **options: Any) -> InvocationEvent | None:
    """The same."""
    return None if _is_restored(options) else _begin_agent(agent, messages, agent)


def begin_task(agent: Any, task: Any, context: Any = None, *_: Any, **__: Any) -> InvocationEvent | None:
    """An agent works on a task; to try once more after an error, the method calls itself."""
    around = agent_at_work()
    if around is not None and _agents[around] is task:
        return None
    given = {"task": task.description, "context": context} if context else task.description
    return _begin_agent(agent, given, task)


def _begin_agent(agent: Any, given: Any, work: Any) -> InvocationEvent | None:
    event = recorder.start_invocation(str(agent.role).strip(), adapter=ADAPTER, input=given)
    if event is not None:
        _agents[event] = work
    return event


def begin_crew(crew: Any, inputs: Any = None, *_: Any, **options: Any) -> InvocationEvent | None:
    """A crew runs; one that streams is kicked off once more, without, where its stream is read."""
    if crew.stream or _is_restored(options):
        return None
    return recorder.start_invocation(str(crew.name or "crew"), adapter=ADAPTER, input=inputs)


def begin_flow(flow: Any, inputs: Any = None, *_: Any, **options: Any) -> InvocationEvent | None:
    """A flow runs, unless it is one that CrewAI itself is made of: the loop of an agent, a search in its memory."""
    kind = type(flow)
    is_part_of_crewai = kind is not Flow and kind.__module__.partition(".")[0] == "crewai"
    if is_part_of_crewai or flow.stream or _is_restored(options):
        return None
    return recorder.start_invocation(str(flow.name or kind.__name__), adapter=ADAPTER, input=inputs)


def begin_resumption(flow: Any, *_: Any, **__: Any) -> InvocationEvent | None:
    """A flow goes on that waited for a person."""
    waiting = _waiting.take(lambda one: one.flow_id == flow.flow_id)
    if waiting is None:
        return recorder.start_invocation(str(flow.name or type(flow).__name__), adapter=ADAPTER)
    waiting.event.resume()
    return waiting.event


def _is_restored(options: Mapping[str, Any]) -> bool:
    """Whether a copy that a checkpoint holds runs instead."""
    return getattr(options.get("from_checkpoint"), "restore_from", None) is not None


def complete(event: InvocationEvent, result: Any) -> None:
    """A run came to its end, or, of a flow, to a question that somebody is yet to answer."""
    if isinstance(result, HumanFeedbackPending):
        event.suspend()
        _waiting.put(_Paused(event, result.context.flow_id))
        return
    raw = getattr(result, "raw", None)
    if raw is None:
        event.complete(result)
    else:
        event.complete(raw if result.pydantic is None else result.pydantic, raw)
