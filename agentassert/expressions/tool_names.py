"""Which tools a name stands for: the full name, or the last part of a dotted one."""

from __future__ import annotations

from collections.abc import Sequence

from agentassert.checks.unknown_tools import about_unknown, offered_tools
from agentassert.checks.view import View
from agentassert.errors import AmbiguousError
from agentassert.failures import Failure
from agentassert.records import ToolExecution


def only_tool(view: View, name: str, expected: str) -> Failure | str:
    """The one tool that the name stands for, known or not; a failure when it is the last part of several."""
    fitting = _fitting(view, name)
    if name in fitting or not fitting:
        return _other_name(view, name, expected) or name
    if len(fitting) == 1:
        return fitting[0]
    found = f"but {name!r} is the last part of {' and '.join(map(repr, fitting))}"
    return Failure(expected=expected, found=found, advice="Write the full name of the tool.", kind=AmbiguousError)


def every_tool(view: View, name: str, expected: str) -> Failure | tuple[str, ...]:
    """All tools that the name may stand for, which is what something that must not happen is about."""
    return _other_name(view, name, expected) or _fitting(view, name)


def may_be(name: str, tool: str) -> bool:
    """Whether one of the two names is the other, or the last part of it.

    Example:
        >>> may_be("add", "math.add"), may_be("math.add", "add"), may_be("math.add", "list.add")
        (True, True, False)
    """
    return name in (tool, tool.rpartition(".")[2]) or name.rpartition(".")[2] == tool


def unknown_names(view: View, names: Sequence[str]) -> list[str]:
    """Those that stand for no tool that was executed or offered: misspelt, most likely."""
    return [name for name in dict.fromkeys(names) if not _fitting(view, name) and about_unknown(view, name)]


def executions_of(view: View, names: Sequence[str]) -> list[ToolExecution]:
    """The executions of the tools, in the order in which they started; the model's order among those that started together."""
    ran = (one for name in names for one in view.named(name))
    return sorted(ran, key=lambda one: (one.started_order, view.numbers[one.id]))


def _fitting(view: View, name: str) -> tuple[str, ...]:
    known = {*view.by_name, *(offered_tools(view) or ())}
    return tuple(sorted(one for one in known if name in (one, one.rpartition(".")[2])))


def _other_name(view: View, name: str, expected: str) -> Failure | None:
    """A full name where only its last part was recorded: it may be that tool, or another one."""
    short = name.rpartition(".")[2]
    if short == name or short not in view.by_name or name in _fitting(view, name):
        return None
    found = f"but a tool was recorded as {short!r}, which may be {name!r} or another one"
    return Failure(expected=expected, found=found, advice=f"Write {short!r}, as it was recorded.", kind=AmbiguousError)
