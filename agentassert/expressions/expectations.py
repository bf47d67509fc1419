"""Expectations about one invocation and the agents that it triggered, read from plain data with every mistake placed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import attrs

from agentassert import render
from agentassert.expressions.conditions import Condition
from agentassert.expressions.errors import ExpectationError, ExpressionError
from agentassert.expressions.expression import PAYLOAD_NAMES, RESULT_NAMES, Expression
from agentassert.text.nearest import did_you_mean

_T = TypeVar("_T")
_Path = tuple[str | int, ...]

_FIELDS: Final = (
    "expected_result",
    "expected_tool_calls",
    "expected_tool_call_order",
    "expected_no_tool_calls",
    "expected_child_agents",
)
_DEEPEST: Final = 50
"""Steps to an expectation; the names of agents take two each."""
_CHILD_FIELDS: Final = ("expected_triggered", "expected_payload", *_FIELDS)


@attrs.frozen(eq=False)
class ToolExpectation:
    """One entry of `expected_tool_calls`.

    Args:
        name: the tool's name, or the last part of a dotted one.
        condition: what is asked of its executions; `None` for one at least.

    Example:
        >>> [one.name for one in Expectations.parse({"expected_tool_calls": ["look_up", {"refund": "invocations == 0"}]}).tool_calls]
        ['look_up', 'refund']
    """

    name: str
    condition: Condition | None = None


@attrs.frozen(eq=False)
class ChildExpectation:
    """One entry of `expected_child_agents`.

    Args:
        name: the triggered agent's name.
        triggered: how often it was triggered at least.
        payload: what its payload satisfies.
        inside: what is expected of the invocation itself, which takes one that was waited for.

    Example:
        >>> (reader,) = Expectations.parse({"expected_child_agents": {"reader": {"expected_triggered": 2}}}).child_agents
        >>> reader.name, reader.triggered
        ('reader', 2)
    """

    name: str
    triggered: int
    payload: Expression | None
    inside: Expectations


@attrs.frozen(eq=False)
class Expectations:
    """What is expected of an invocation. Made by :meth:`parse`.

    Args:
        result: what its result satisfies; `None` for any that is a completion.
        tool_calls: the tools that were called.
        tool_call_order: names of tools, in the order in which they started.
        no_tool_calls: names of tools that were not called.
        child_agents: the agents that were triggered.

    Example:
        >>> Expectations.parse({"expected_no_tool_calls": ["delete_account"]}).no_tool_calls
        ('delete_account',)
    """

    result: Expression | None = None
    tool_calls: tuple[ToolExpectation, ...] = ()
    tool_call_order: tuple[str, ...] = ()
    no_tool_calls: tuple[str, ...] = ()
    child_agents: tuple[ChildExpectation, ...] = ()

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Expectations:
        """Read expectations.

        Args:
            data: a mapping with some of `expected_result`, `expected_tool_calls`, `expected_tool_call_order`,
                `expected_no_tool_calls` and `expected_child_agents`.

        Raises:
            ExpectationError: for what cannot be read, with the path to it.

        Example:
            >>> read = Expectations.parse({"expected_tool_calls": ["look", {"add": "params.a == 4"}]})
            >>> [one.name for one in read.tool_calls]
            ['look', 'add']
            >>> Expectations.parse({"expected_tool_calls": [{"add": "parms.a == 4"}]})
            Traceback (most recent call last):
                ...
            agentassert.expressions.errors.ExpectationError: expected_tool_calls[0].add: 'parms.a == 4', column 1: 'parms' is ...
        """
        return _expectations(data, (), _FIELDS)

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all is expected."""
        return self.result is None and not (self.tool_names or self.child_agents)

    @property
    def tool_names(self) -> tuple[str, ...]:
        """The names of tools in it, without those of the agents that were triggered."""
        return (*(one.name for one in self.tool_calls), *self.tool_call_order, *self.no_tool_calls)


def mistakes(data: Mapping[str, Any], path: _Path = ()) -> Iterator[ExpectationError]:
    """All that cannot be read, where :meth:`Expectations.parse` tells the first: each part is read by itself, once.

    Args:
        data: expectations of the right form, so that only expressions and names can be wrong.
        path: the keys and indexes that lead to them.

    Example:
        >>> [error.path for error in mistakes({"expected_result": "1 ==", "expected_tool_calls": ["look", {"add": "a"}]})]
        [('expected_result',), ('expected_tool_calls', 1, 'add')]
    """
    for key, value in data.items():
        at = (*path, key)
        if isinstance(value, Mapping):
            for name, child in value.items():
                yield from mistakes(child, (*at, name))
            continue
        for index, part in enumerate(value) if isinstance(value, list) else [(None, value)]:
            try:
                _child("", {key: part if index is None else [part]}, ())
            except ExpectationError as error:
                inside = error.path[1:] if index is None else (index, *error.path[2:])
                yield ExpectationError(error.problem, path=(*at, *inside))


