"""Which execution answers which pattern, when their order says nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Protocol, TypeAlias

import attrs

from agentassert.checks.arguments import ArgumentMatcher
from agentassert.checks.bipartite import largest_flow
from agentassert.checks.leaves import Results
from agentassert.checks.plain import Bucket, Plain, bucket_of
from agentassert.records import ToolExecution

ResultsFor: TypeAlias = Callable[[ToolExecution], Results]


class Pattern(Protocol):
    """What is paired: a tool's name, and what its arguments are to match, if that matters."""

    @property
    def name(self) -> str: ...

    @property
    def matcher(self) -> ArgumentMatcher | None: ...


@attrs.frozen
class Pairing:
    """Patterns and executions, as many paired as can be.

    Args:
        partners: for each pattern, the position of the execution that it is paired with, or `None`.
        unmatched_patterns: positions of the patterns for which no execution is left.
        unmatched_executions: positions of the executions for which no pattern is left.
    """

    partners: tuple[int | None, ...]
    unmatched_patterns: tuple[int, ...]
    unmatched_executions: tuple[int, ...]


def pair_executions(patterns: Sequence[Pattern], executions: Sequence[ToolExecution], results_for: ResultsFor) -> Pairing:
    """Pair each pattern with an execution of its own that it matches, as many as possible, in whatever order they are listed.

    Args:
        patterns: what is expected; one that is listed twice asks for two executions.
        executions: what there is.
        results_for: what `result_of` looks up for an execution.
    """
    groups = _Groups(patterns, executions, results_for)
    given, taken = _Members(groups.of_pattern), _Members(groups.of_execution)
    partners: list[int | None] = [None] * len(patterns)
    free = [True] * len(executions)
    for execution_group, pattern_group, amount in groups.flow(_sizes(groups.of_execution, len(groups.edges))):
        for here, there in zip(given.next_of(pattern_group, amount), taken.next_of(execution_group, amount), strict=True):
            partners[here] = there
            free[there] = False
    return Pairing(
        tuple(partners),
        tuple([here for here, there in enumerate(partners) if there is None]),
        tuple([there for there, is_free in enumerate(free) if is_free]),
    )


def can_cover(
    patterns: Sequence[Pattern], executions: Sequence[ToolExecution], must: Collection[int], results_for: ResultsFor
) -> bool:
    """Whether some pairing leaves no pattern over, and none of the executions at the positions `must`.

    There is one exactly if one pairing covers the patterns and another one covers those executions (Mendelsohn and Dulmage).
    """
    groups = _Groups(patterns, executions, results_for)
    every = _sizes(groups.of_execution, len(groups.edges))
    required = _sizes([groups.of_execution[there] for there in must], len(groups.edges))
    return _paired(groups.flow(every)) == len(patterns) and _paired(groups.flow(required)) == len(must)


class _Groups:
    """Equal patterns, and the executions that match the same ones of them: nothing tells the members of a group apart.

    Groups are numbers, and not lists of their members: tens of thousands of those would keep the garbage collector busy.
    """

    def __init__(self, patterns: Sequence[Pattern], executions: Sequence[ToolExecution], results_for: ResultsFor) -> None:
        self.of_pattern: list[int] = []
        self.of_execution: list[int] = []
        self.number_of_patterns = 0
        by_tool: dict[str, _Index] = {}
        known: dict[int, int] = {}
        for pattern in patterns:
            group = known.get(id(pattern))
            if group is None:
                index = by_tool.get(pattern.name)
                if index is None:
                    index = by_tool[pattern.name] = _Index()
                group = known[id(pattern)] = index.add(pattern.matcher, self.number_of_patterns)
                self.number_of_patterns = max(self.number_of_patterns, group + 1)
            self.of_pattern.append(group)
        matched: dict[tuple[int, ...], int] = {}
        for execution in executions:
            index = by_tool.get(execution.name)
            groups = () if index is None else index.matching(execution, results_for)
            self.of_execution.append(matched.setdefault(groups, len(matched)))
        self.edges = list(matched)

    def flow(self, supply: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        """How many of which group of executions go to which group of patterns, when there are `supply` of those."""
        return largest_flow(self.edges, supply, _sizes(self.of_pattern, self.number_of_patterns))


class _Members:
    """The members of groups, each to be taken once, first come first."""

    def __init__(self, group_of: Sequence[int]) -> None:
        self.in_order = sorted(range(len(group_of)), key=group_of.__getitem__)
        self.start = [0, *accumulate(_sizes(group_of, len(group_of)))]  # there are no more groups than members

    def next_of(self, group: int, amount: int) -> list[int]:
        first = self.start[group]
        self.start[group] += amount
        return self.in_order[first : first + amount]


class _Index:
    """The groups of patterns for one tool, found by the arguments that they mention and by what they expect there."""

    def __init__(self) -> None:
        self.groups: dict[Hashable, int] = {}
        self.matching_anything: tuple[int, ...] = ()
        self.special: list[tuple[int, ArgumentMatcher]] = []
        self.decided: dict[tuple[str, ...], dict[Bucket, int]] = {}
        self.to_confirm: dict[tuple[str, ...], dict[Bucket, list[tuple[int, Plain]]]] = {}

    def add(self, matcher: ArgumentMatcher | None, group: int) -> int:
        """The group that a pattern belongs to: `group`, if it is the first of its kind."""
        plain = None if matcher is None else matcher.plain
        bucket = () if plain is None else plain.bucket
        if plain is not None and plain.is_decided_by(bucket):
            return self.decided.setdefault(plain.names, {}).setdefault(bucket, group)
        known = self.groups.setdefault(None if matcher is None else matcher.key, group)
        if known != group:
            return known
        if plain is not None:
            self.to_confirm.setdefault(plain.names, {}).setdefault(bucket, []).append((group, plain))
        elif matcher is not None:
            self.special.append((group, matcher))
        else:
            self.matching_anything = (group,)
        return group

    def matching(self, execution: ToolExecution, results_for: ResultsFor) -> tuple[int, ...]:
        """The groups of patterns that an execution matches."""
        arguments = execution.arguments
        if arguments is None or not (self.special or self.decided or self.to_confirm):
            return self.matching_anything
        matching = [*self.matching_anything]
        if self.special:
            results = results_for(execution)
            matching += [group for group, matcher in self.special if matcher.matches(arguments, results)]
        for names, by_bucket in self.decided.items():
            group = by_bucket.get(bucket_of(arguments, names))
            if group is not None:
                matching.append(group)
        for names, to_confirm in self.to_confirm.items():
            candidates = to_confirm.get(bucket_of(arguments, names), ())
            matching += [group for group, plain in candidates if plain.matches(arguments)]
        return tuple(matching)


def _sizes(group_of: Iterable[int], number: int) -> list[int]:
    sizes = [0] * number
    for group in group_of:
        sizes[group] += 1
    return sizes


def _paired(flow: Iterable[tuple[int, int, int]]) -> int:
    return sum(amount for _, _, amount in flow)
