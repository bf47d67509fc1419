"""Modules of mocks: which function of one stands for which tool."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

from agentassert.suites import python_files
from agentassert.suites.python_files import PreparationError

Mock: TypeAlias = Callable[[str, Mapping[str, Any], Any], Any]
"""Called with the tool's full name, its arguments and the run's context; what it returns stands for the tool's result."""


class MockModule:
    """A Python file of functions that stand for tools.

    Args:
        file: the Python file.
        shown: how messages call the file.

    Raises:
        PreparationError: when the file is not there, does not load, or mocks no tool.
    """

    def __init__(self, file: Path, shown: str) -> None:
        self._module: ModuleType = python_files.load(file, shown)
        if not any(name == "mock" or name.startswith("mock_") for name in vars(self._module)):
            raise PreparationError(f"{shown}: there is no function mock(tool_name, params, context), nor one for a single tool")

    def find(self, tool_name: str) -> Mock | None:
        """The most specific function for a tool, or `None`.

        Args:
            tool_name: the tool's full name.
        """
        for name in ladder(tool_name):
            function = getattr(self._module, name, None)
            if callable(function):
                return function  # type: ignore[no-any-return]  # its author says what it takes
        return None


def ladder(tool_name: str) -> tuple[str, ...]:
    """The names of the functions that may stand for a tool, most specific first.

    Example:
        >>> ladder("data.customer.add-customer")
        ('mock_data_customer_add_customer', 'mock_data_customer', 'mock_data', 'mock')
    """
    parts = [re.sub(r"[^0-9A-Za-z]+", "_", part) for part in tool_name.split(".")]
    return tuple("_".join(["mock", *parts[:count]]) for count in range(len(parts), -1, -1))
