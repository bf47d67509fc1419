"""Predictions, which DSPy makes of what a model answers: they ask for tools, or are the answer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, Final
from weakref import WeakKeyDictionary

import attrs
import dspy
from dspy.adapters.types.tool import Tool, ToolCalls

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.dspy import ADAPTER
from agentassert.adapters.dspy.programs import alone, is_an_ending, tools_of, without_history
from agentassert.jsonlike import snapshot
from agentassert.recording.events import Event, ModelCallEvent

_CHOICE: Final = "next_tool_name"
"""The field by which `ReAct` has its model choose; it has told it of the tools in its instructions."""


@attrs.define
class Work:
    """A predictor at work: what it was given, and the last request to a model that came of it."""

    predictor: Any
    inputs: Mapping[str, Any]
    event: ModelCallEvent | None = None

    def choices(self) -> Mapping[str, Any]:
        """The tools that it offers to its model, by name."""
        if _CHOICE in self.predictor.signature.output_fields:
            agent = next((one for one in reversed(dspy.settings.caller_modules[:-1]) if tools_of(one)), None)
            return {} if agent is None else agent.tools
        values = [one for value in self.inputs.values() for one in (value if isinstance(value, list) else [value])]
        return {str(one.name): one for one in values if isinstance(one, Tool)}

    def offered(self) -> list[str] | None:
        """What its model may ask for; `None` where it is told of functions for code that it writes."""
        choices = self.choices()
        if not choices and any(tools_of(one) for one in dspy.settings.caller_modules[-2:-1]):
            return None
        return [name for name, tool in choices.items() if not is_an_ending(tool)]


_work: Final[ContextVar[Work | None]] = ContextVar("agentassert_dspy_work", default=None)
_wanted: Final[WeakKeyDictionary[Event, list[dict[str, Any]]]] = WeakKeyDictionary()
"""What was asked for with a call id, by the agent that is to execute it."""


def begin(predictor: Any, inputs: Mapping[str, Any]) -> None:
    """A predictor starts to work."""
    _work.set(Work(predictor, inputs))


def at_work() -> Work | None:
    """The work that a request to a model is part of; `None` where a program asks a model itself."""
    modules = dspy.settings.get("caller_modules", None)
    work = _work.get()
    return work if modules and work is not None and work.predictor is modules[-1] else None


def call_id_of(name: str, arguments: Mapping[str, Any]) -> str | None:
    """By which call id the agent was asked to execute what it executes now: DSPy calls a tool without one."""
    agent = recorder.current_event()
    wanted = _wanted.get(agent, []) if agent is not None else []
    found = next((one for one in wanted if one["name"] == name and one["arguments"] == arguments), None)
    if found is None:
        return None
    wanted.remove(found)
    return str(found["call_id"])


def predicting(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Predict._forward_postprocess`, which makes a prediction of an answer."""

    @functools.wraps(original)
    def _forward_postprocess(self: Any, *args: Any, **kwargs: Any) -> Any:
        prediction = original(self, *args, **kwargs)
        if recorder.listening():
            _tell(prediction)
        return prediction

    return _forward_postprocess


@guarded(ADAPTER)
def _tell(prediction: Any) -> None:
    work, agent = at_work(), recorder.current_event()
    if work is None or work.event is None or not work.event.responded or agent is None:
        return
    asked = _requests(prediction)
    endings = [name for name, tool in work.choices().items() if is_an_ending(tool)]
    requests = [one for one in asked if one["name"] not in endings]
    said = _said(prediction, asked, endings)
    if asked or said is not None:
        work.event.text = said
    work.event.requests = [snapshot(one) for one in requests]
    work.event.changed()
    _wanted.setdefault(agent, []).extend(one for one in requests if one["call_id"] is not None)


def _requests(prediction: Any) -> list[dict[str, Any]]:
    if _CHOICE in prediction:
        return [{"name": prediction[_CHOICE], "arguments": prediction.get("next_tool_args") or {}, "call_id": None}]
    asked = [one for value in prediction.values() if isinstance(value, ToolCalls) for one in value.tool_calls]
    return [{"name": one.name, "arguments": one.args or {}, "call_id": one.id} for one in asked]


def _said(prediction: Any, asked: list[dict[str, Any]], endings: list[str]) -> str | None:
    """The text among what was predicted; what a model wrote down has the names of the fields in it."""
    if asked:
        answers = [one["arguments"] for one in asked if one["name"] in endings and one["arguments"]]
        said = alone(answers[0]) if answers else prediction.get("next_thought")
    else:
        said = alone(without_history(dict(prediction.items())))
    said = getattr(said, "content", said)  # of what DSPy has a type for
    return said if isinstance(said, str) else None
