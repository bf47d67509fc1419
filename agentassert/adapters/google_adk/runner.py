"""The beginning and the end of runs, and of the agents in them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import CHAT, REQUESTS, guarded
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.approvals import answered_in
from agentassert.adapters.google_adk.hearing import hear
from agentassert.adapters.google_adk.messages import given_in
from agentassert.adapters.google_adk.runs import Run, Work, position, stop, within
from agentassert.adapters.streams import driven
from agentassert.adapters.waiting import Waiting

_LIVE: Final = (
    "ADK's live runs talk to their models over connections: calls of models, and requests of tools, are not recorded there"
)
_waiting: Final[Waiting[Run]] = Waiting()


def run_async(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Runner.run_async`, recorded; `run` and `run_debug` call it too."""

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        events = original(self, *args, **kwargs)
        return _run(self, events, kwargs) if recorder.listening() else events

    return recorded


def run_live(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Runner.run_live`, recorded, as far as it can be."""

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        events = original(self, *args, **kwargs)
        if not recorder.listening():
            return events
        recorder.note(_LIVE)
        recorder.lose_sight(ADAPTER, CHAT, REQUESTS)
        return _run(self, events, kwargs, hangs_up=True)

    return recorded


def agent_run(original: Callable[..., Any]) -> Callable[..., Any]:
    """`BaseAgent.run_async` and `run_live`, recorded: runners call them, and so do agents that run others."""

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        events = original(self, *args, **kwargs)
        return _agent(self, events) if recorder.listening() else events

    return recorded


async def _run(runner: Any, events: Any, kwargs: Any, *, hangs_up: bool = False) -> AsyncGenerator[Any, None]:
    """All events of a run; `hangs_up` says that to leave it is the way to end it."""
    run = _begin(runner, kwargs.get("new_message"))
    if run is None:
        async with aclosing(events):
            async for event in events:
                yield event
        return
    try:
        async with aclosing(driven(events, lambda: within(run.root))) as parts:
            async for event in parts:
                _hear_others(run, event)
                yield event
    except BaseException as error:
        if hangs_up and isinstance(error, GeneratorExit):
            _finish(run, None)
        else:
            stop(run.root, error)
        raise
    _finish(run, kwargs.get("abort_signal"))


async def _agent(agent: Any, events: Any) -> AsyncGenerator[Any, None]:
    work = _begin_agent(agent)
    if work is None:
        async with aclosing(events):
            async for event in events:
                yield event
        return
    is_root = work is work.run.root
    try:
        async with aclosing(driven(events, lambda: within(work))) as parts:
            async for event in parts:
                hear(work, event)
                yield event
    except BaseException as error:
        if not is_root:
            stop(work, error)
        raise
    if not is_root:
        _finish_agent(work)


@guarded(ADAPTER)
def _begin(runner: Any, message: Any) -> Run | None:
    answered = answered_in(message)
    run = _waiting.take(lambda one: not one.asked.isdisjoint(answered))
    if run is not None:
        run.is_rooted = False
        run.root.resume()
        return run
    name = str(runner.agent.name)
    event = recorder.start_invocation(name, adapter=ADAPTER, input=given_in(message))
    return None if event is None else Work(name, event, None).run


@guarded(ADAPTER)
def _begin_agent(agent: Any) -> Work | None:
    name = str(agent.name)
    around = position.get()
    if around is None or around.run.root.event.ended_order is not None:
        return _new(name, None, None)  # run by itself, without a runner
    run = around.run
    if name == run.root.name and not run.is_rooted:
        run.is_rooted = True
        return run.root
    known = run.works.get(name)
    if known is not None and known.is_suspended:
        known.resume()
        return known
    return _new(name, run, run.transfers.pop(name, around))


def _new(name: str, run: Run | None, parent: Work | None) -> Work | None:
    event = recorder.start_invocation(
        name, adapter=ADAPTER, parent=None if parent is None else parent.event, awaited=None if parent is None else True
    )
    if event is None:
        return None
    work = Work(name, event, run)
    work.run.works[name] = work
    return work


@guarded(ADAPTER)
def _hear_others(run: Run, event: Any) -> None:
    """Note what came from no agent's own run: from a workflow, and its nodes; the last answer is the answer of the run."""
    if event.author not in run.works or (event.author == run.root.name and not run.is_rooted):
        hear(run.root, event)
    elif event.author != run.root.name:
        run.root.output = run.works[event.author].output or run.root.output


@guarded(ADAPTER)
def _finish(run: Run, abort_signal: Any) -> None:
    if run.asked:
        run.root.suspend()
        _waiting.put(run)
    elif abort_signal is not None and abort_signal.is_set():
        run.root.event.cancel()
    else:
        _complete(run.root)


@guarded(ADAPTER)
def _finish_agent(work: Work) -> None:
    if work.asked:
        work.suspend()
    else:
        _complete(work)


def _complete(work: Work) -> None:
    work.event.complete(work.output, work.output if isinstance(work.output, str) else None)
