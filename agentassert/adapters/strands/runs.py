"""The beginning and the end of the runs of agents."""

from __future__ import annotations

from typing import Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from strands.agent.agent_result import AgentResult

from agentassert import recorder
from agentassert.adapters.base import CHAT, REQUESTS
from agentassert.adapters.hooks import recorded
from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.messages import given_in, text_of
from agentassert.adapters.waiting import Waiting
from agentassert.recording.events import Event, InvocationEvent
from agentassert.records import Status

handed_over: Final[WeakKeyDictionary[Any, InvocationEvent]] = WeakKeyDictionary()
"""By the agents that are to go on in a swarm, the invocations that handed over to them."""


class _Run(NamedTuple):
    """A run that waits for the answers to interrupts."""

    event: InvocationEvent
    name: str
    interrupts: frozenset[str]


_waiting: Final[Waiting[_Run]] = Waiting()


def start(name: str, prompt: Any, predecessor: InvocationEvent | None = None) -> InvocationEvent | None:
    """A run begins, or goes on with answers to its interrupts."""
    blocks = prompt if isinstance(prompt, list) else ()
    answered = {block["interruptResponse"]["interruptId"] for block in blocks if "interruptResponse" in block}
    run = _waiting.take(lambda one: one.name == name and not one.interrupts.isdisjoint(answered))
    if run is not None:
        run.event.resume()
        return run.event
    awaited = None if predecessor is None else True
    return recorder.start_invocation(name, adapter=ADAPTER, input=given_in(prompt), parent=predecessor, awaited=awaited)


def suspend(event: InvocationEvent, text: str | None, interrupts: Any) -> None:
    """A run stops until its interrupts are answered."""
    event.suspend(text, text)
    _waiting.put(_Run(event, event.name, frozenset(one.id for one in interrupts or ())))


def stop(event: InvocationEvent, error: BaseException) -> None:
    """An error ended the run, or its stream was left, which one that waits is not hurt by."""
    waits = bool(event.history) and event.history[-1].status is Status.AWAITING_APPROVAL
    if not waits or isinstance(error, Exception):
        recorder.end_by(event, error)


def end(event: InvocationEvent, last: Any) -> None:
    """The stream is exhausted, whose last part was heard: whoever reads it may leave it there."""


def _begin(agent: Any, prompt: Any = None, *_: Any, **__: Any) -> InvocationEvent | None:
    return start(str(agent.name), prompt, _predecessor_of(agent))


def _predecessor_of(agent: Any) -> InvocationEvent | None:
    """What handed over to an agent in the swarm that runs it now, rather than in an earlier run, which went wrong then."""
    predecessor, swarm = handed_over.pop(agent, None), recorder.current_event()
    event: Event | None = predecessor
    while event is not None and event is not swarm:
        event = event.parent
    return None if event is None else predecessor


def _hear(event: InvocationEvent, part: Any) -> None:
    result = part.get("result") if isinstance(part, dict) else None
    if isinstance(result, AgentResult):
        _finish(event, result)


def _finish(event: InvocationEvent, result: AgentResult) -> None:
    text = text_of(result.message) or None
    if result.stop_reason == "interrupt":
        suspend(event, text, result.interrupts)
    elif result.stop_reason == "cancelled":
        event.cancel(output=text)
    elif result.stop_reason == "guardrail_intervened":
        event.block(output=text)
    else:
        event.complete(text if result.structured_output is None else result.structured_output, text)


agent_run: Final = recorded(ADAPTER, _begin, end, stop=stop, hear=_hear)
"""`Agent.stream_async`, by which every run of an agent goes."""


def _begin_structured(agent: Any, output_model: Any, prompt: Any = None) -> InvocationEvent | None:  # noqa: ARG001  # named so by users
    recorder.lose_sight(ADAPTER, CHAT, REQUESTS)
    return _begin(agent, prompt)


structured_output: Final = recorded(ADAPTER, _begin_structured, lambda event, output: event.complete(output))
"""`Agent.structured_output_async`, which asks the model for an object by a way of that model's own."""
