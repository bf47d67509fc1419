"""Which tools ran, how often, and how they ended.

Every rule looks at the successful executions unless it says otherwise, and answers for every way in which executions of unknown
outcome could have gone: it passes or fails only if it would in each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.books import EITHER
from agentassert.checks.arguments import ArgumentMatcher, closest
from agentassert.checks.bounds import Bound, decided
from agentassert.checks.hidden import hidden_arguments, hidden_results, is_hidden
from agentassert.checks.paths import Path, mapped
from agentassert.checks.references import referenced
from agentassert.checks.unseen import unseen_executions
from agentassert.checks.values import canonical
from agentassert.checks.view import HOW_TO_REFUSE, NO_MARKS, Marks, View, marks_for_failure, marks_for_success
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, counted, shortened
from agentassert.records import Outcome, ToolExecution
from agentassert.stored.values import NotJson


def none_executed(view: View, names: Sequence[str]) -> Failure | Marks:
    """No execution at all, or none of these names, not even a failed one."""
    expected = f"to have executed none of {_names(names)}" if names else "to have executed no tool"
    ran = [one for name in names for one in view.named(name)] if names else view.executions
    found = [one for one in ran if one.id not in view.may_be_absent]
    if not found:
        return view.undecided(expected, ran) if ran else unseen_executions(view, expected) or NO_MARKS
    by_name = Counter(one.name for one in found)
    return Failure(
        expected=expected,
        found=f"but it executed {', '.join(f'{name!r} {_times(count)}' for name, count in by_name.items())}",
        advice=HOW_TO_REFUSE if all(one.inferred for one in found) else None,
        important=_ids(found),
        actual=tuple(one.name for one in found),
    )


def executed(view: View, name: str) -> Failure | Marks:
    """At least one successful execution."""
    expected = f"to have executed {name!r}"
    certain, possible = view.succeeded(view.named(name))
    if certain:
        return marks_for_success((*certain, *possible))
    if possible:
        return view.undecided(expected, possible)
    return Failure(expected=expected, found=_not_successful(view, name), wanted=name, important=_ids(view.named(name)))


def executed_times(view: View, name: str, times: int, bound: Bound) -> Failure | Marks:
    """So many successful executions; says nothing about failed ones."""
    certain, possible = view.succeeded(view.named(name))
    fewest, most = len(certain), len(certain) + len(possible)
    expected = f"to have executed {name!r} successfully {bound.replace('_', ' ')} {_times(times)}"
    holds = decided(fewest, most, times, bound)
    if holds is None:
        return view.undecided(expected, possible)
    if holds:
        unseen = None if bound == "at_least" else unseen_executions(view, expected)
        return unseen or marks_for_success((*certain, *possible))
    found = f"did {_times(fewest)}" if fewest == most else f"did {fewest} to {most} times"
    return Failure(
        expected=expected,
        found=f"but it {'never did' if most == 0 else found}{_other_outcomes(view.named(name))}",
        wanted=times,
        actual=fewest,
        important=_ids(view.named(name)),
    )


def executed_with(view: View, name: str, matcher: ArgumentMatcher, described: str) -> Failure | Marks:
    """At least one successful execution whose arguments match."""
    expected = f"to have executed {name!r} {described}"
    certain, possible = view.succeeded(view.named(name))
    candidates = [*certain, *possible]
    matching = [matches(view, matcher, one) for one in candidates]
    if any(matching[: len(certain)]):
        return marks_for_success([one for one, matched in zip(candidates, matching, strict=True) if matched])
    perhaps = [one for one in candidates if may_match(view, matcher, one)]
    if perhaps:
        return view.undecided(expected, perhaps)
    if not candidates:
        return Failure(expected=expected, found=_not_successful(view, name), important=_ids(view.named(name)))
    hidden = hidden_for(view, expected, matcher, candidates)
    if hidden is not None:
        return hidden
    nearest = candidates[closest(matcher, [one.arguments for one in candidates], [Before(view, one) for one in candidates])]
    differences = explained(view, matcher, nearest)
    return Failure(
        expected=expected,
        found="but no successful execution matched. Closest",
        details=(render.execution(nearest, view.numbers[nearest.id], result=False), *(f"    {line}" for line in differences)),
        actual=nearest.arguments,
        differences=differences,
        important=(nearest.id,),
    )


def execution_failed(view: View, name: str) -> Failure | Marks:
    """At least one failed execution."""
    expected = f"to have had a failed execution of {name!r}"
    certain, possible = view.failed(view.named(name))
    if certain:
        return marks_for_failure((*certain, *possible))
    if possible:
        return view.undecided(expected, possible)
    found = _none_of_them(view, name, "failed", "did not fail")
    return Failure(expected=expected, found=found, important=_ids(view.named(name)))


def execution_cancelled(view: View, name: str) -> Failure | Marks:
    """At least one execution that was cancelled or did not finish."""
    expected = f"to have had a cancelled or unfinished execution of {name!r}"
    stopped = [one for one in view.named(name) if one.outcome in (Outcome.CANCELLED, Outcome.UNFINISHED)]
    for_good = [one for one in stopped if not view.is_running(one)]
    if any(one.id not in view.may_be_absent for one in for_good):
        return {one.id: EITHER for one in for_good}
    if stopped:
        return view.undecided(expected, stopped)
    found = _none_of_them(view, name, "was cancelled or left unfinished", "ended")
    return Failure(expected=expected, found=found, important=_ids(view.named(name)))


def none_failed(view: View) -> Failure | Marks:
    """No failed execution, nor one that was still running, which nobody can tell about."""
    expected = "to have no failed tool execution"
    others = [one for one in view.executions if one.outcome is not Outcome.SUCCEEDED]
    certain, possible = view.failed(others)
    if certain:
        details = shortened(
            certain, lambda one: f"{render.words(one.name)}: {render.error(one.error) if one.error is not None else 'failed'}"
        )
        return Failure(expected=expected, found=f"but {len(certain)} failed", details=details, important=_ids(certain))
    unseen = view.cannot_see(expected, "whether a tool failed", "tool_failures") if view.executions else None
    if unseen is not None:
        return unseen
    if possible:
        return view.undecided(expected, possible)
    running = [one for one in others if one.outcome is Outcome.UNFINISHED]
    if running:
        found = f"but {counted(len(running), 'execution')} had not ended, so nobody knows"
        return Failure(expected=expected, found=found, kind=NotRecordedError, important=_ids(running))
    return unseen_executions(view, expected) or NO_MARKS


def none_left(view: View, marks: Marks) -> Failure | Marks:
    """Every execution, failed ones too, was checked before."""
    expected = "to have no more tool executions than those checked"
    unchecked = [one for one in view.executions if marks.get(one.id, 0) == 0 and one.id not in view.may_be_absent]
    if unchecked:
        return Failure(
            expected=expected,
            found=f"but {counted(len(unchecked), 'execution')} {'was' if len(unchecked) == 1 else 'were'} not checked before",
            details=shortened(unchecked, lambda one: line(view, one)),
            actual=tuple(one.name for one in unchecked),
            important=_ids(unchecked),
        )
    open_cases = [one for one in view.executions if marks.get(one.id) != EITHER]
    return view.undecided(expected, open_cases) if open_cases else unseen_executions(view, expected) or NO_MARKS


def none_repeated(view: View) -> Failure | Marks:
    """No tool ran twice with the same arguments; attempts at one request are no repeats."""
    expected = "to have no repeated tool executions"
    certain = _repeated([one for one in view.executions if one.id not in view.may_be_absent], canonical)
    repeated = certain or _repeated(view.executions, canonical)
    if not certain:
        ran = Counter(one.name for one in view.executions if one.attempt == 1)
        hidden = hidden_arguments(expected, [one for one in view.executions if ran[one.name] > 1 and one.attempt == 1])
        if hidden is not None:
            return hidden
    if not repeated:
        return _alike_as_stored(view, expected) or unseen_executions(view, expected) or NO_MARKS
    if not certain:
        return view.undecided(expected, [one for pair in repeated for one in pair])
    return Failure(
        expected=expected,
        found=f"but {counted(len(certain), 'execution')} repeated an earlier one",
        details=shortened(certain, lambda pair: _repeating(view, *pair)),
        important=_ids([one for pair in certain for one in pair]),
    )


def _repeated(executions: Iterable[ToolExecution], key_of: Callable[[Any], Any]) -> list[tuple[ToolExecution, ToolExecution]]:
    first: dict[Any, ToolExecution] = {}
    repeated: list[tuple[ToolExecution, ToolExecution]] = []
    for execution in executions:
        if execution.attempt > 1 or is_hidden(execution):
            continue
        key = execution.name, key_of(execution.arguments if execution.arguments is not None else execution.raw_arguments)
        earlier = first.setdefault(key, execution)
        if earlier is not execution:
            repeated.append((earlier, execution))
    return repeated


def _alike_as_stored(view: View, expected: str) -> Failure | None:
    """Of a value that was no JSON a stored capture has the class alone, so nobody knows whether two were the same object."""
    of_class: dict[str, object] = {}

    def blurred(leaf: Any) -> Any:
        return of_class.setdefault(leaf.type_name, object()) if isinstance(leaf, NotJson) else leaf

    alike = _repeated(view.executions, lambda given: canonical(mapped(given, blurred)))
    if not alike:
        return None
    return Failure(
        expected=expected,
        found=f"but {counted(len(alike), 'execution')} may have: the stored capture lacks arguments that were no JSON",
        details=shortened(alike, lambda pair: _repeating(view, *pair)),
        advice="Assert it on the capture itself, before it is stored.",
        kind=NotRecordedError,
        important=_ids([one for pair in alike for one in pair]),
    )


@attrs.frozen(eq=False)
class Before:
    """The results that were there before an execution started; what `result_of` refers to.

    Args:
        view: what is looked at.
        execution: the one that started.
        certainly: whether the results of executions that may have failed, or may not belong here, are left out.
    """

    view: View
    execution: ToolExecution
    certainly: bool = False

    def before(self, name: str) -> Sequence[Any]:
        """The results of successful executions of `name` that had ended by then, those left out that were not recorded."""
        return self.view.returned(name, certainly=self.certainly).before(self.execution.started_order)

    def alike(self, name: str, path: Path, value: Any) -> Iterable[Any]:
        """What stands at a path of these: everything that may be `value`, or its text, and little else."""
        return self.view.returned(name, certainly=self.certainly).alike(path, value, before=self.execution.started_order)


def matches(view: View, matcher: ArgumentMatcher, execution: ToolExecution) -> bool:
    """Whether the arguments of `execution` match in any case."""
    plain = matcher.plain
    if plain is not None:
        return plain.matches(execution.arguments)
    return matcher.matches(execution.arguments, Before(view, execution, certainly=True))


def may_match(view: View, matcher: ArgumentMatcher, execution: ToolExecution) -> bool:
    """Whether they match when every result that `result_of` may refer to was really there."""
    plain = matcher.plain
    if plain is not None:
        return plain.matches(execution.arguments)
    return matcher.matches(execution.arguments, Before(view, execution))


def hidden_for(view: View, expected: str, matcher: ArgumentMatcher, candidates: Sequence[ToolExecution]) -> Failure | None:
    """The failure, where what decides whether these match was not recorded: their arguments, or results that are referred to."""
    sources = [one for name in references(matcher) for one in view.named(name) if view.may_have_succeeded(one)]
    return hidden_arguments(expected, candidates) or hidden_results(expected, sources)


def references(matcher: ArgumentMatcher) -> frozenset[str]:
    """The names of the tools whose results an expectation refers to."""
    if matcher.plain is not None:
        return frozenset()
    return frozenset([name for _, value in matcher.expectation.entries for name in referenced(value)])


def explained(view: View, matcher: ArgumentMatcher, execution: ToolExecution) -> tuple[str, ...]:
    """Why they do not, a line each."""
    if execution.arguments is None:
        return (f"the arguments are no JSON object: {render.value(execution.raw_arguments)}",)
    return tuple(one.text() for one in matcher.differences(execution.arguments, Before(view, execution)))


def line(view: View, execution: ToolExecution) -> str:
    """An execution under the number that it has in the list of all."""
    return render.execution(execution, view.numbers[execution.id])


def _not_successful(view: View, name: str) -> str:
    others = view.named(name)
    if not others:
        return "but it was never executed"
    if len(others) == 1:
        return f"but its only execution {_ENDED[others[0].outcome]}"
    return f"but none of its {len(others)} executions succeeded{_other_outcomes(others)}"


_ENDED: Final = {Outcome.FAILED: "failed", Outcome.CANCELLED: "was cancelled", Outcome.UNFINISHED: "did not finish"}


def _none_of_them(view: View, name: str, verb: str, only: str) -> str:
    ran = view.named(name)
    if not ran:
        return "but it was never executed"
    return f"but its only execution {only}" if len(ran) == 1 else f"but none of its {len(ran)} executions {verb}"


def _other_outcomes(executions: Sequence[ToolExecution]) -> str:
    others = Counter(one.outcome.value for one in executions if one.outcome is not Outcome.SUCCEEDED)
    return f" ({', '.join(f'{count} {outcome}' for outcome, count in others.items())})" if others else ""


def _repeating(view: View, first: ToolExecution, second: ToolExecution) -> str:
    return f"{render.execution(second, view.numbers[second.id], result=False)} repeats [{view.numbers[first.id]}]"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names))


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _ids(executions: Sequence[ToolExecution]) -> tuple[str, ...]:
    return tuple(one.id for one in executions)