def _expectations(data: Any, path: _Path, known: Sequence[str]) -> Expectations:
    if len(path) > _DEEPEST:
        raise ExpectationError("it is nested too deeply", path=path[:2])
    for key in _mapping(data, path):
        if key not in known:
            raise ExpectationError(f"this is no expectation; {did_you_mean(str(key), known)}", path=(*path, key))
    return Expectations(
        result=_given(data, path, "expected_result", lambda value, at: _expression(value, at, RESULT_NAMES)),
        tool_calls=_given(data, path, "expected_tool_calls", lambda value, at: _each(value, at, _tool)) or (),
        tool_call_order=_given(data, path, "expected_tool_call_order", lambda value, at: _each(value, at, _name)) or (),
        no_tool_calls=_given(data, path, "expected_no_tool_calls", lambda value, at: _each(value, at, _name)) or (),
        child_agents=_given(data, path, "expected_child_agents", _children) or (),
    )


def _given(data: Mapping[str, Any], path: _Path, key: str, read: Callable[[Any, _Path], _T]) -> _T | None:
    return read(data[key], (*path, key)) if key in data else None


def _children(value: Any, path: _Path) -> tuple[ChildExpectation, ...]:
    children = _mapping(value, path)
    if not children:
        raise ExpectationError("it is empty, so it expects nothing: leave it out", path=path)
    return tuple(_child(_name(name, (*path, name)), data, (*path, name)) for name, data in children.items())


def _child(name: str, data: Any, path: _Path) -> ChildExpectation:
    inside = _expectations(data, path, _CHILD_FIELDS)
    payload = _given(data, path, "expected_payload", lambda value, at: _expression(value, at, PAYLOAD_NAMES))
    triggered = _given(data, path, "expected_triggered", _count)
    return ChildExpectation(name, 1 if triggered is None else triggered, payload, inside)


def _tool(value: Any, path: _Path) -> ToolExpectation:
    if isinstance(value, str):
        return ToolExpectation(_name(value, path))
    if not isinstance(value, Mapping):
        raise ExpectationError(f"an entry is a tool's name, or a name with an expression, but was {_shown(value)}", path=path)
    if len(value) != 1:
        keys = ", ".join(render.value(key) for key in value) or "none"
        raise ExpectationError(f"an entry has one tool's name, but this one has {len(value)}: {keys}", path=path)
    ((name, text),) = value.items()
    at = (*path, name)
    return ToolExpectation(_name(name, at), _placed(lambda: Condition.parse(_text(text, at)), at))


def _expression(value: Any, path: _Path, names: Sequence[str]) -> Expression:
    return _placed(lambda: Expression.parse(_text(value, path), names), path)


def _placed(read: Callable[[], _T], path: _Path) -> _T:
    try:
        return read()
    except ExpressionError as error:
        raise ExpectationError(str(error), path=path) from error


def _text(value: Any, path: _Path) -> str:
    if not isinstance(value, str):
        raise ExpectationError(f"an expression is text: write it in quotes, but it was {_shown(value)}", path=path)
    return value


def _each(value: Any, path: _Path, read: Callable[[Any, _Path], _T]) -> tuple[_T, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence):
        raise ExpectationError(f"it must be a list, but was {_shown(value)}", path=path)
    if not value:
        raise ExpectationError("it is empty, so it expects nothing: leave it out", path=path)
    return tuple(read(item, (*path, index)) for index, item in enumerate(value))


def _name(value: Any, path: _Path) -> str:
    if not isinstance(value, str):
        raise ExpectationError(f"a name is text, but was {_shown(value)}", path=path)
    if not value.strip():
        raise ExpectationError("a name must not be empty", path=path)
    return value


def _count(value: Any, path: _Path) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ExpectationError(f"it must be a whole number, but was {_shown(value)}", path=path)
    if value < 1:
        never = "say that it was never triggered by expected_no_tool_calls with the tool that triggers it"
        raise ExpectationError(f"it must be 1 or more, but was {value}: {never}", path=path)
    return value


def _mapping(value: Any, path: _Path) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise ExpectationError(f"it must be a mapping, but was {_shown(value)}", path=path)
    return value


def _shown(value: Any) -> str:
    return f"{render.value(value)} ({type(value).__name__})"
