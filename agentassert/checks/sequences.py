"""Several tools at once: in order, exactly in order, in any order, one before another."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from agentassert import render
from agentassert.checks.arguments import ArgumentMatcher
from agentassert.checks.executions import Before, explained, hidden_for, line, matches, may_match, references
from agentassert.checks.pairing import can_cover, pair_executions
from agentassert.checks.unseen import unseen_executions
from agentassert.checks.view import Marks, View, marks_for_success
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, counted, shortened
from agentassert.patterns import ExecutionPattern
from agentassert.records import Invocation, ToolExecution

_MOST_SHOWN: Final = 20
_UNTIMED: Final = "but one of them is inferred from what was sent to the model, so nobody knows when it ran"
_HOW_TO_TIME: Final = "Decorate both functions with `@record.tool` to have their times recorded."
Matches: TypeAlias = Callable[[View, ArgumentMatcher, ToolExecution], bool]


def in_order(view: View, patterns: Sequence[ExecutionPattern]) -> Failure | Marks:
    """The patterns are a subsequence of the successful executions, matched leftmost."""
    certain, possible = view.succeeded(view.in_order)
    found = _leftmost(view, patterns, certain, matches)
    if len(found) == len(patterns):
        return marks_for_success(found)
    expected = f"to have executed in order {_shown(patterns)}"
    if possible:
        ids = {one.id for one in (*certain, *possible)}
        perhaps = _leftmost(view, patterns, [one for one in view.in_order if one.id in ids], may_match)
        if len(perhaps) == len(patterns):
            return view.undecided(expected, perhaps)
    hidden = _hidden(view, expected, patterns)
    if hidden is not None:
        return hidden
    after = f" after [{view.numbers[found[-1].id]}] {render.words(found[-1].name)}" if found else ""
    return Failure(
        expected=expected,
        found=f"but{after} no successful execution matched {_one(patterns[len(found)])}",
        actual=tuple(one.name for one in certain),
        important=tuple(one.id for one in found),
    )


def exactly_in_order(view: View, patterns: Sequence[ExecutionPattern]) -> Failure | Marks:
    """The patterns are the whole sequence: nothing else, not even a failed execution."""

    def expected() -> str:
        return f"to have executed exactly, in order, {_shown(patterns)}"

    if not _can_be_all(view, patterns):
        return _hidden(view, expected(), patterns) or _not_all(view, expected(), patterns)
    if view.uncertain:
        return view.undecided(expected(), view.uncertain)
    return unseen_executions(view, expected) or marks_for_success(view.executions)


def exactly_in_any_order(view: View, patterns: Sequence[ExecutionPattern]) -> Failure | Marks:
    """The successful executions pair up with the patterns, one to one; a tool not named must not appear even as a failure."""

    def expected() -> str:
        return f"to have executed exactly, in any order, {_shown(patterns)}"

    named = {pattern.name for pattern in patterns}
    certain, possible = view.succeeded([one for one in view.executions if one.name in named])
    others = [one for one in view.executions if one.name not in named]
    unnamed = [one for one in others if one.id not in view.may_be_absent]
    pairing = pair_executions(patterns, certain, lambda one: Before(view, one))
    left_over = [certain[index] for index in pairing.unmatched_executions]
    if not (pairing.unmatched_patterns or left_over or possible or others):
        return unseen_executions(view, expected) or marks_for_success(certain)
    candidates = (*certain, *possible)
    if not unnamed and can_cover(patterns, candidates, range(len(certain)), lambda one: Before(view, one)):
        return view.undecided(expected(), (*possible, *others))
    hidden = _hidden(view, expected(), patterns)
    if hidden is not None:
        return hidden
    unexpected = sorted((*unnamed, *left_over), key=lambda one: view.numbers[one.id])
    return Failure(
        expected=expected(),
        found="but they do not pair up",
        details=(
            *shortened(pairing.unmatched_patterns, lambda index: f"missing: {_one(patterns[index])}"),
            *shortened(unexpected, lambda one: f"unexpected: {line(view, one)}"),
        ),
        actual=tuple(one.name for one in certain),
        important=tuple(one.id for one in unexpected),
    )


def finished_before(view: View, first: str, second: str) -> Failure | Marks:
    """Both ran, and every successful `second` started after a successful `first` had ended."""
    expected = f"to have finished {first!r} before it started {second!r}"
    firsts, maybe_firsts = view.succeeded(view.named(first))
    seconds, maybe_seconds = view.succeeded(view.named(second))
    every_first, every_second = (*firsts, *maybe_firsts), (*seconds, *maybe_seconds)
    for name, ran in ((first, every_first), (second, every_second)):
        if not ran:
            return Failure(expected=expected, found=f"but {name!r} was not executed successfully", wanted=name)
    earliest = min(map(_earliest_end, every_first))
    too_early = [one for one in seconds or maybe_seconds if _latest_start(one) < earliest]
    if too_early and (seconds or len(too_early) == len(maybe_seconds)):
        return Failure(
            expected=expected,
            found=f"but no successful {first!r} had ended when {second!r} started",
            details=shortened(too_early, lambda one: line(view, one)),
            important=tuple(one.id for one in too_early),
        )
    ended = min(map(_latest_end, firsts), default=math.inf)
    if seconds and all(ended <= one.started_order for one in every_second):
        return unseen_executions(view, expected) or marks_for_success((*every_first, *every_second))
    if maybe_firsts or maybe_seconds:
        return view.undecided(expected, (*maybe_firsts, *maybe_seconds))
    return Failure(expected=expected, found=_UNTIMED, advice=_HOW_TO_TIME, kind=NotRecordedError)


def follow_one_another(invocations: Sequence[Invocation], strays: Invocation | None) -> bool:
    """Whether these, and the strays beside them, happened one after the other, with nothing nested in them."""
    outside = () if strays is None else strays.tool_executions
    return not (
        any(one.nested_invocations for one in invocations)
        or any(_overlap(one, following) for one, following in itertools.pairwise(invocations))
        or any(_overlap(one, stray) for one in invocations for stray in outside)
    )


def _overlap(one: Invocation, other: Invocation | ToolExecution) -> bool:
    earlier, later = (one, other) if one.started_order < other.started_order else (other, one)
    return earlier.ended_order is None or later.started_order < earlier.ended_order


def _leftmost(
    view: View, patterns: Sequence[ExecutionPattern], executions: Iterable[ToolExecution], matching: Matches
) -> list[ToolExecution]:
    found: list[ToolExecution] = []
    left = iter(executions)
    for pattern in patterns:
        name, matcher = pattern.name, pattern.matcher
        plain = None if matcher is None else matcher.plain  # asked without a detour, as there may be thousands
        for execution in left:
            if execution.name != name:
                continue
            if matcher is None or (matching(view, matcher, execution) if plain is None else plain.matches(execution.arguments)):
                found.append(execution)
                break
        else:
            break
    return found


def _can_be_all(view: View, patterns: Sequence[ExecutionPattern]) -> bool:
    """Whether the patterns are the whole sequence for some outcomes, some left out that may be absent: how many may have been used up so far."""
    if not view.may_be_absent:
        return _fit_one_by_one(view, patterns)
    used_up = {0}
    for execution in view.in_order:
        fitting = {
            count + 1
            for count in used_up
            if count < len(patterns) and view.may_have_succeeded(execution) and _fits(view, patterns[count], execution, may_match)
        }
        used_up = used_up | fitting if execution.id in view.may_be_absent else fitting
    return len(patterns) in used_up


def _fit_one_by_one(view: View, patterns: Sequence[ExecutionPattern]) -> bool:
    executions = view.in_order
    if [one.name for one in executions] != [pattern.name for pattern in patterns]:
        return False
    if not (view.is_beyond_doubt or all(map(view.may_have_succeeded, executions))):
        return False
    for pattern, execution in zip(patterns, executions, strict=True):
        matcher = pattern.matcher
        if matcher is None:
            continue
        plain = matcher.plain
        if not (may_match(view, matcher, execution) if plain is None else plain.matches(execution.arguments)):
            return False
    return True


def _not_all(view: View, expected: str, patterns: Sequence[ExecutionPattern]) -> Failure:
    ran = [one for one in view.in_order if one.id not in view.may_be_absent]
    actual = tuple(one.name for one in ran)
    for number, (pattern, execution) in enumerate(zip(patterns, ran, strict=False), 1):
        if view.may_have_succeeded(execution) and _fits(view, pattern, execution, may_match):
            continue
        is_not = (
            "did not succeed"
            if pattern.name == execution.name and not view.may_have_succeeded(execution)
            else f"is not {_one(pattern)}"
        )
        return Failure(
            expected=expected,
            found=f"but the execution at position {number} {is_not}",
            details=(render.execution(execution, view.numbers[execution.id]), *_mismatch(view, pattern, execution)),
            actual=actual,
            important=(execution.id,),
        )
    if len(ran) < len(patterns):
        found = f"but after {counted(len(ran), 'execution')} there was no {_shown(patterns[len(ran) :])}"
        return Failure(expected=expected, found=found, actual=actual)
    extra = ran[len(patterns) :]
    return Failure(
        expected=expected,
        found=f"but {len(extra)} more followed",
        details=shortened(extra, lambda one: line(view, one)),
        actual=actual,
        important=tuple(one.id for one in extra),
    )


def _hidden(view: View, expected: str, patterns: Sequence[ExecutionPattern]) -> Failure | None:
    """The failure, where what a pattern asks for was not recorded."""
    looked_at: set[tuple[str, frozenset[str]]] = set()
    for pattern in patterns:
        if pattern.matcher is None:
            continue
        looks_at = pattern.name, references(pattern.matcher)
        if looks_at in looked_at:  # which thousands of patterns for one tool share
            continue
        looked_at.add(looks_at)
        candidates = [one for one in view.named(pattern.name) if view.may_have_succeeded(one)]
        hidden = hidden_for(view, expected, pattern.matcher, candidates)
        if hidden is not None:
            return hidden
    return None


def _fits(view: View, pattern: ExecutionPattern, execution: ToolExecution, matching: Matches) -> bool:
    if pattern.name != execution.name:
        return False
    return pattern.matcher is None or matching(view, pattern.matcher, execution)


def _mismatch(view: View, pattern: ExecutionPattern, execution: ToolExecution) -> tuple[str, ...]:
    if pattern.name != execution.name or pattern.matcher is None:
        return ()
    return tuple(f"    {difference}" for difference in explained(view, pattern.matcher, execution))


def _earliest_end(execution: ToolExecution) -> float:
    """An inferred one ran at some time between the response that asked for it and the request that sent its result."""
    return execution.started_order if execution.inferred else _latest_end(execution)


def _latest_end(execution: ToolExecution) -> float:
    return math.inf if execution.ended_order is None else execution.ended_order


def _latest_start(execution: ToolExecution) -> float:
    return _latest_end(execution) if execution.inferred else execution.started_order


def _one(pattern: ExecutionPattern) -> str:
    return repr(pattern.name) if pattern.arguments is None else repr(pattern)


def _shown(patterns: Sequence[ExecutionPattern]) -> str:
    shown = ", ".join(map(_one, patterns[:_MOST_SHOWN]))
    return f"{shown}, … ({len(patterns)} in all)" if len(patterns) > _MOST_SHOWN else shown
