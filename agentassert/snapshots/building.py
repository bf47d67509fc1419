"""The trajectory of what was recorded."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

import attrs

from agentassert.checks.hidden import hidden_arguments, hidden_results
from agentassert.checks.paths import MISSING
from agentassert.checks.view import View, depends_on_strays
from agentassert.failures import Failure, counted
from agentassert.records import Invocation, Outcome, ToolExecution
from agentassert.snapshots.trajectory import SUCCEEDED, UNANSWERED, Groups, Node, Row, grown
from agentassert.snapshots.values import Ignored, as_kept, compared
from agentassert.stored.recorded_errors import type_names


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
    return grown(_Builder(invocations, wanted).rows())


_Record: TypeAlias = Invocation | ToolExecution


class _Builder:
    def __init__(self, invocations: Sequence[Invocation], wanted: Wanted) -> None:
        self.among = {one.id for one in invocations}
        nested = {below.id for one in invocations for below in one.nested_invocations}
        self.roots = [one for one in invocations if one.id not in nested]
        self.wanted = wanted
        self.started: dict[str, list[Invocation]] = {}
        """By the ids of the executions that started them."""

    def rows(self) -> Iterator[Row]:
        waiting: list[tuple[int, int, _Record]] = []

        def below(depth: int, groups: Iterable[Sequence[_Record]]) -> None:
            waiting.extend([(depth, number, one) for number, group in enumerate(groups) for one in group][::-1])

        below(0, self.invocations(self.roots))
        while waiting:
            depth, group, one = waiting.pop()
            if isinstance(one, Invocation):
                yield depth, group, _invocation_node(one)
                below(depth + 1, self.in_invocation(one))
            else:
                yield depth, group, self.execution_node(one)
                below(depth + 1, self.invocations(self.started.get(one.id, ())))

    def invocations(self, invocations: Iterable[Invocation]) -> Iterable[Sequence[Invocation]]:
        included = [one for one in invocations if one.id in self.among]
        return _overlapping(included, lambda _: False)

    def in_invocation(self, invocation: Invocation) -> Iterator[Sequence[_Record]]:
        own = {one.id for one in invocation.tool_executions}
        by_itself: list[Invocation] = []
        for one in invocation.nested_invocations:
            (self.started.setdefault(one.started_by, []) if one.started_by in own else by_itself).append(one)
        asked = {request.call_id for request in invocation.tool_execution_requests} - {None}
        yield from _overlapping(invocation.tool_executions, lambda one: one.inferred or one.call_id in asked)
        yield from self.invocations(by_itself)

    def execution_node(self, execution: ToolExecution) -> Node:
        given = execution.arguments if execution.arguments is not None else execution.raw_arguments
        returned = self.wanted.results and execution.outcome in (Outcome.SUCCEEDED, Outcome.UNKNOWN)
        return Node(
            name=execution.name,
            ending=_ending(execution),
            arguments=compared(execution.name, self.kept(given), self.wanted.ignored),
            result=self.kept(execution.result) if returned else MISSING,
            id=execution.id,
        )

    def kept(self, value: Any) -> Any:
        return as_kept(dict(value) if isinstance(value, Mapping) else value, self.wanted.kept)


def _invocation_node(invocation: Invocation) -> Node:
    return Node(name=invocation.name, ending=_with_error(invocation.status.value, invocation.error), is_invocation=True)


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
