"""What of the expectations an invocation does not meet."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from agentassert.checks.endings import gate
from agentassert.checks.view import Marks, View
from agentassert.errors import AdapterError
from agentassert.expressions import children, results, tools
from agentassert.expressions.expectations import ChildExpectation, Expectations
from agentassert.expressions.findings import Findings
from agentassert.failures import Failure
from agentassert.jsonlike import snapshot
from agentassert.records import Invocation


def unmet(invocation: Invocation, expectations: Expectations, context: Mapping[str, Any] | None = None) -> list[Failure]:
    """Every expectation that an invocation does not meet.

    Args:
        invocation: what is looked at, alone. What its capture recorded outside every invocation counts as doubtful, as it does for
            a chain.
        expectations: what is expected. Without a word about the result, that it completed.
        context: what expressions read as `context`.

    Returns:
        A failure for each, in the order in which they are listed; empty when it meets all. The `kind` of one that nobody can decide
        is `NotRecordedError` or `AmbiguousError`.

    Example:
        >>> expectations = Expectations.parse({"expected_tool_calls": ["get_booking", {"notify": "invocations == 2"}]})
        >>> [one.found for one in unmet(cap.invocation, expectations)]
        ['but invocations was 1']
    """
    home = invocation.home
    broken = tuple(map(str, home.health.faults)) if home is not None else ()
    if broken:
        found = "but a hook of this library broke while the agent ran"
        return [Failure(expected="to be recorded completely", found=found, details=broken, kind=AdapterError)]
    return list(examined(alone(invocation), expectations, context_of(context)).failures)


def alone(invocation: Invocation) -> View:
    """The view of one invocation, and of what may belong to it."""
    home = invocation.home
    return View(
        subject=f"invocation {invocation.name!r}",
        invocations=(invocation,),
        strays=None if home is None else home.strays,
        visibility={} if home is None else home.visibility,
        is_open=home is not None and home.is_open,
        decorated=() if home is None else home.decorated_tools,
    )


def examined(view: View, expectations: Expectations, context: Mapping[str, Any]) -> Findings:
    """What of the expectations the invocation in `view` does not meet, and what is checked when it meets all.

    Args:
        view: one invocation, and what may belong to it.
        expectations: what is expected.
        context: a snapshot, as :func:`context_of` makes it.
    """
    unfinished = gate(view.root, unlocked=True)
    return Findings.of(_verdicts(view, expectations, context) if unfinished is None else [unfinished])


def context_of(context: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """What expressions read as `context`: JSON, with what is none in it kept as it is."""
    converted: dict[str, Any] = snapshot(dict(context or {}))
    return converted


def _verdicts(view: View, expectations: Expectations, context: Mapping[str, Any]) -> Iterator[Failure | Marks]:
    yield results.result(view, expectations.result, context)
    for tool in expectations.tool_calls:
        yield tools.called(view, tool, context, expectations.child_agents)
    if expectations.tool_call_order:
        yield tools.started_in_order(view, expectations.tool_call_order)
    for name in expectations.no_tool_calls:
        yield tools.not_called(view, name, expectations.child_agents)
    for child in expectations.child_agents:
        yield children.triggered(view, child, context, functools.partial(_inside, child, context))


def _inside(child: ChildExpectation, context: Mapping[str, Any], view: View) -> Findings:
    return examined(view, child.inside, context)
