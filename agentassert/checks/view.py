"""What an assertion looks at: the invocations in its scope, and everything that they hold."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import attrs

from agentassert.books import EITHER, FAILED, SUCCEEDED
from agentassert.checks.returned import Returned
from agentassert.errors import AmbiguousError, NotRecordedError
from agentassert.failures import Failure, counted
from agentassert.records import (
    NOT_RECORDED,
    Approval,
    Invocation,
    ModelCall,
    Outcome,
    Source,
    Sources,
    ToolExecution,
    ToolExecutionRequest,
)

Marks: TypeAlias = Mapping[str, int]
"""The ids of the executions that a check covered, and for which outcomes."""

NO_MARKS: Final[Marks] = {}
_SUCCEEDED: Final = Outcome.SUCCEEDED  # looked up once: a member of an enum costs more than the rest of the line
_UNKNOWN: Final = Outcome.UNKNOWN
_UNFINISHED: Final = Outcome.UNFINISHED
_OF_MODELS: Final = frozenset({"chat", "embedding", "scoring", "moderation", "requests", "approvals"})
"""What is known only where models are called."""

_HOW_TO_REPORT: Final = (
    "The result alone does not say whether it means success. "
    "Decorate the function with `@record.tool` to have its outcome recorded, "
    'or say by `capture(unreported_tools="succeeded")` that a result means success.'
)
HOW_TO_REFUSE: Final = (
    "That is inferred from the result that was sent back: if your loop refused to run it, "
    'say so with `record.approval(tool, arguments, decision="reject")`.'
)
_HOW_TO_SEE: Final = (
    "If it ran, `@record.tool` on the function has that recorded; if a person had to agree first, `record.approval(...)` does. "
    '`capture(unreported_tools="succeeded")` speaks of results that were sent back, and there is none.'
)
HOW_TO_WAIT: Final = "Wait for its result before asserting, or assert after the block."
_HOW_TO_PLACE: Final = "Assert after whole_capture() if that belongs to the run, or keep it out of the block if it does not."


@attrs.frozen(eq=False, kw_only=True)
class View:
    """The invocations in scope, the one asserted on first, and strays that may belong to them.

    Args:
        subject: how messages name it.
        invocations: what is in scope; the first is the root.
        strays: what was recorded outside every invocation, when it may or may not be part of this one.
        visibility: what each adapter is able to see.
        is_open: whether the capture is still open, so that what has not ended may yet succeed.
        decorated: names of tools whose functions would be seen when they run.
    """

    subject: str
    invocations: tuple[Invocation, ...]
    strays: Invocation | None = None
    visibility: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    is_open: bool = False
    decorated: Collection[str] = ()

    @property
    def root(self) -> Invocation:
        """The invocation asserted on."""
        return self.invocations[0]

    @functools.cached_property
    def executions(self) -> tuple[ToolExecution, ...]:
        """Every tool execution in scope, nested ones after own ones; strays last."""
        return self._all(_tool_executions)

    @functools.cached_property
    def in_order(self) -> Sequence[ToolExecution]:
        """The same in the order in which they count: an invocation's as the model asked for them, strays where they started."""
        if self.strays is None and len(self.invocations) == 1:
            return self.executions
        ordered: list[tuple[int, ToolExecution]] = []
        for invocation in self.everywhere:
            latest = 0
            for one in invocation.tool_executions:
                latest = max(latest, one.started_order)
                ordered.append((latest, one))
        return [one for _, one in sorted(ordered, key=lambda placed: placed[0])]

    @functools.cached_property
    def model_calls(self) -> tuple[ModelCall, ...]:
        """Every model call in scope."""
        return self._all(lambda invocation: invocation.model_calls)

    @functools.cached_property
    def requests(self) -> tuple[ToolExecutionRequest, ...]:
        """Every tool execution request in scope."""
        return self._all(lambda invocation: invocation.tool_execution_requests)

    @functools.cached_property
    def approvals(self) -> tuple[Approval, ...]:
        """Every approval in scope."""
        return self._all(lambda invocation: invocation.approvals)

    @functools.cached_property
    def sources(self) -> Sources:
        """Every source in scope, strays left out, or `NOT_RECORDED` when no retriever was seen."""
        seen = [one.sources for one in self.invocations if one.sources is not NOT_RECORDED]
        return tuple(source for sources in seen for source in sources) if seen else NOT_RECORDED

    @functools.cached_property
    def stray_sources(self) -> tuple[Source, ...]:
        """The sources that may not belong here."""
        if self.strays is None or self.strays.sources is NOT_RECORDED:
            return ()
        return self.strays.sources

    @functools.cached_property
    def by_name(self) -> Mapping[str, Sequence[ToolExecution]]:
        """The tool executions under their names."""
        index: defaultdict[str, list[ToolExecution]] = defaultdict(list)
        for execution in self.executions:
            index[execution.name].append(execution)
        return dict(index)

    @functools.cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number under which messages list each execution."""
        return {one.id: number for number, one in enumerate(self.executions, 1)}

    @functools.cached_property
    def stray_ids(self) -> frozenset[str]:
        """The ids of what may not belong here."""
        if self.strays is None:
            return frozenset()
        strays = self.strays
        return frozenset((*(one.id for one in strays.tool_executions), *(one.id for one in strays.model_calls)))

    @functools.cached_property
    def is_beyond_doubt(self) -> bool:
        """Whether every execution succeeded and belongs here: what nearly always holds, and saves asking each one on its own."""
        if self.strays is not None:
            return False
        return not [one for one in self.executions if one.outcome is not _SUCCEEDED or (one.inferred and one.may_not_have_run)]

    @functools.cached_property
    def may_be_absent(self) -> frozenset[str]:
        """The ids of executions that may not belong here, and of requests of which nobody knows whether they ran."""
        if self.is_beyond_doubt:
            return frozenset()
        inferred = [one for one in self.executions if one.inferred]
        return frozenset((*self.stray_ids, *(one.id for one in inferred if one.may_not_have_run)))

    def named(self, name: str) -> Sequence[ToolExecution]:
        """The executions of one tool."""
        return self.by_name.get(name, ())

    def returned(self, name: str, *, certainly: bool) -> Returned:
        """What successful executions of a tool returned; those left out, where it is to be certain, that may not have been any."""
        known = self._returned.get((name, certainly))
        if known is None:
            certain, possible = self.succeeded(self.named(name))
            known = self._returned[name, certainly] = Returned(certain if certainly else [*certain, *possible])
        return known

    @functools.cached_property
    def _returned(self) -> dict[tuple[str, bool], Returned]:
        return {}

    def is_certain(self, found: Iterable[Any], of: Callable[[Invocation], tuple[Any, ...]]) -> bool:
        """Whether one of these records belongs here in any case; `of` says where such records are kept."""
        own = {id(record) for invocation in self.invocations for record in of(invocation)}
        return any(id(record) in own for record in found)

    def blind(self, *aspects: str) -> tuple[str, ...]:
        """The adapters which recorded in scope and cannot see all of `aspects`."""
        found = {one for invocation in self.invocations for one in self._blind(invocation.recorded_by, frozenset(aspects))}
        return tuple(sorted(found))

    def _blind(self, recorded_by: Iterable[str], aspects: frozenset[str]) -> list[str]:
        sees = {one: self.visibility.get(one, frozenset[str]()) for one in recorded_by}
        blind = [one for one in sees if not aspects <= sees[one]]
        if aspects <= _OF_MODELS and any(_OF_MODELS & seen for seen in sees.values()):
            # Through what only carries tools out (an MCP client) no model is called: it is asked where nobody else knows.
            blind = [one for one in blind if _OF_MODELS & sees[one]]
        return blind

    def cannot_see(self, expected: str, what: str, *aspects: str, advice: str | None = None) -> Failure | None:
        """The failure of a check that needs all of `aspects`, called `what`, where an adapter that recorded cannot see them."""
        blind = self.blind(*aspects)
        if not blind:
            return None
        adapters = f"the {' and '.join(map(repr, blind))} adapter{'s' if len(blind) > 1 else ''}"
        return Failure(expected=expected, found=f"but {adapters} cannot see {what}", advice=advice, kind=NotRecordedError)

    def succeeded(self, executions: Sequence[ToolExecution]) -> tuple[list[ToolExecution], list[ToolExecution]]:
        """Those that succeeded, and those that may have: unknown outcomes, running ones, and strays that may not belong here."""
        return self._split(executions, Outcome.SUCCEEDED)

    def failed(self, executions: Sequence[ToolExecution]) -> tuple[list[ToolExecution], list[ToolExecution]]:
        """Those that failed, and those that may have."""
        return self._split(executions, Outcome.FAILED)

    @functools.cached_property
    def uncertain(self) -> tuple[ToolExecution, ...]:
        """The executions of which nobody knows whether they succeed, or belong here."""
        if self.is_beyond_doubt:
            return ()
        absent = self.may_be_absent
        return tuple(
            [one for one in self.executions if (one.outcome is not _SUCCEEDED and self._is_undecided(one)) or one.id in absent]
        )

    def is_running(self, execution: ToolExecution) -> bool:
        """Whether it has not ended, and still may."""
        return self.is_open and execution.outcome is Outcome.UNFINISHED

    def may_have_succeeded(self, execution: ToolExecution) -> bool:
        """Whether it succeeded as far as anybody knows."""
        return execution.outcome is _SUCCEEDED or self._is_undecided(execution)

    def undecided(self, expected: str, concerned: Iterable[ToolExecution]) -> Failure:
        """The failure of a check that the recording does not decide, because of uncertain executions among those concerned.

        Without one among them, what they refer to is uncertain.
        """
        ids = {one.id for one in concerned}
        uncertain = [one for one in self.uncertain if one.id in ids] or list(self.uncertain)
        strays = [one for one in uncertain if one.id in self.stray_ids]
        running = [one for one in uncertain if self.is_running(one)]
        names = ", ".join(sorted({repr(one.name) for one in strays or running or uncertain}))
        important = tuple(one.id for one in uncertain)
        if strays:
            return depends_on_strays(expected, f"{counted(len(strays), 'execution')} of {names}", important)
        if running:
            verb = "has" if len(running) == 1 else "have"
            found = f"but that depends on {counted(len(running), 'execution')} of {names} that {verb} not ended"
            return Failure(expected=expected, found=found, advice=HOW_TO_WAIT, kind=NotRecordedError, important=important)
        found = f"but that depends on {counted(len(uncertain), 'execution')} of {names} whose outcome was not reported"
        advice = _HOW_TO_REPORT
        if all(one.may_not_have_run for one in uncertain):
            found = (
                f"but that depends on {counted(len(uncertain), 'request')} for {names} which may never have run: nothing answered"
            )
            advice = _HOW_TO_SEE
        elif all(map(self._was_hardly_run, uncertain)):
            advice = HOW_TO_REFUSE
        return Failure(expected=expected, found=found, advice=advice, kind=NotRecordedError, important=important)

    def _was_hardly_run(self, execution: ToolExecution) -> bool:
        """Whether a result came back without the function that is known under its name, or for arguments that no function takes."""
        is_unreadable = execution.arguments is None and execution.raw_arguments is not None
        return execution.inferred and (is_unreadable or execution.name in self.decorated)

    def _split(self, executions: Sequence[ToolExecution], outcome: Outcome) -> tuple[list[ToolExecution], list[ToolExecution]]:
        certain = [one for one in executions if one.outcome is outcome]
        if self.strays is not None:
            certain = [one for one in certain if one.id not in self.stray_ids]
        if len(certain) == len(executions):
            return certain, []
        strays = self.stray_ids
        possible = [one for one in executions if (one.id in strays if one.outcome is outcome else self._is_undecided(one))]
        return certain, possible

    def _is_undecided(self, execution: ToolExecution) -> bool:
        return execution.outcome is _UNKNOWN or (self.is_open and execution.outcome is _UNFINISHED)

    @property
    def everywhere(self) -> tuple[Invocation, ...]:
        """The invocations, and the strays as one more."""
        return self.invocations if self.strays is None else (*self.invocations, self.strays)

    def _all(self, of: Callable[[Invocation], tuple[Any, ...]]) -> tuple[Any, ...]:
        places = self.everywhere
        return of(places[0]) if len(places) == 1 else tuple(item for place in places for item in of(place))


def _tool_executions(invocation: Invocation) -> tuple[ToolExecution, ...]:
    return invocation.tool_executions


def depends_on_strays(expected: str, what: str, important: tuple[str, ...] = ()) -> Failure:
    """The failure of a check that holds or not depending on whether `what`, recorded outside every invocation, belongs here."""
    found = f"but that depends on {what} recorded outside every invocation"
    return Failure(expected=expected, found=found, advice=_HOW_TO_PLACE, kind=AmbiguousError, important=important)


def marks_for_success(executions: Sequence[ToolExecution]) -> Marks:
    """Mark executions as checked, those of unknown outcome only for the case that they succeeded, and none that runs."""
    return _marks(executions, SUCCEEDED)


def marks_for_failure(executions: Sequence[ToolExecution]) -> Marks:
    """Mark executions as checked, those of unknown outcome only for the case that they failed, and none that runs."""
    return _marks(executions, FAILED)


def _marks(executions: Sequence[ToolExecution], if_unknown: int) -> Marks:
    marks = dict.fromkeys([one.id for one in executions if one.outcome is _SUCCEEDED], EITHER)
    if len(marks) < len(executions):
        others = [one for one in executions if one.outcome is not _SUCCEEDED and one.outcome is not _UNFINISHED]
        marks.update({one.id: if_unknown if one.outcome is _UNKNOWN else EITHER for one in others})
    return marks
