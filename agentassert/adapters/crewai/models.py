"""Requests to models: the `call` and `acall` of every class of models, of CrewAI's own and of a program's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary

from crewai.llms.base_llm import BaseLLM
from crewai.utilities.string_utils import sanitize_tool_name

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.crewai import ADAPTER
from agentassert.adapters.crewai.messages import messages_sent, names_of, request_in_text, requests_in, text_of, usage_of
from agentassert.adapters.crewai.runs import agent_at_work
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_family, wrap_method
from agentassert.recording.events import InvocationEvent, ModelCallEvent

_models: Final[WeakKeyDictionary[ModelCallEvent, Any]] = WeakKeyDictionary()
"""Which model a call was made to."""
_asked: Final[WeakKeyDictionary[InvocationEvent, dict[str, Any]]] = WeakKeyDictionary()
"""What the model of an agent last asked for in words."""


def install() -> None:
    """Wrap the methods of all classes of models, and what those of CrewAI's own tell while they work."""
    asking = recorded(ADAPTER, _begin, _end)
    wrap_family(BaseLLM, {"call": asking, "acall": asking})
    wrap_method(BaseLLM, "_emit_call_completed_event", _hearing(_hear_end))
    wrap_method(BaseLLM, "_track_token_usage_internal", _hearing(_hear_usage))


def asked_in_text(tool: str) -> str | None:
    """The id of the request that the agent at work last read from a text, if it was for that tool."""
    agent = agent_at_work()
    request = None if agent is None else _asked.get(agent)
    return request["call_id"] if request is not None and request["name"] == tool else None


def _begin(model: Any, messages: Any = None, tools: Any = None, *_: Any, **__: Any) -> ModelCallEvent | None:
    around = recorder.open_around(ModelCallEvent, ADAPTER)
    if around is not None and _models.get(around) is model:
        return None  # a class that calls the method that it overrides
    event = recorder.start_model_call(
        adapter=ADAPTER, model=model.model, inputs=messages_sent(messages), tools_offered=names_of(tools)
    )
    if event is not None:
        _models[event] = model
    return event


def _end(event: ModelCallEvent, answer: Any) -> None:
    requests = requests_in(answer)
    asked = request_in_text(answer) if event.tools_offered is None else None
    agent = agent_at_work()
    if asked is not None and agent is not None:
        # CrewAI gives such a request no id, and runs its tool up to six times where that fails.
        asked |= {"name": sanitize_tool_name(asked["name"]), "call_id": f"text-{event.order}"}
        _asked[agent] = asked
        requests = [asked]
    text = None if requests and asked is None else text_of(answer)
    event.respond(text=text, finish_reason=event.raw_finish_reason, usage=event.usage, requests=requests)


def _hearing(hear: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What CrewAI's own models tell of a call while it goes on, and do not return."""

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        def call(self: Any, *args: Any, **options: Any) -> Any:
            if recorder.listening():
                hear(*args, **options)
            return original(self, *args, **options)

        return call

    return wrap


@guarded(ADAPTER)
def _hear_usage(reported: Any) -> None:
    call = recorder.open_around(ModelCallEvent, ADAPTER)
    if call is not None:
        call.usage = usage_of(reported) or call.usage


@guarded(ADAPTER)
def _hear_end(*_: Any, usage: Any = None, finish_reason: Any = None, **__: Any) -> None:
    call = recorder.open_around(ModelCallEvent, ADAPTER)
    if call is not None:
        call.usage = usage_of(usage) or call.usage
        call.raw_finish_reason = finish_reason or call.raw_finish_reason
