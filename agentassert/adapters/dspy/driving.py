"""Running programs of DSPy."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dspy.adapters.types.history import History
from dspy.predict.react_v2 import ReActV2
from dspy.primitives.module import Module

from agentassert.adapters.driver import Answer, Driver, Pause, as_text
from agentassert.adapters.dspy.doubles import install_doubles
from agentassert.adapters.dspy.programs import name_of, tools_of

_KEEPS_HISTORY: Final[Any] = ReActV2
_ANY: Final = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class DSPyDriver(Driver):
    """Calls modules; with a text where they take one input, and with a mapping of their inputs otherwise."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, Module)

    def tools_of(self, agent: Any) -> list[str] | None:
        return [name for _, module in agent.named_sub_modules() for name in tools_of(module)]

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        await _call(agent, _inputs(agent, payload))
        return None

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        raise NotImplementedError("DSPy asks nobody before it runs a tool")

    def for_conversation(self) -> Driver:
        return DSPyConversation()

    def install_doubles(self) -> None:
        install_doubles()


class DSPyConversation(DSPyDriver):
    """Gives each run the history of those before it, which agents keep themselves, and other modules take as an input."""

    def __init__(self) -> None:
        self._history = History(messages=[])

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        field = _history_field(agent)
        if field is None:
            raise NotImplementedError(f"{name_of(agent)} takes no `dspy.History`, without which DSPy keeps nothing of a run")
        inputs = _inputs(agent, payload)
        prediction = await _call(agent, {**inputs, field: self._history})
        kept = prediction.get("history", None)
        self._history = kept or History(messages=[*self._history.messages, {**inputs, **prediction.toDict()}])
        return None


async def _call(module: Any, inputs: dict[str, Any]) -> Any:
    return await (module.acall(**inputs) if hasattr(module, "aforward") else asyncio.to_thread(module, **inputs))


def _history_field(module: Any) -> str | None:
    if isinstance(module, _KEEPS_HISTORY):
        return "history"
    return next((name for name, field in _input_fields(module).items() if field.annotation is History), None)


def _inputs(module: Any, payload: str | Mapping[str, Any]) -> dict[str, Any]:
    needed, others = _input_names(module)
    if isinstance(payload, Mapping) and payload.keys() <= {*needed, *others}:
        return dict(payload)
    if len(needed) != 1:
        names = ", ".join((*needed, *others)) or "no inputs"
        raise ValueError(f"{name_of(module)} takes {names}, but was given {payload!r}: give it a mapping of those")
    return {needed[0]: as_text(payload)}


def _input_names(module: Any) -> tuple[list[str], list[str]]:
    """What a module has to be given, and what it may be given."""
    fields = _input_fields(module)
    if fields:
        return [name for name, field in fields.items() if field.annotation is not History], []
    parameters = [one for one in inspect.signature(module.forward).parameters.values() if one.kind not in _ANY]
    needed = [one.name for one in parameters if one.default is one.empty]
    return needed, [one.name for one in parameters if one.name not in needed]


def _input_fields(module: Any) -> Mapping[str, Any]:
    """Of the signature of a module, which a chain of thought has in its predictor."""
    signature = getattr(module, "signature", None) or getattr(getattr(module, "predict", None), "signature", None)
    is_own = not type(module).__module__.startswith("dspy.")
    return {} if signature is None or is_own else signature.input_fields
