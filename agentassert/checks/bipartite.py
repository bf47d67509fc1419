"""The largest pairing of two sides, whatever the order in which they are listed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Final

_UNREACHED: Final = -1


def largest_flow(edges: Sequence[Sequence[int]], supply: Sequence[int], demand: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Pair as many as possible: `supply[left]` equal things may be paired with `demand[right]` equal ones where there is an edge.

    What has no choice is paired at once; of the rest the pickiest come first, and shortest augmenting paths then improve on that in
    phases (Hopcroft and Karp, with multiplicities).

    Args:
        edges: for each left node, the right nodes that it may be paired with.
        supply: for each left node, how many there are of it.
        demand: for each right node, how many there are of it.

    Yields:
        A left node, a right node, and how many of the one are paired with the other.

    Example:
        >>> list(largest_flow([[0, 1], [0]], [1, 1], [1, 1]))
        [(0, 1, 1), (1, 0, 1)]
    """
    rivals = [0] * len(demand)
    for rights in edges:
        for right in rights:
            rivals[right] += 1
    ambiguous: list[int] = []
    for left, rights in enumerate(edges):
        if len(rights) != 1 or rivals[rights[0]] != 1:
            ambiguous.append(left)
        elif amount := min(supply[left], demand[rights[0]]):
            yield left, rights[0], amount
    if ambiguous:
        network = _Network([edges[left] for left in ambiguous], [supply[left] for left in ambiguous], demand)
        network.start_greedily()
        while network.improve():
            pass
        for left, amounts in zip(ambiguous, network.flow, strict=True):
            for right, amount in amounts.items():
                yield left, right, amount


class _Network:
    def __init__(self, edges: Sequence[Sequence[int]], supply: Sequence[int], demand: Sequence[int]) -> None:
        self.edges = edges
        self.supply = list(supply)
        self.demand = list(demand)
        self.flow: list[dict[int, int]] = [{} for _ in edges]
        self.senders: list[dict[int, int]] = [{} for _ in demand]
        self.wishers: list[list[int]] = [[] for _ in demand]
        for left, rights in enumerate(edges):
            for right in rights:
                self.wishers[right].append(left)

    def start_greedily(self) -> None:
        """Pair what has one partner left, as long as there is such a thing; in between, the pickiest left node (Karp and Sipser)."""
        self.left_choice = [len(rights) for rights in self.edges]
        self.right_choice = [len(lefts) for lefts in self.wishers]
        self.forced_lefts = [left for left, choice in enumerate(self.left_choice) if choice == 1]
        self.forced_rights = [right for right, choice in enumerate(self.right_choice) if choice == 1]
        self._settle_forced()
        for left in sorted(range(len(self.edges)), key=lambda left: len(self.edges[left])):
            for right in sorted(self.edges[left], key=self.right_choice.__getitem__) if self.supply[left] else ():
                if self.supply[left] and self.demand[right]:
                    self._settle(left, right)
                    self._settle_forced()

    def _settle_forced(self) -> None:
        while self.forced_lefts or self.forced_rights:
            if self.forced_lefts:
                left = self.forced_lefts.pop()
                partner = next((right for right in self.edges[left] if self.demand[right]), None)
                if partner is not None and self.supply[left]:
                    self._settle(left, partner)
            else:
                right = self.forced_rights.pop()
                partner = next((left for left in self.wishers[right] if self.supply[left]), None)
                if partner is not None and self.demand[right]:
                    self._settle(partner, right)

    def _settle(self, left: int, right: int) -> None:
        amount = min(self.supply[left], self.demand[right])
        self._send(left, right, amount)
        self.supply[left] -= amount
        self.demand[right] -= amount
        if not self.supply[left]:
            _decrease(self.right_choice, self.edges[left], self.forced_rights)
        if not self.demand[right]:
            _decrease(self.left_choice, self.wishers[right], self.forced_lefts)

    def improve(self) -> bool:
        """One phase: as many shortest ways to pair more as do not cross. Whether there was one."""
        if not self._explore():
            return False
        self.tried = [0] * len(self.edges)
        self.givers: dict[int, list[int]] = {}
        for left in [left for left, left_over in enumerate(self.supply) if left_over]:
            while self.supply[left] and (path := self._path(left)):
                self._shift(path)
        return True

    def _explore(self) -> bool:
        """Find how many re-pairings each node is away from a left node that is left over. Whether a free right node is reached."""
        self.left_level = [0 if left_over else _UNREACHED for left_over in self.supply]
        self.right_level = [_UNREACHED] * len(self.demand)
        queue = deque(left for left, left_over in enumerate(self.supply) if left_over)
        found = False
        while queue:
            left = queue.popleft()
            level = self.left_level[left]
            for right in self.edges[left]:
                if self.right_level[right] == _UNREACHED:
                    self.right_level[right] = level
                    found = found or self.demand[right] > 0
                    # Beyond the nearest free right node, a way would be longer than the shortest.
                    for sender in () if found else self.senders[right]:
                        if self.left_level[sender] == _UNREACHED:
                            self.left_level[sender] = level + 1
                            queue.append(sender)
        return found

    def _path(self, left: int) -> list[tuple[int, int]]:
        """Left nodes with the right node that each of them is to get, the last one a free one; empty when there is no such way."""
        path: list[tuple[int, int]] = []
        while True:
            if self.tried[left] == len(self.edges[left]):
                if not path:
                    return path
                left, right = path.pop()
                self.givers[right].pop()
                continue
            right = self.edges[left][self.tried[left]]
            if self.demand[right]:
                return [*path, (left, right)]
            giver = self._giver(right) if self.right_level[right] == self.left_level[left] else None
            if giver is None:
                self.tried[left] += 1
            else:
                path.append((left, right))
                left = giver

    def _giver(self, right: int) -> int | None:
        """A left node, one level further, that may give `right` away."""
        givers = self.givers.get(right)
        if givers is None:
            givers = self.givers[right] = list(self.senders[right])
        while givers:
            giver = givers[-1]
            if giver in self.senders[right] and self.left_level[giver] == self.right_level[right] + 1:
                return giver
            givers.pop()
        return None

    def _shift(self, path: list[tuple[int, int]]) -> None:
        givers = [(left, right) for (left, _), (_, right) in zip(path[1:], path, strict=False)]
        amount = min(self.supply[path[0][0]], self.demand[path[-1][1]], *(self.flow[left][right] for left, right in givers))
        self.supply[path[0][0]] -= amount
        self.demand[path[-1][1]] -= amount
        for left, right in givers:
            self._take(left, right, amount)
        for left, right in path:
            self._send(left, right, amount)

    def _send(self, left: int, right: int, amount: int) -> None:
        self.flow[left][right] = self.senders[right][left] = self.flow[left].get(right, 0) + amount

    def _take(self, left: int, right: int, amount: int) -> None:
        rest = self.flow[left][right] - amount
        if rest:
            self.flow[left][right] = self.senders[right][left] = rest
        else:
            del self.flow[left][right], self.senders[right][left]


def _decrease(choice: list[int], nodes: Sequence[int], forced: list[int]) -> None:
    """One possible partner less for each of `nodes`; the ones with a single one left are `forced`."""
    for node in nodes:
        choice[node] -= 1
        if choice[node] == 1:
            forced.append(node)
