"""What is compared: invocations, the tool executions in them, and what those started, as a file keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def nodes(groups: Sequence[Group], depth: int = 0) -> Iterator[tuple[Node, int]]:
    """Every node with the number of those that it lies in, each before what it started."""
    waiting = [(node, depth) for group in reversed(groups) for node in reversed(group)]
    while waiting:
        node, level = waiting.pop()
        yield node, level
        waiting += [(inner, level + 1) for group in reversed(node.groups) for inner in reversed(group)]


def slots(node: Node) -> Iterator[Slot]:
    """The volatile parts of its arguments and its result."""
    yield from slots_in(node.arguments)
    yield from slots_in(node.result)


def all_slots(groups: Sequence[Group]) -> Iterator[Slot]:
    """The volatile parts of a trajectory, in the order of its lines."""
    return (slot for node, _ in nodes(groups) for slot in slots(node))
