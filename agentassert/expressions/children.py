"""What is expected of the agents that an invocation triggered: how often, with what payload, and what they did themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from agentassert.checks.view import NO_MARKS, Marks, View
from agentassert.errors import AgentAssertionError
from agentassert.expressions.expectations import ChildExpectation
from agentassert.expressions.findings import Findings, told
from agentassert.expressions.results import not_satisfied
from agentassert.failures import Failure, counted
from agentassert.jsonlike import decode
from agentassert.records import Invocation

Examine: TypeAlias = Callable[[View], Findings]

_HOW_TO_WAIT: Final = "Let the agent wait for the response; of an agent that is not waited for, only that it was triggered and its payload are known."
_HOW_TO_RECORD: Final = (
    "An agent counts as triggered when a framework with an adapter runs it, or record.agent or record.trigger tells of it."
)


def triggered(view: View, child: ChildExpectation, context: Mapping[str, Any], examine: Examine) -> Failure | Marks:
    """The agent was triggered as often as asked for, and one invocation of it satisfies everything else together.

    Args:
        view: what is looked at.
        child: what is expected.
        context: what expressions read as `context`.
        examine: looks at one nested invocation.
    """
    expected = f"to have triggered {child.name!r}"
    found = [one for one in view.root.nested_invocations if one.name == child.name]
    if len(found) < child.triggered:
        return _too_few(view.root, child, expected, len(found))
    if child.inside.is_empty:
        return _one_of([(one, Findings.of([_payload(one, child, context)])) for one in found], child, expected)
    waited_for = [one for one in found if one.awaited]
    if not waited_for:
        was = "it was not waited for" if len(found) == 1 else f"none of {len(found)} was waited for"
        return Failure(expected=f"{expected} and to have waited for the response", found=f"but {was}", advice=_HOW_TO_WAIT)
    looked_at = []
    for one in waited_for:
        inside = examine(attrs.evolve(view, subject=f"invocation {one.name!r}", invocations=(one,)))
        payload = Findings.of([_payload(one, child, context)])
        looked_at.append((one, Findings((*payload.failures, *inside.failures), inside.marks)))
    return _one_of(looked_at, child, expected)


def _payload(invocation: Invocation, child: ChildExpectation, context: Mapping[str, Any]) -> Failure | Marks:
    if child.payload is None:
        return NO_MARKS
    given = invocation.input
    text = given if type(given) is str else ""
    values = {"payload": decode(text) if text else given, "payload_raw": text, "context": context}
    verdict = child.payload.evaluate(values)
    return NO_MARKS if verdict.satisfied else not_satisfied(f"to have had a payload with {child.payload.text}", verdict)


def _one_of(looked_at: Sequence[tuple[Invocation, Findings]], child: ChildExpectation, expected: str) -> Failure | Marks:
    """One that meets everything is enough; where none does for certain, nobody can decide what one may meet."""
    for _, findings in looked_at:
        if not findings.failures:
            return findings.marks
    kinds = [findings.kind for _, findings in looked_at]
    details = told(looked_at[0][1].failures)
    found = "but its only invocation does not meet what is expected"
    if len(looked_at) > 1:
        found = f"but none of {len(looked_at)} invocations of it meets what is expected"
        details = tuple(
            f"{f'{number}.' if position == 0 else '  '} {line}"
            for number, (_, findings) in enumerate(looked_at, 1)
            for position, line in enumerate(told(findings.failures))
        )
    return Failure(
        expected=expected,
        found=found,
        details=details,
        kind=next((kind for kind in kinds if kind is not AgentAssertionError), AgentAssertionError),
        wanted=child.name,
    )


def _too_few(root: Invocation, child: ChildExpectation, expected: str, times: int) -> Failure:
    if child.triggered > 1:
        expected = f"{expected} {child.triggered} times at least"
    others = sorted({one.name for one in root.nested_invocations})
    found = f"but it triggered {', '.join(map(repr, others))}" if others else "but it triggered no agent"
    if times:
        found = f"but it did so {counted(times, 'time')}"
    parents = [one.name for one in root.with_nested()[1:] if any(below.name == child.name for below in one.nested_invocations)]
    advice = None if others else _HOW_TO_RECORD
    if parents:
        advice = f"{parents[0]!r} triggered it: expect it among the child agents of that one."
    return Failure(expected=expected, found=found, advice=advice, wanted=child.triggered, actual=times)
