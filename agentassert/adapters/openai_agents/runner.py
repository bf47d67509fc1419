"""The beginning and the end of runs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from agents.exceptions import (
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailTripwireTriggered,
)
from agents.lifecycle import RunHooksBase
from agents.run_state import RunState

from agentassert import recorder
from agentassert.adapters.base import guarded, holding
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.approvals import ask, decide, goes_on_in, mark, run_of, take_over
from agentassert.adapters.openai_agents.hooks import Hooks
from agentassert.adapters.openai_agents.runs import Execution, Run, position
from agentassert.adapters.waiting import Waiting

_TRIPWIRES: Final = (
    InputGuardrailTripwireTriggered,
    OutputGuardrailTripwireTriggered,
    ToolInputGuardrailTripwireTriggered,
    ToolOutputGuardrailTripwireTriggered,
)
_waiting: Final[Waiting[Run]] = Waiting()


@contextmanager
def _within(begun: Run) -> Iterator[None]:
    with holding(position, begun):
        try:
            yield
        except BaseException as error:
            _stop(begun, error)
            raise


def run(original: Callable[..., Any]) -> Callable[..., Any]:
    """`AgentRunner.run`, recorded; `run_sync` calls it too."""

    async def recorded(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
        begun = _begin(starting_agent, input) if recorder.listening() else None
        if begun is None:
            return await original(self, starting_agent, input, **kwargs)
        with _within(begun):
            result = await original(self, starting_agent, input, **_hooked(begun, kwargs))
        _finish(begun, result)
        return result

    return recorded


def run_streamed(original: Callable[..., Any]) -> Callable[..., Any]:
    """`AgentRunner.run_streamed`, recorded: the run itself goes on in a task that inherits this context."""

    def recorded(self: Any, starting_agent: Any, input: Any, **kwargs: Any) -> Any:
        begun = _begin(starting_agent, input) if recorder.listening() else None
        if begun is None:
            return original(self, starting_agent, input, **kwargs)
        begun.event.not_advanced()
        with _within(begun):
            result = original(self, starting_agent, input, **_hooked(begun, kwargs))
        mark(result, begun)
        return result

    return recorded


def stream_events(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RunResultStreaming.stream_events`, whose end is the end of the run."""

    async def recorded(self: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        events = original(self, *args, **kwargs)
        streamed = run_of(self)
        try:
            while True:
                _advanced(streamed)
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    break
                yield event
        except BaseException as error:
            try:
                await events.aclose()  # some releases let the run come to its end meanwhile, and all of that happens
            finally:
                _stop(streamed, error)
            raise
        _finish(streamed, self)

    return recorded


def cancel(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RunResultStreaming.cancel`: at once, or when the turn has ended."""

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        _cancelled(run_of(self), kwargs.get("mode", args[0] if args else "immediate"))
        return result

    return recorded


def to_state(original: Callable[..., Any]) -> Callable[..., Any]:
    """`to_state` of a result, whose state knows the run that it continues."""

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        state = original(self, *args, **kwargs)
        known = run_of(self)
        if known is not None:
            mark(state, known)
        return state

    return recorded


def deciding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`RunState.approve` and `reject`, whose decisions count at once, whether or not the run goes on."""

    def recorded(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        if recorder.listening():
            _decided(self)
        return result

    return recorded


@guarded(ADAPTER)
def _begin(agent: Any, given: Any) -> Run | None:
    state = given if isinstance(given, RunState) else None
    begun = None if state is None else _waiting.take(goes_on_in(state))
    if begun is not None:
        begun.resume(position.get())
    else:
        begun = _new(agent, given, state)
        if begun is not None and state is not None:
            take_over(begun, state)
    if begun is not None and state is not None:
        decide(begun, state)
    return begun


def _new(agent: Any, given: Any, state: Any) -> Run | None:
    place = position.get()
    if state is not None:
        agent = state._current_agent or agent  # noqa: SLF001
        given = state._original_input  # noqa: SLF001
        if isinstance(place, Execution) and place.started is None:
            place.start()  # an agent that is a tool goes on in a capture that did not see its tool start
    event = recorder.start_invocation(
        str(agent.name), adapter=ADAPTER, input=given, parent=None if place is None else place.event
    )
    return None if event is None else Run(event, place)


def _hooked(begun: Run, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    theirs = kwargs.get("hooks")
    if theirs is not None and not isinstance(theirs, RunHooksBase):
        return dict(kwargs)  # the SDK is about to refuse them
    return {**kwargs, "hooks": Hooks(begun, theirs)}


@guarded(ADAPTER)
def _advanced(streamed: Run | None) -> None:
    if streamed is not None:
        for event in streamed.agents:
            event.advanced()


@guarded(ADAPTER)
def _finish(finished: Run | None, result: Any) -> None:
    if finished is None:
        return
    if result.interruptions:
        mark(result, finished)
        ask(finished, result.interruptions)
        finished.suspend()
        _waiting.put(finished)
    elif finished.stopping and result.final_output is None:
        finished.cancel(None)
    else:
        finished.complete(result.final_output)


@guarded(ADAPTER)
def _stop(stopped: Run | None, error: BaseException) -> None:
    if stopped is None:
        return
    if isinstance(error, _TRIPWIRES):
        stopped.block(error)
    elif isinstance(error, Exception):
        stopped.fail(error)
    else:
        stopped.cancel(error)


@guarded(ADAPTER)
def _cancelled(streamed: Run | None, mode: str) -> None:
    if streamed is None:
        return
    streamed.stopping = True
    if mode == "immediate":
        streamed.cancel(None)


@guarded(ADAPTER)
def _decided(state: Any) -> None:
    waits = _waiting.find(goes_on_in(state))
    if waits is not None:
        decide(waits, state)
