"""What the agents below an invocation executed, which is no part of it and yet what somebody may mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentassert import render
from agentassert.checks.view import View
from agentassert.errors import AmbiguousError
from agentassert.expressions.expectations import ChildExpectation
from agentassert.expressions.tool_names import may_be
from agentassert.failures import Failure
from agentassert.records import Invocation, ToolExecution


def executed_below(
    root: Invocation, name: str, children: Sequence[ChildExpectation] = ()
) -> list[tuple[Invocation, ToolExecution]]:
    """The executions, in nested invocations, of tools that the name may stand for.

    Args:
        root: the invocation that is looked at, whose own executions are left out.
        name: the tool's name, full or short.
        children: what is expected of agents below: those are asked by themselves, so their executions are left out too.
    """
    return [
        (one, execution) for one in _below(root, children) for execution in one.tool_executions if may_be(name, execution.name)
    ]


def contradicted(view: View, name: str, expected: str, found: Sequence[tuple[Invocation, ToolExecution]]) -> Failure | None:
    """The failure of a negative expectation that holds of the invocation alone, and not of what it ran."""
    if not found:
        return None
    agents = sorted({one.name for one, _ in found})
    return Failure(
        expected=expected,
        found=f"but nested {_named(agents)} executed it, and {view.root.name!r} may mean itself alone or all that it runs",
        details=tuple(_shown(execution) for _, execution in found[:_MOST_SHOWN]),
        advice=(
            f"Either have {agents[0]!r} itself tested, by naming that agent in the settings or asserting on its invocation; "
            f"or expect it of {agents[0]!r} under `expected_child_agents`."
        ),
        kind=AmbiguousError,
        wanted=name,
        actual=tuple(execution.name for _, execution in found),
    )


def hint(view: View, name: str) -> str | None:
    """Who did execute the tool that the invocation itself did not."""
    found = executed_below(view.root, name)
    if not found:
        return None
    agent, execution = found[0]
    return f"Nested invocation {agent.name!r} executed it: {_shown(execution)}. Expect it under `expected_child_agents`."


_MOST_SHOWN = 5


def _below(root: Invocation, children: Sequence[ChildExpectation]) -> Iterator[Invocation]:
    inside = {child.name: child.inside.child_agents for child in children}
    for one in root.nested_invocations:
        if one.name not in inside:
            yield one
        yield from _below(one, inside.get(one.name, ()))


def _named(agents: Sequence[str]) -> str:
    return f"invocation{'s' if len(agents) > 1 else ''} {' and '.join(map(repr, agents))}"


def _shown(execution: ToolExecution) -> str:
    return render.execution(execution, 1, result=False).removeprefix("[1] ")
