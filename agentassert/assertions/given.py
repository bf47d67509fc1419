"""Arguments of assertions, refused with the value, the place and the fix."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

from agentassert import render
from agentassert.failures import hidden
from agentassert.patterns import ExecutionPattern, execution_of

__tracebackhide__ = hidden

_P = ParamSpec("_P")
_R = TypeVar("_R")


def text_argument(method: str, value: Any, what: str = "name", *, empty_one: str = "would match everything or nothing") -> str:
    """`value`, checked to be a string; an empty one is refused with what it would do."""
    if not isinstance(value, str):
        raise TypeError(f"{method}: {what} must be a string, but was {render.value(value)} ({type(value).__name__})")
    if not value:
        raise ValueError(f"{method}: {what} must not be empty, which {empty_one}")
    return value


def arguments_in_a_mapping(method: Callable[_P, _R]) -> Callable[_P, _R]:
    """Have a method that takes a tool's arguments as a mapping say so to who writes them as its own: `order_id="A1"`."""
    known = inspect.signature(method).parameters

    @functools.wraps(method)
    def refusing(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        written = {name: value for name, value in kwargs.items() if name not in known}
        if written:
            raise TypeError(f"{refusing.__name__}: write the arguments as a mapping: {render.value(written)}")
        return method(*args, **kwargs)

    return refusing


def names_argument(method: str, values: Sequence[Any]) -> tuple[str, ...]:
    """`values`, each checked to be a string that is not empty; each name once."""
    return tuple(dict.fromkeys(text_argument(method, value) for value in values))


def count_argument(method: str, value: Any, *, fewest: int = 0, instead: str = "") -> None:
    """Refuse what is no whole number of at least `fewest`."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{method}: n must be a whole number, but was {render.value(value)} ({type(value).__name__})")
    if value < fewest:
        raise ValueError(f"{method}: n must be {fewest} or more, but was {value}{instead and f'; {instead}'}")


def patterns_argument(method: str, tools: Sequence[Any]) -> tuple[ExecutionPattern, ...]:
    """`tools`, names or patterns, as patterns; at least one."""
    if not tools:
        raise ValueError(f"{method} needs at least one tool; to say that none ran, use has_no_tool_executions()")
    # What is listed several times becomes one pattern: its callbacks are asked once, and a long list costs little.
    known: dict[Any, ExecutionPattern] = {}
    patterns = []
    for tool in tools:
        pattern = tool
        if type(tool) is not ExecutionPattern or tool.remembers:
            key = tool if type(tool) is str else id(tool)
            pattern = known.get(key) or known.setdefault(key, _pattern(method, tool))
        patterns.append(pattern)
    return tuple(patterns)


def _pattern(method: str, tool: Any) -> ExecutionPattern:
    return tool.fresh() if isinstance(tool, ExecutionPattern) else execution_of(_tool(method, tool))


def _tool(method: str, value: Any) -> str:
    if isinstance(value, str):
        return text_argument(method, value, "a tool")
    hint = "; write each as an argument of its own" if isinstance(value, (list, tuple, set, Mapping)) else ""
    named = getattr(value, "name", None) or getattr(value, "__name__", None)
    if isinstance(named, str) and not hint:
        hint = f"; write {named!r}"
    raise TypeError(f"{method}: each tool must be a name or execution_of(...), but was {render.value(value)}{hint}")


def callback_argument(method: str, value: Any) -> Callable[[Any], Any]:
    """`value`, checked to be callable."""
    if not callable(value) or isinstance(value, type):
        raise TypeError(f"{method}: the requirement must be a function, but was {render.value(value)}")
    callback: Callable[[Any], Any] = value
    return callback
