"""What is wrong with a run that is over, and what was recorded in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from agentassert.captures import Capture
from agentassert.checks.requests import never_executed
from agentassert.checks.unknown_tools import about_unknown, is_requested, offered_tools
from agentassert.doubles import functions
from agentassert.errors import AdapterError, NotRecordedError
from agentassert.expressions.expectations import Expectations
from agentassert.expressions.tool_names import may_be, unknown_names
from agentassert.expressions.unmet import alone, unmet
from agentassert.failures import Failure, listed
from agentassert.records import ChatModelCall, Invocation
from agentassert.suites.known_tools import KnownTools

_BY_HAND: Final = "record"
"""What records in the place of an adapter."""
HOW_TO_BE_SEEN: Final = "The tools of a function are seen, and mocked, only when they are decorated with `@record.tool`."


def unmet_in(capture: Capture, expectations: Expectations, context: Mapping[str, Any], tools: KnownTools) -> Iterator[str]:
    """Every expectation that the invocation of a run does not meet, or that it could not fail to meet.

    Raises:
        AdapterError: when a hook of this library broke.
    """
    return unmet_by(capture.invocation, capture, expectations, context, tools)


def unmet_by(
    invocation: Invocation, capture: Capture, expectations: Expectations, context: Mapping[str, Any], tools: KnownTools
) -> Iterator[str]:
    """The same of one invocation out of several that a capture may hold."""
    subject = f"invocation {invocation.name!r}"
    unseen = [name for name in expectations.tool_names if any(may_be(name, tool) for tool in unseen_tools(capture, tools))]
    for failure in (
        *unmet(invocation, expectations, context),
        *_misspelt(invocation, expectations.no_tool_calls, tools),
        *map(_unseen, dict.fromkeys(unseen)),
    ):
        if failure.kind is AdapterError:
            raise AdapterError(failure.text(subject))
        yield failure.text(subject)


def unseen_tools(capture: Capture, tools: KnownTools) -> frozenset[str]:
    """The tools of the settings that no adapter and no decorated function stands for, so that nothing tells whether they ran."""
    if not tools.is_function or any(one.recorded_by != (_BY_HAND,) for one in _everywhere(capture)):
        return frozenset()
    seen = functions.known | {execution.name for one in _everywhere(capture) for execution in one.tool_executions}
    return frozenset(name for name in tools.listed if not any(may_be(name, other) for other in seen))


def tools_met(capture: Capture) -> frozenset[str]:
    """The tools that were offered to a model or executed, by any agent."""
    found = {execution.name for one in _everywhere(capture) for execution in one.tool_executions}
    for one in _everywhere(capture):
        for call in one.model_calls:
            found.update(call.tools_offered or () if isinstance(call, ChatModelCall) else ())
    return frozenset(found)


def tools_run(capture: Capture) -> frozenset[str]:
    """The tools that did run, by any agent: not from a cache, and not only asked for."""
    executions = [execution for one in _everywhere(capture) for execution in one.tool_executions]
    return frozenset(one.name for one in executions if not (one.cached or one.may_not_have_run))


def recorded(top: Invocation, expectations: Expectations) -> str:
    """The tool executions of an invocation and of those below it, and the names that are those of no tool in it."""
    view = alone(top)
    lines = [about_unknown(view, name) for name in unknown_names(view, expectations.tool_names)]
    lines.append(listed("Tool executions", top.tool_executions))
    lines += [listed(f"Tool executions of nested {one.name!r}", one.tool_executions) for one in top.with_nested()[1:]]
    if view.strays is not None and view.strays.tool_executions:
        lines.append(listed("Recorded outside every invocation", view.strays.tool_executions))
    lines.append(never_executed(top.with_nested()))
    return "\n".join(line for line in lines if line)


def _misspelt(invocation: Invocation, names: Iterable[str], tools: KnownTools) -> Iterator[Failure]:
    view = alone(invocation)
    if offered_tools(view) is None:
        return
    below = {execution.name for one in invocation.with_nested() for execution in one.tool_executions}
    for name in unknown_names(view, tuple(names)):
        if not is_requested(view, name) and not any(may_be(name, other) for other in (*below, *(tools.names or ()))):
            yield Failure(
                expected=f"to have executed no {name!r}",
                found="but no such tool was offered or executed, so that this could never fail",
                advice="Correct the name; or name the tool in `tools` of the agent's settings, if it is not offered every time.",
            )


def _unseen(name: str) -> Failure:
    found = "but nothing tells whether it ran"
    return Failure(expected=f"to have {name!r} recorded", found=found, advice=HOW_TO_BE_SEEN, kind=NotRecordedError)


def _everywhere(capture: Capture) -> list[Invocation]:
    return [one for top in (*capture.invocations, capture.strays) if top is not None for one in top.with_nested()]
