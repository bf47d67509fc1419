"""Model calls: their start by the SDK's hooks, what happens in them by the method of the model that the SDK calls."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded, holding
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.hosted import record_hosted
from agentassert.adapters.openai_agents.items import field, messages_of, requests_in, response_of
from agentassert.adapters.openai_agents.runs import Call, Run, position, running

_PARAMETERS: Final = ("system_instructions", "input", "model_settings", "tools", "output_schema", "handoffs", "tracing")


@guarded(ADAPTER)
def start(run: Run, agent: Any, instructions: Any, sent: Any) -> None:
    """An agent is about to ask its model."""
    messages = messages_of(instructions, sent)
    if run.event.input is None:
        run.event.input = messages  # an agent that was handed off to is given what its model is sent
    event = recorder.start_model_call(adapter=ADAPTER, model=_name(agent.model), inputs=messages, parent=run.event)
    run.call = None if event is None else Call(run, event, sent)


@guarded(ADAPTER)
def end(run: Run, response: Any) -> None:
    """The response as the SDK's hook tells it, for a model whose method is not wrapped: a mock, for one."""
    if run.call is not None:
        _respond(run.call, response.output, response.usage)


def answering(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Model.get_response`, recorded."""

    async def get_response(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = _attempt(self, args, kwargs) if recorder.listening() else None
        if call is None:
            return await original(self, *args, **kwargs)
        try:
            with holding(position, call):
                response = await original(self, *args, **kwargs)
        except Exception as error:
            _fail(call, error)
            raise
        _respond(call, response.output, response.usage)
        return response

    return get_response


def streaming(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Model.stream_response`, recorded."""

    async def stream_response(self: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        events = original(self, *args, **kwargs)
        call = _attempt(self, args, kwargs) if recorder.listening() else None
        items: list[Any] = []
        try:
            while True:
                try:
                    with nullcontext() if call is None else holding(position, call):
                        event = await anext(events)
                except StopAsyncIteration:
                    return
                if call is not None:
                    _saw(call, event, items)
                yield event
        except Exception as error:
            if call is not None:
                _fail(call, error)
            raise
        finally:
            close = getattr(events, "aclose", None)
            if close is not None:
                await close()

    return stream_response


@guarded(ADAPTER)
def _attempt(model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call | None:
    """The call that a model is asked to make: the one that its agent has just begun, again if the first attempt failed, or another."""
    if isinstance(position.get(), Call):
        return None  # a model that asks another one, or its own base class, to do its work: one call
    given = {**dict(zip(_PARAMETERS, args, strict=False)), **kwargs}
    run = running()
    call = None if run is None else run.call
    if call is None or call.input is not given.get("input") or call.event.ended_order is not None:
        call = _direct(given)
        if call is None:
            return None
    call.attempts += 1
    event = call.event
    event.attempts = call.attempts
    event.model = _name(getattr(model, "model", None)) or event.model
    handoffs = (handoff.tool_name for handoff in given.get("handoffs") or ())
    event.tools_offered = (*(tool.name for tool in given.get("tools") or ()), *handoffs)
    recorder.answering(event)
    return call


def _direct(given: Mapping[str, Any]) -> Call | None:
    """A model that is asked by other code than the agent's loop."""
    place = position.get()
    sent = given.get("input")
    messages = messages_of(given.get("system_instructions"), sent)
    event = recorder.start_model_call(adapter=ADAPTER, inputs=messages, parent=None if place is None else place.event)
    return None if event is None else Call(None, event, sent)


@guarded(ADAPTER)
def _fail(call: Call, error: Exception) -> None:
    call.error = error
    if call.run is None:
        call.event.fail(error)  # nobody is going to tell whether it is tried again


@guarded(ADAPTER)
def _saw(call: Call, event: Any, items: list[Any]) -> None:
    kind = field(event, "type")
    if kind == "response.output_item.done":
        items.append(field(event, "item"))
    elif kind == "response.completed":
        response = field(event, "response")
        _respond(call, response.output or items, response.usage)


@guarded(ADAPTER)
def _respond(call: Call, output: Sequence[Any], usage: Any) -> None:
    event = call.event
    if event.ended_order is not None:
        return
    event.respond(**response_of(output, usage))
    if call.run is not None:
        call.run.requested = requests_in(output)
    if event.owner is not None:
        record_hosted(output, event.owner)


def _name(model: Any) -> str | None:
    return model if isinstance(model, str) else None
