"""What is compared: invocations, the tool executions in them, and what those started, as a file keeps it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import attrs

from agentassert.checks.paths import MISSING
from agentassert.snapshots.placeholders import Slot, slots_in

SUCCEEDED: Final = "succeeded"
UNANSWERED: Final = "unanswered"
"""Of a request in a loop over a raw SDK of which nobody knows whether it ran."""


@attrs.frozen(kw_only=True)
class Node:
    """An invocation or a tool execution.

    Args:
        name: of the agent or the tool.
        ending: how it ended: a status or an outcome, and the class of the error, such as `failed TimeoutError`.
        is_invocation: which of the two it is.
        arguments: JSON-like, with volatile texts told apart; `MISSING` for an invocation, and where they are ignored.
        result: likewise; `MISSING` where it is not compared.
        groups: what it started, in order; what stands in one group may have happened in any order.
        id: of the execution that was recorded; `None` for one of a file.

    Example:
        >>> pay = Node(name="pay", ending="failed TimeoutError", arguments={"amount": 3})
        >>> [node.name for node, depth in nodes(((Node(name="shop", ending="completed", is_invocation=True, groups=((pay,),)),),))]
        ['shop', 'pay']
    """

    name: str
    ending: str
    is_invocation: bool = False
    arguments: Any = MISSING
    result: Any = MISSING
    groups: Groups = ()
    id: str | None = None


Group: TypeAlias = tuple[Node, ...]
Groups: TypeAlias = tuple[Group, ...]


Row: TypeAlias = tuple[int, int, Node]
"""In how many others a node lies, its group's number, which no other group of the same work has, and the node."""


def nodes(groups: Sequence[Group]) -> Iterator[tuple[Node, int]]:
    """Every node with the number of those that it lies in, each before what it started."""
    return ((node, depth) for depth, _, node in rows(groups))


def rows(groups: Sequence[Group]) -> Iterator[Row]:
    """Every node, each before what it started. Agents may start each other a thousand deep, so nothing here calls itself."""
    waiting = _numbered(groups, 0)
    while waiting:
        row = waiting.pop()
        yield row
        waiting += _numbered(row[2].groups, row[0] + 1)


def grown(flat: Iterable[Row]) -> Groups:
    """The trajectory of these rows, whatever the nodes in them say that they started: what :func:`rows` is given, it returns.

    Example:
        >>> shop = Node(name="shop", ending="completed", is_invocation=True)
        >>> [len(group) for group in grown([(0, 0, shop), (1, 0, Node(name="pay", ending="succeeded"))])[0][0].groups]
        [1]
    """
    below: dict[int, list[tuple[int, Node]]] = {}
    for depth, group, node in reversed(list(flat)):
        inner = _grouped(below.pop(depth + 1, []))
        below.setdefault(depth, []).append((group, attrs.evolve(node, groups=inner)))
    return _grouped(below.get(0, []))


def _numbered(groups: Sequence[Group], depth: int) -> list[Row]:
    return [(depth, number, node) for number, group in enumerate(groups) for node in group][::-1]


def _grouped(backwards: Sequence[tuple[int, Node]]) -> Groups:
    return tuple(
        tuple(node for _, node in members) for _, members in itertools.groupby(reversed(backwards), key=lambda member: member[0])
    )


def slots(node: Node) -> Iterator[Slot]:
    """The volatile parts of its arguments and its result."""
    yield from slots_in(node.arguments)
    yield from slots_in(node.result)


def all_slots(groups: Sequence[Group]) -> Iterator[Slot]:
    """The volatile parts of a trajectory, in the order of its lines."""
    return (slot for node, _ in nodes(groups) for slot in slots(node))
