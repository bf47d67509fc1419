"""The runs of agents and pipelines."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any, Final

from haystack.core.errors import BreakpointException

from agentassert import recorder
from agentassert.adapters.asked import asked_a_model
from agentassert.adapters.base import CHAT, REQUESTS
from agentassert.adapters.haystack import ADAPTER
from agentassert.adapters.haystack.components import wrap
from agentassert.adapters.haystack.messages import given_in, plain, text_in
from agentassert.recording.events import Event, InvocationEvent, ToolEvent
from agentassert.recording.guarding import suspends

_OPTIONS: Final = (
    "streaming_callback",
    "generation_kwargs",
    "tools",
    "hook_context",
    "confirmation_strategy_context",
    "break_point",
    "snapshot",
    "snapshot_callback",
)
"""What an agent is run with that is no part of its task."""

called: ContextVar[str | None] = ContextVar("agentassert_haystack_name", default=None)
"""What a run is to be called whose agent or pipeline has no name: Haystack names components only where pipelines hold them."""


def begin_pipeline(pipeline: Any, /, data: Any = None, *_: Any, **__: Any) -> InvocationEvent | None:
    """A pipeline is an invocation where nothing is around it; anywhere else it is how something's work is done."""
    if recorder.current_event() is not None:
        return None
    name = pipeline.metadata.get("name") or called.get() or "pipeline"
    return recorder.start_invocation(str(name), adapter=ADAPTER, input=plain(data or {}))


def begin_agent(agent: Any, /, messages: Any = (), *_: Any, **inputs: Any) -> InvocationEvent | None:
    """Every run of an agent is an invocation."""
    wrap(type(agent.chat_generator))
    around = recorder.current_event()
    if around is not None and _is_plain_model(agent):
        return None
    more = {name: plain(value) for name, value in inputs.items() if name not in _OPTIONS and value is not None}
    told = given_in(messages or ())
    return recorder.start_invocation(
        _name_of(agent, around), adapter=ADAPTER, input={**({"messages": told} if told else {}), **more} if more else told
    )


def end(event: InvocationEvent, outputs: Any) -> None:
    """It is over."""
    event.complete(plain(outputs), text_in(outputs))


def end_agent(event: InvocationEvent, outputs: Any) -> None:
    """An agent's run is over; what it has for a generator may be a mock, or have a method of its own in the place of its class's."""
    if not asked_a_model(event, event.order):
        recorder.lose_sight(ADAPTER, CHAT, REQUESTS)
    end(event, outputs)


def stop(event: InvocationEvent, error: BaseException) -> None:
    """An error left it; one of them says that it stopped where it can go on."""
    if isinstance(error, BreakpointException) or suspends(error):
        event.suspend()
    else:
        recorder.end_by(event, error)


def _is_plain_model(agent: Any) -> bool:
    """Whether it is Haystack's `LLM`: a model with a prompt, which only by its class is an agent."""
    return any(kind.__name__ == "LLM" and kind.__module__.startswith("haystack.") for kind in type(agent).__mro__)


def _name_of(agent: Any, around: Event | None) -> str:
    """The name of the component that it is, or of the tool."""
    name = getattr(agent, "__component_name__", None)
    if name is None and isinstance(around, ToolEvent):
        name = around.name
    if name is None and around is None:
        name = called.get()
    return str(name or "agent")
