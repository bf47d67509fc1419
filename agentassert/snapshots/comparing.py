"""Whether what ran is what a snapshot says, by mode. A pure rule over two trajectories."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Final, Literal, TypeAlias, get_args

from agentassert.checks.paths import MISSING
from agentassert.checks.values import canonical
from agentassert.snapshots.matching import Item, embedded
from agentassert.snapshots.placeholders import Slot, Text
from agentassert.snapshots.trajectory import Group, Node, nodes, slots

Mode: TypeAlias = Literal["strict", "unordered", "subset", "superset"]

MODES: Final[tuple[str, ...]] = get_args(Mode)
_Places: TypeAlias = Mapping[int, int]
"""For the id of a node how many stand before it among what the same work started."""


def matching(
    expected: Sequence[Group], actual: Sequence[Group], mode: Mode, *, open_tools: Collection[str] = ()
) -> list[Node] | None:
    """The nodes of what ran that the snapshot accounts for, or `None` when the two do not match.

    Args:
        expected: the snapshot.
        actual: what ran.
        mode: `strict` for the same in the same order, `unordered` for the same in any order, `subset` where nothing else ran,
            `superset` where all of it ran.
        open_tools: tools whose outcomes are not compared.

    Raises:
        TooManyAttemptsError: when that cannot be found out, because too many lines are alike.
    """
    ours, theirs = [node for node, _ in nodes(expected)], [node for node, _ in nodes(actual)]
    if len(ours) != len(theirs) and mode in ("strict", "unordered"):
        return None
    here, there = _placed(expected, actual) if mode == "strict" else ({}, {})
    wanted, ran = _items(expected, here, open_tools), _items(actual, there, open_tools)
    if mode == "subset":
        return None if embedded(ran, wanted) is None else theirs
    answers = embedded(wanted, ran)
    return None if answers is None else [theirs[position] for position in answers]


def shape(node: Node, depth: int, *, with_outcome: bool = True) -> Hashable:
    """What a line is, whatever its volatile values are."""
    ending = node.ending if node.is_invocation or with_outcome else None
    return depth, node.is_invocation, node.name, ending, shape_of(node.arguments), shape_of(node.result)


def shape_of(value: object) -> Hashable:
    """A key that is equal for values which differ in nothing but the values of volatile parts."""
    return None if value is MISSING else (canonical(_without_labels(value)),)


def _items(groups: Sequence[Group], places: _Places, open_tools: Collection[str]) -> list[Item]:
    found: list[Item] = []
    above: list[Node] = []
    for node, depth in nodes(groups):
        del above[depth:]
        links = (id(above[-1]) if above else None, id(node))
        labels = [None if slot.label is None else (slot.kind, slot.label) for slot in slots(node)]
        own = shape(node, depth, with_outcome=node.name not in open_tools), places.get(id(node))
        found.append(Item(own, (*links, *labels)))
        above.append(node)
    return found


def _without_labels(value: object) -> object:
    if isinstance(value, dict):
        return {key: _without_labels(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_labels(item) for item in value]
    if not isinstance(value, Text):
        return value
    # Under a key that no JSON object has, so that a text is never taken for one with volatile parts.
    return {None: [part.kind if isinstance(part, Slot) else [part] for part in value.parts]}


def _placed(expected: Sequence[Group], actual: Sequence[Group]) -> tuple[_Places, _Places]:
    """The places of both in which their order is compared: where either side has a group, all of it has one place.

    Whether work overlapped is chance, so a group of one side meets single lines on the other. What lies below lines that may be
    any of several keeps the places of its own side.
    """
    here: dict[int, int] = {}
    there: dict[int, int] = {}
    waiting = [(expected, actual)]
    while waiting:
        ours, theirs = waiting.pop()
        cuts = sorted(_cuts(ours) & _cuts(theirs))
        left, right = [one for group in ours for one in group], [one for group in theirs for one in group]
        for start, end in itertools.pairwise([0, *cuts, max(len(left), len(right), cuts[-1] if cuts else 0)]):
            here |= {id(node): start for node in left[start:end]}
            there |= {id(node): start for node in right[start:end]}
            if len(left[start:end]) == len(right[start:end]) == 1:
                waiting.append((left[start].groups, right[start].groups))
            else:
                _place_alone(left[start:end], here)
                _place_alone(right[start:end], there)
    return here, there


def _place_alone(alike: Sequence[Node], places: dict[int, int]) -> None:
    for one, _ in nodes((tuple(alike),)):
        start = 0
        for group in one.groups:
            places.update((id(inner), start) for inner in group)
            start += len(group)


def _cuts(groups: Sequence[Group]) -> set[int]:
    return set(itertools.accumulate(len(group) for group in groups))
