"""What a module tells about itself, and how what goes in and comes out of it reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dspy.predict.predict import Predict

_UNNAMED: Final = "StringSignature"
"""What DSPy calls a signature that was written as a text."""
_WAY: Final = ("trajectory", "reasoning", "final_reasoning", "history", "termination_reason")
"""What agents and chains of thought add to what their signatures ask for."""


def tools_of(module: Any) -> dict[str, Any]:
    """What an agent can use, by name, without DSPy's own way to end; nothing for a module that is no agent."""
    tools = getattr(module, "tools", None)
    if not isinstance(tools, dict) or isinstance(module, Predict):
        return {}
    return {name: tool for name, tool in tools.items() if not is_an_ending(tool)}


def is_an_ending(tool: Any) -> bool:
    """Whether a tool is how an agent says that it has done, which DSPy gives it: `finish`, or `submit`."""
    return getattr(tool.func, "__module__", "") in ("dspy.predict.react", "dspy.predict.react_v2")


def name_of(module: Any) -> str:
    """The name of a class that the program wrote: of the module, or of its signature; else that of DSPy's class."""
    kind = type(module)
    signature = getattr(module, "signature", None)
    if kind.__module__.startswith("dspy.") and signature is not None and signature.__name__ != _UNNAMED:
        return str(signature.__name__)
    return kind.__name__


def without_history(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What was predicted, without what a module tells of the way there."""
    return {name: value for name, value in fields.items() if name not in _WAY}


def alone(fields: Mapping[str, Any]) -> Any:
    """The one value, where there is but one."""
    return next(iter(fields.values())) if len(fields) == 1 else dict(fields)
