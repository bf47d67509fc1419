"""The doubles of one run or block: who stands in for which tool, what they were called with, and what went wrong."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import attrs

from agentassert.doubles import active
from agentassert.doubles.kinds import Delayed, Double, checked
from agentassert.jsonlike import snapshot
from agentassert.signatures import signature_of

Named: TypeAlias = Callable[[str, Mapping[str, Any], Any], Any]
"""A double that serves several tools: called with the tool's name, its arguments by name, and the context of the test."""


class Resolver(Protocol):
    """Finds the double of a tool when the tool is about to run.

    One with an attribute `strict` that is true has no tool run that it finds no double for.
    """

    def find(self, tool: str, /) -> Named | None:
        """The double of that tool; `None` where the real one is to run."""
        ...


@attrs.frozen
class Call:
    """One call of a tool that is about to happen.

    Args:
        arguments: by name, as the model gave them.
        args: those that are given by position, where Python code calls the tool.
        kwargs: those that are given by name.
        injected: what the framework adds, which a double gets where it has such a parameter.
        complaint: why the real tool would refuse the arguments; `None` when it takes them.
    """

    arguments: Mapping[str, Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = attrs.field(factory=dict)
    injected: Mapping[str, Any] = attrs.field(factory=dict)
    complaint: str | None = None


class Doubles:
    """The doubles that stand in for tools: by the tool's name, or as a resolver finds them.

    Args:
        mocks: the doubles by the tool's name, or what finds them.
        context: what the doubles that a resolver finds are given as their third argument.

    Raises:
        TypeError: when a double cannot be called, or `mocks` is neither.

    Example:
        >>> Doubles({"get": lambda number: 7}).names
        ('get',)
    """

    def __init__(self, mocks: Mapping[str, Double] | Resolver, context: Any = None) -> None:
        self._mocks = _checked(mocks) if isinstance(mocks, Mapping) else {}
        self._resolver = None if isinstance(mocks, Mapping) else _resolver(mocks)
        self._strict = bool(getattr(self._resolver, "strict", False))
        self._context = context
        self._around = active.current().doubles
        self._called: dict[str, list[Mapping[str, Any]]] = {}
        self._lock = threading.Lock()
        self.reached: set[str] = set()
        self.problems: list[str] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The tools that have a double, as far as they are named beforehand."""
        return tuple(self._mocks)

    def arguments_of(self, tool: str) -> list[Mapping[str, Any]]:
        """What the double of a tool was called with, call by call."""
        with self._lock:
            return list(self._called.get(tool, ()))

    def stand_in(self, tool: str) -> StandIn | None:
        """What stands in for a tool, here or in a block around this one."""
        self.reach(tool)
        if tool in self._mocks:
            double = self._mocks[tool]
            return StandIn(self, tool, _by_signature_of(double), double)
        found = None if self._resolver is None else self._resolver.find(tool)
        if found is not None:
            named = checked(found, f"the mock of {tool!r}")
            return StandIn(self, tool, lambda call: named(tool, dict(call.arguments), self._context), None)
        around = None if self._around is None else self._around.stand_in(tool)
        if around is None and self._strict:
            return StandIn(self, tool, None, None)
        return around

    def reach(self, tool: str) -> None:
        """Note that a tool was about to run where doubles can stand in for it."""
        self.reached.add(tool)
        if self._around is not None:
            self._around.reach(tool)

    def note_call(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Remember a call."""
        with self._lock:
            self._called.setdefault(tool, []).append(snapshot(arguments))

    def note_problem(self, problem: str) -> None:
        """Remember what must fail the test."""
        with self._lock:
            if problem not in self.problems:
                self.problems.append(problem)


class StandIn:
    """A double in the place of a tool that is about to run.

    Args:
        doubles: the set that it is one of.
        tool: the tool's name.
        invoke: calls the double; `None` where there must be one, and is none.
        double: one that is called with the tool's own arguments.
    """

    def __init__(self, doubles: Doubles, tool: str, invoke: Callable[[Call], Any] | None, double: Double | None) -> None:
        self._doubles = doubles
        self._tool = tool
        self._invoke = invoke
        self._double = double

    def refuse(self, complaint: str) -> TypeError:
        """Note that the agent called the tool in a way that the real one does not take; gives the error to raise."""
        return self._refused(f"{self._tool!r} was called in a way that the real tool does not take: {complaint}")

    def call(self, call: Call) -> Any:
        """The double's result, which is awaitable where the double is a coroutine function.

        Raises:
            TypeError: when the real tool would not take the arguments, which is noted.
            LookupError: when the tool has no double, but must have one, which is noted.
        """
        return self._admitted(call)(call)

    def called(self, call: Call) -> Any:
        """The double's result, for a synchronous tool; otherwise like :meth:`call`."""
        result = self.call(call)
        if inspect.iscoroutine(result):
            result.close()
            raise self._refused(
                f"the mock of {self._tool!r} is a coroutine function, but the tool is called from synchronous code"
            )
        return result

    async def awaited(self, call: Call) -> Any:
        """The double's result, for an asynchronous tool; otherwise like :meth:`call`."""
        invoke = self._admitted(call)
        double: Any = self._double
        while isinstance(double, Delayed):
            import asyncio

            await asyncio.sleep(double.seconds)
            double, invoke = double.then, _by_signature_of(double.then)
        result = invoke(call)
        return await result if inspect.isawaitable(result) else result

    def _refused(self, problem: str) -> TypeError:
        self._doubles.note_problem(problem)
        return TypeError(problem)

    def _admitted(self, call: Call) -> Callable[[Call], Any]:
        if self._invoke is None:
            problem = f"{self._tool!r} has no mock, and mocks are strict, so it was not run"
            self._doubles.note_problem(problem)
            raise LookupError(problem)
        if call.complaint is not None:
            raise self.refuse(call.complaint)
        misfit = None if self._double is None else _misfit(self._double, call)
        if misfit is not None:
            raise self._refused(f"the mock of {self._tool!r} does not take what the tool was called with: {misfit}")
        self._doubles.note_call(self._tool, call.arguments)
        return self._invoke


def _checked(mocks: Mapping[Any, Any]) -> Mapping[str, Double]:
    for tool, double in mocks.items():
        if not isinstance(tool, str):
            raise TypeError(f"mocks must name tools by text, but one was named {tool!r}")
        checked(double, f"mocks[{tool!r}]")
    return dict(mocks)


def _resolver(mocks: Any) -> Resolver:
    if not callable(getattr(mocks, "find", None)):
        raise TypeError(f"mocks must be a mapping of tool names to doubles, or have a method find(tool), but was {mocks!r}")
    resolver: Resolver = mocks
    return resolver


def _by_signature_of(double: Double) -> Callable[[Call], Any]:
    def invoke(call: Call) -> Any:
        args, kwargs = _given(double, call)
        return double(*args, **kwargs)

    return invoke


def _given(double: Double, call: Call) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    if call.args or call.kwargs:
        return call.args, call.kwargs
    signature = signature_of(double)
    known = () if signature is None else signature.parameters
    wanted = {name: value for name, value in call.injected.items() if name in known}
    return (), {**call.arguments, **wanted}


def _misfit(double: Double, call: Call) -> str | None:
    """Why the double itself cannot be called like this, which is no failure of the tool that it stands for."""
    signature = signature_of(double)
    if signature is None:
        return None
    args, kwargs = _given(double, call)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    return None
