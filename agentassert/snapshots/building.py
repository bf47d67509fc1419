"""The trajectory of what was recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import attrs

from agentassert.checks.hidden import hidden_arguments, hidden_results
from agentassert.checks.paths import MISSING
from agentassert.checks.view import View, depends_on_strays
from agentassert.failures import Failure, counted
from agentassert.recorded_errors import type_names
from agentassert.records import Invocation, Outcome, ToolExecution
from agentassert.snapshots.trajectory import SUCCEEDED, UNANSWERED, Group, Groups, Node
from agentassert.snapshots.values import Ignored, as_kept, compared


class Placed(Protocol):
    """What has a place in the recorder's sequence."""

    @property
    def started_order(self) -> int: ...

    @property
    def ended_order(self) -> int | None: ...


_P = TypeVar("_P", bound=Placed)


@attrs.frozen
class Wanted:
    """What of a recording is compared.

    Args:
        ignored: the places in arguments that are left out.
        results: whether results are compared too.
        kept: volatile values that are compared as they are.
    """

    ignored: tuple[Ignored, ...] = ()
    results: bool = False
    kept: Collection[str] = ()


def not_comparable(view: View, expected: str, wanted: Wanted) -> Failure | None:
    """Why what was recorded cannot be put into a trajectory, or `None`."""
    if view.stray_ids and view.strays is not None and view.strays.tool_executions:
        what = counted(len(view.strays.tool_executions), "execution")
        return depends_on_strays(expected, what, tuple(one.id for one in view.strays.tool_executions))
    running = [one for one in view.executions if view.is_running(one)]
    if running:
        return view.undecided(expected, running)
    whole = {one.tool for one in wanted.ignored if one.path.steps == ()}
    hidden = hidden_arguments(expected, [one for one in view.executions if one.name not in whole])
    return hidden or (hidden_results(expected, view.executions) if wanted.results else None)


def built(invocations: Sequence[Invocation], wanted: Wanted) -> Groups:
    """The trajectory of these invocations; nested ones count when they are among them."""
    return _Builder(invocations, wanted).top()


class _Builder:
    def __init__(self, invocations: Sequence[Invocation], wanted: Wanted) -> None:
        self.among = {one.id for one in invocations}
        nested = {below.id for one in invocations for below in one.nested_invocations}
        self.roots = [one for one in invocations if one.id not in nested]
        self.wanted = wanted

    def top(self) -> Groups:
        return self.invocations(self.roots)

    def invocations(self, invocations: Iterable[Invocation]) -> Groups:
        included = [one for one in invocations if one.id in self.among]
        return tuple(tuple(map(self.invocation, group)) for group in _overlapping(included, lambda _: False))

    def invocation(self, invocation: Invocation) -> Node:
        own = {one.id for one in invocation.tool_executions}
        started: dict[str | None, list[Invocation]] = {}
        for one in invocation.nested_invocations:
            started.setdefault(one.started_by if one.started_by in own else None, []).append(one)
        return Node(
            name=invocation.name,
            ending=_with_error(invocation.status.value, invocation.error),
            is_invocation=True,
            groups=(*self.executions(invocation, started), *self.invocations(started.get(None, ()))),
        )

    def executions(self, invocation: Invocation, started: Mapping[str | None, Sequence[Invocation]]) -> Iterable[Group]:
        asked = {request.call_id for request in invocation.tool_execution_requests} - {None}
        for group in _overlapping(invocation.tool_executions, lambda one: one.inferred or one.call_id in asked):
            yield tuple(self.execution(one, started.get(one.id, ())) for one in group)

    def execution(self, execution: ToolExecution, started: Iterable[Invocation]) -> Node:
        given = execution.arguments if execution.arguments is not None else execution.raw_arguments
        returned = self.wanted.results and execution.outcome in (Outcome.SUCCEEDED, Outcome.UNKNOWN)
        return Node(
            name=execution.name,
            ending=_ending(execution),
            arguments=compared(execution.name, self.kept(given), self.wanted.ignored),
            result=self.kept(execution.result) if returned else MISSING,
            groups=self.invocations(started),
            id=execution.id,
        )

    def kept(self, value: Any) -> Any:
        return as_kept(dict(value) if isinstance(value, Mapping) else value, self.wanted.kept)


def _overlapping(placed: Sequence[_P], is_ordered: Callable[[_P], bool]) -> Iterable[Sequence[_P]]:
    """In groups of neighbours that overlapped in time, for which of them started first is chance; `is_ordered` says where it is not."""
    group: list[_P] = []
    latest = -1
    for one in placed:
        if group and (is_ordered(one) or is_ordered(group[-1]) or one.started_order > latest):
            yield group
            group, latest = [], -1
        group.append(one)
        # What never ended would overlap with all that follows, and hide the order of that.
        latest = max(latest, one.started_order if one.ended_order is None else one.ended_order)
    if group:
        yield group


def _ending(execution: ToolExecution) -> str:
    if execution.may_not_have_run:
        return UNANSWERED
    return _with_error(execution.outcome.value, execution.error)


def _with_error(ending: str, error: BaseException | str | None) -> str:
    """The class alone: what an error says changes more often than what it is."""
    if ending == SUCCEEDED or not isinstance(error, BaseException):
        return ending
    name = type_names(error)[0].rpartition(".")[2]
    return f"{ending} {re.sub(r'[^A-Za-z0-9_]', '_', name)}"
