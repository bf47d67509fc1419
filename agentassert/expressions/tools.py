"""Which tools were called, how often, with what, and in which order. What counts is that an execution was dispatched, not how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.books import EITHER
from agentassert.checks.unseen import unseen_executions
from agentassert.checks.view import NO_MARKS, Marks, View
from agentassert.errors import NotRecordedError
from agentassert.expressions import nested
from agentassert.expressions.conditions import Condition
from agentassert.expressions.exchanged import returned, sent
from agentassert.expressions.expectations import ChildExpectation, ToolExpectation
from agentassert.expressions.expression import Expression, Verdict
from agentassert.expressions.results import not_satisfied
from agentassert.expressions.tool_names import every_tool, executions_of, only_tool
from agentassert.failures import Failure, counted, shortened
from agentassert.records import ToolExecution

_ANY: Final = Condition("", (), (), ())
_MOST_EXPLAINED: Final = 5
_VERY_MANY: Final = 1_000_000
"""More executions than there are: a condition that holds of so many has no upper bound."""


def called(
    view: View, expectation: ToolExpectation, context: Mapping[str, Any], children: Sequence[ChildExpectation] = ()
) -> Failure | Marks:
    """As many executions as asked for satisfy what is asked of one of them.

    Args:
        view: what is looked at.
        expectation: what is expected.
        context: what expressions read as `context`.
        children: the agents below of which something is expected by itself.
    """
    condition = expectation.condition or _ANY
    expected = f"to have executed {expectation.name!r}" + (f" so that {condition.text}" if condition.text else "")
    for gate in condition.gates:
        verdict = gate.evaluate({"context": context})
        if not verdict.satisfied:
            return not_satisfied(expected, verdict, wanted=condition.text)
    may_be_none = condition.counts_hold(0, context)
    if may_be_none:
        names = every_tool(view, expectation.name, expected)
    else:
        name = only_tool(view, expectation.name, expected)
        names = name if isinstance(name, Failure) else (name,)
    if isinstance(names, Failure):
        return names
    executions = executions_of(view, names)
    found = _counted(view, condition, expected, executions, context)
    if isinstance(found, Failure):
        return found if executions or may_be_none else attrs.evolve(found, advice=nested.hint(view, expectation.name))
    contradicted = _contradicted(view, expectation, expected, executions, context, children) if may_be_none else None
    unseen = None if condition.counts_hold(_VERY_MANY, context) else unseen_executions(view, expected)
    return contradicted or unseen or found


def started_in_order(view: View, names: Sequence[str]) -> Failure | Marks:
    """The tools started one after the other in this order, others between them aside."""
    expected = f"to have started in this order {', '.join(map(repr, names))}"
    tools: dict[str, str] = {}
    for name in dict.fromkeys(names):
        tool = only_tool(view, name, expected)
        if isinstance(tool, Failure):
            return tool
        tools[name] = tool
    wanted = [tools[name] for name in names]
    ran = executions_of(view, tuple(dict.fromkeys(wanted)))
    found = _leftmost(wanted, [one for one in ran if _is_certain(view, one)])
    if len(found) == len(wanted):
        return _marked(view, found)
    perhaps = _leftmost(wanted, ran)
    if len(perhaps) == len(wanted):
        return _undecided(view, expected, perhaps)
    after = f" after [{view.numbers[found[-1].id]}] {render.words(found[-1].name)}" if found else ""
    missing = names[len(found)]
    return Failure(
        expected=expected,
        found=f"but{after} {missing!r} did not start",
        wanted=tuple(names),
        advice=nested.hint(view, missing),
        actual=tuple(one.name for one in ran),
    )


def not_called(view: View, name: str, children: Sequence[ChildExpectation] = ()) -> Failure | Marks:
    """None of the tools that the name may stand for was called, nor by an agent below of which nothing is expected by itself."""
    expected = f"to have executed no {name!r}"
    names = every_tool(view, name, expected)
    if isinstance(names, Failure):
        return names
    ran = executions_of(view, names)
    found = [one for one in ran if _is_certain(view, one)]
    if not found and ran:
        return _undecided(view, expected, ran)
    if not found:
        contradicted = nested.contradicted(view, name, expected, nested.executed_below(view.root, name, children))
        return contradicted or unseen_executions(view, expected) or NO_MARKS
    executed = ", ".join(sorted({repr(one.name) for one in found}))
    return Failure(
        expected=expected,
        found=f"but it had {counted(len(found), 'execution')} of {executed}",
        wanted=name,
        actual=tuple(one.name for one in found),
        important=tuple(one.id for one in found),
    )


def _contradicted(
    view: View,
    expectation: ToolExpectation,
    expected: str,
    executions: Sequence[ToolExecution],
    context: Mapping[str, Any],
    children: Sequence[ChildExpectation],
) -> Failure | None:
    """The failure of a highest number that holds of the invocation's own executions, and not of all below it."""
    below = nested.executed_below(view.root, expectation.name, children)
    if not below:
        return None
    condition = expectation.condition or _ANY
    everything = _matches(view, condition.filters, [*executions, *(one for _, one in below)], context)
    if condition.counts_hold(len(everything.certain) + len(everything.possible), context):
        return None
    return nested.contradicted(view, expectation.name, expected, below)


