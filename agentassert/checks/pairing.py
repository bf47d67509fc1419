"""Which execution answers which pattern, when their order says nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Protocol, TypeAlias

import attrs

from agentassert.checks.arguments import ArgumentMatcher
from agentassert.checks.bipartite import largest_flow
from agentassert.checks.leaves import Results
from agentassert.checks.plain import Plain, bucket_of
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
        for _ in range(amount):
            there = taken.next_of(execution_group)
            partners[given.next_of(pattern_group)] = there
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
        for pattern in patterns:
            index = by_tool.get(pattern.name)
            if index is None:
                index = by_tool[pattern.name] = _Index()
            group = index.add(pattern.matcher, self.number_of_patterns)
            self.number_of_patterns = max(self.number_of_patterns, group + 1)
            self.of_pattern.append(group)
        matched: dict[tuple[int, ...], int] = {}
        for execution in executions:
            index = by_tool.get(execution.name)
            groups = () if index is None else tuple(index.matching(execution, results_for))
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

    def next_of(self, group: int) -> int:
        position = self.start[group]
        self.start[group] += 1
        return self.in_order[position]


class _Index:
    """The groups of patterns for one tool, found by the arguments that they mention and by what they expect there."""

    def __init__(self) -> None:
        self.groups: dict[Hashable, int] = {}
        self.matching_anything: tuple[int, ...] = ()
        self.special: list[tuple[int, ArgumentMatcher]] = []
        self.buckets: dict[tuple[str, ...], dict[Hashable, list[int]]] = {}
        self.to_confirm: dict[int, Plain] = {}

    def add(self, matcher: ArgumentMatcher | None, group: int) -> int:
        """The group that a pattern belongs to: `group`, if it is the first of its kind."""
        known = self.groups.setdefault(None if matcher is None else matcher.key, group)
        if known != group:
            return known
        if matcher is None:
            self.matching_anything = (group,)
        elif (plain := matcher.plain) is None:
            self.special.append((group, matcher))
        else:
            self.buckets.setdefault(plain.names, {}).setdefault(plain.bucket, []).append(group)
            if not plain.is_decided_by_bucket:
                self.to_confirm[group] = plain
        return group

    def matching(self, execution: ToolExecution, results_for: ResultsFor) -> list[int]:
        """The groups of patterns that an execution matches."""
        arguments = execution.arguments
        matching = [*self.matching_anything]
        if arguments is None:
            return matching
        if self.special:
            results = results_for(execution)
            matching += [group for group, matcher in self.special if matcher.matches(arguments, results)]
        for names, buckets in self.buckets.items():
            try:
                bucket = buckets.get(bucket_of(arguments, names), ())
            except KeyError:  # one of the arguments is not there
                continue
            for group in bucket:
                plain = self.to_confirm.get(group)
                if plain is None or plain.matches(arguments):
                    matching.append(group)
        return matching


def _sizes(group_of: Iterable[int], number: int) -> list[int]:
    sizes = [0] * number
    for group in group_of:
        sizes[group] += 1
    return sizes


def _paired(flow: Iterable[tuple[int, int, int]]) -> int:
    return sum(amount for _, _, amount in flow)
