"""Modules of mocks: which function of one stands for which tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from agentassert.doubles import functions
from agentassert.suites import python_files
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.python_files import PreparationError
from agentassert.text.nearest import nearest

Mock: TypeAlias = Callable[[str, Mapping[str, Any], Any], Any]
"""Called with the tool's full name, its arguments and the run's context; what it returns stands for the tool's result."""

_ANY: Final = "mock"
_GIVEN: Final = ("tool_name", "params", "context")


class MockModule:
    """A Python file of functions that stand for tools.

    Args:
        file: the Python file.
        shown: how messages call the file.

        tools: what is known of the tools of the agent.

    Raises:
        PreparationError: when the file is not there, does not load, or mocks no tool; and for a function that takes other arguments, or
            whose name is a misspelt one of a tool that is known: the real tool would run.
    """

    def __init__(self, file: Path, shown: str, tools: KnownTools) -> None:
        self._shown = shown
        self._tools = tools
        module = python_files.load(file, shown)
        self._mocks: dict[str, Mock] = {
            name: function
            for name, function in vars(module).items()
            if (name == _ANY or name.startswith(f"{_ANY}_")) and callable(function)
        }
        if not self._mocks:
            raise PreparationError(f"{shown}: there is no function {_ANY}({', '.join(_GIVEN)}), nor one for a single tool")
        for function in self._mocks.values():
            python_files.refuse_other_parameters(function, _GIVEN, shown)
        self._refuse_misspelt()

    def _refuse_misspelt(self) -> None:
        if self._tools.names is None:
            return
        for place, name in self._fitting_none(self._tools.names):
            near = nearest(name.removeprefix(f"{_ANY}_"), [_as_name(tool) for tool in self._tools.names])
            if near:  # another name may be that of a tool of an agent that is run below
                raise PreparationError(f"{place}: {name}(...) stands for no tool of the agent; did you mean {_ANY}_{near[0]}?")

    def idle(self, tools: Iterable[str]) -> list[str]:
        """A sentence for each function for certain tools that fits none of the tools that there are.

        Args:
            tools: the tools that a run offered or executed.
        """
        why = "no tool that it is for was offered or executed"
        return [f"{place}: {name} stood in for nothing: {why}" for place, name in self._fitting_none(tools)]

    def _fitting_none(self, tools: Iterable[str]) -> Iterator[tuple[str, str]]:
        known = {*tools, *(self._tools.names or ()), *self._tools.of_others, *functions.known}
        fitting = {_ANY, *(name for tool in known for name in ladder(tool))}
        for name, function in self._mocks.items():
            if name not in fitting:
                yield f"{self._shown}{python_files.place_of(function)}", name

    def find(self, tool_name: str) -> Mock | None:
        """The most specific function for a tool, or `None`.

        Args:
            tool_name: the tool's full name.
        """
        return next((self._mocks[name] for name in ladder(tool_name) if name in self._mocks), None)


def ladder(tool_name: str) -> tuple[str, ...]:
    """The names of the functions that may stand for a tool, most specific first.

    Example:
        >>> ladder("data.customer.add-customer")
        ('mock_data_customer_add_customer', 'mock_data_customer', 'mock_data', 'mock')
    """
    parts = [_as_name(part) for part in tool_name.split(".")]
    return tuple("_".join([_ANY, *parts[:count]]) for count in range(len(parts), -1, -1))


def _as_name(tool_name: str) -> str:
    return re.sub(r"[^0-9A-Za-z]+", "_", tool_name)