@attrs.frozen(eq=False)
class _Matches:
    """What a filter let through: for sure, and depending on what nobody recorded; and why it kept the others back."""

    certain: list[ToolExecution] = attrs.Factory(list)
    possible: list[ToolExecution] = attrs.Factory(list)
    others: list[tuple[ToolExecution, tuple[str, ...]]] = attrs.Factory(list)
    unrecorded: list[str] = attrs.Factory(list)


def _counted(
    view: View, condition: Condition, expected: str, executions: Sequence[ToolExecution], context: Mapping[str, Any]
) -> Failure | Marks:
    matches = _matches(view, condition.filters, executions, context)
    fewest = len(matches.certain)
    most = fewest + len(matches.possible)
    holds = {condition.counts_hold(number, context) for number in range(fewest, most + 1)}
    if holds == {True}:
        return _marked(view, [*matches.certain, *matches.possible])
    if True in holds:
        return _undecided(view, expected, matches.possible, matches.unrecorded)
    explained = shortened(matches.others, lambda other: _explained(view, *other), _MOST_EXPLAINED)
    return Failure(
        expected=expected,
        found=f"but {_number(condition, fewest, most, context) if condition.counts or executions else 'it was never executed'}",
        details=tuple(line for one in explained for line in one.splitlines()),
        wanted=condition.text or None,
        actual=fewest,
        important=tuple(one.id for one in executions),
    )


def _matches(
    view: View, filters: Sequence[Expression], executions: Sequence[ToolExecution], context: Mapping[str, Any]
) -> _Matches:
    matches = _Matches()
    for execution in executions:
        verdicts = [_filtered(view, one, execution, context) for one in filters]
        reasons = tuple(reason for one in verdicts if not (one.satisfied or one.unrecorded) for reason in one.reasons)
        if reasons:
            matches.others.append((execution, reasons))
        elif _is_certain(view, execution) and not any(one.unrecorded for one in verdicts):
            matches.certain.append(execution)
        else:
            matches.possible.append(execution)
            matches.unrecorded.extend(name for one in verdicts for name in one.unrecorded)
    return matches


def _filtered(view: View, filter_: Expression, execution: ToolExecution, context: Mapping[str, Any]) -> Verdict:
    result = returned(view, execution, filter_.keys_of("result"))
    return filter_.evaluate({"params": sent(execution), "result": result, "context": context})


def _number(condition: Condition, fewest: int, most: int, context: Mapping[str, Any]) -> str:
    if not condition.counts:
        return "none of its executions matched"
    if fewest < most:
        return f"invocations was {fewest} to {most}"
    verdicts = [one.evaluate({"invocations": fewest, "context": context}) for one in condition.counts]
    return "; ".join(dict.fromkeys(reason for one in verdicts for reason in one.reasons))


def _explained(view: View, execution: ToolExecution, reasons: Sequence[str]) -> str:
    lines = (render.execution(execution, view.numbers[execution.id], result=False), *(f"    {reason}" for reason in reasons))
    return "\n".join(lines)


def _leftmost(names: Sequence[str], executions: Sequence[ToolExecution]) -> list[ToolExecution]:
    found: list[ToolExecution] = []
    for execution in executions:
        if len(found) < len(names) and execution.name == names[len(found)]:
            found.append(execution)
    return found


def _is_certain(view: View, execution: ToolExecution) -> bool:
    """Whether it was dispatched, and here."""
    return execution.id not in view.may_be_absent


def _marked(view: View, executions: Sequence[ToolExecution]) -> Marks:
    return {one.id: EITHER for one in executions if not view.is_running(one)}


def _undecided(view: View, expected: str, executions: Sequence[ToolExecution], unrecorded: Sequence[str] = ()) -> Failure:
    """The failure of what depends on executions that may not belong here, may not have run or still run, or on what is unrecorded."""
    uncertain = [one for one in executions if not _is_certain(view, one) or view.is_running(one)]
    if uncertain:
        return view.undecided(expected, uncertain)
    found = f"but that depends on {', '.join(dict.fromkeys(unrecorded))}, which nobody recorded"
    important = tuple(one.id for one in executions)
    return Failure(expected=expected, found=found, kind=NotRecordedError, important=important)
