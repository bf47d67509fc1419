"""Which line answers which, where the same value must stand for the same value throughout.

What a line is (its shape) decides most of it. Its labels, the volatile values in it and the line that it lies in, must fit
together: whatever a label of one side stands for, it stands for everywhere, and no two stand for the same. That is looked for by
trying, the lines with the fewest candidates first, in a bounded number of attempts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Final, TypeAlias

import attrs

Labels: TypeAlias = tuple[Hashable | None, ...]

_ATTEMPTS: Final = 100_000
_ATTEMPTS_FOR_EACH: Final = 20


class TooManyAttemptsError(Exception):
    """Whether the lines fit was not found out in the attempts that there are."""


@attrs.frozen
class Item:
    """A line.

    Args:
        shape: equal for lines that may answer each other.
        labels: what is to fit together; as many for each line of a shape. `None` fits anything.
    """

    shape: Hashable
    labels: Labels = ()


def embedded(small: Sequence[Item], large: Sequence[Item]) -> list[int] | None:
    """For each item of `small` the position of an item of `large` that answers it alone, or `None` where there is no such choice.

    Raises:
        TooManyAttemptsError: when that was not found out.

    Example:
        >>> look, pay = Item("look", ("a",)), Item("pay", ("a",))
        >>> embedded([look, pay], [Item("pay", (2,)), Item("look", (1,)), Item("look", (2,))])
        [2, 0]
        >>> embedded([look, pay], [Item("pay", (1,)), Item("look", (2,))]) is None
        True
    """
    by_shape = {item.shape: position for position, item in enumerate(large)}
    if len(by_shape) < len(large):
        return _Search(small, large).answer()
    # No two are alike, so there is no choice.
    if any(item.shape not in by_shape for item in small) or len({item.shape for item in small}) < len(small):
        return None
    chosen = [by_shape[item.shape] for item in small]
    pairs = {
        pair
        for item, position in zip(small, chosen, strict=True)
        for pair in zip(item.labels, large[position].labels, strict=True)
        if None not in pair
    }
    is_one_to_one = len({one for one, _ in pairs}) == len(pairs) == len({other for _, other in pairs})
    return chosen if is_one_to_one else None


class _Pool:
    """Positions of which any can be taken out and be put back, the last taken first."""

    def __init__(self) -> None:
        self.members: list[int] = []
        self.place: dict[int, int] = {}
        self.size = 0

    def add(self, member: int) -> None:
        self.place[member] = len(self.members)
        self.members.append(member)
        self.size += 1

    def take(self, member: int) -> None:
        self.size -= 1
        here, last = self.place[member], self.members[self.size]
        self.members[here], self.members[self.size] = last, member
        self.place[last], self.place[member] = here, self.size

    def put_back(self) -> None:
        self.size += 1

    def candidates(self) -> Iterator[int]:
        """Those that are in it now, whatever happens to it meanwhile; listed only where the first one will not do."""
        if self.size:
            first = self.members[self.size - 1]
            yield first
            yield from [member for member in self.members[: self.size][::-1] if member != first]


@attrs.frozen
class _Choice:
    """What an item was given, and the labels that this bound."""

    item: int
    candidates: Iterator[int]
    taken: int
    bound: tuple[tuple[Hashable, Hashable], ...]


class _Search:
    def __init__(self, small: Sequence[Item], large: Sequence[Item]) -> None:
        self.small, self.large = small, large
        self.pools: defaultdict[Hashable, _Pool] = defaultdict(_Pool)
        for position in range(len(large) - 1, -1, -1):
            for key in _keys(large[position]):
                self.pools[key].add(position)
        self.meaning: dict[Hashable, Hashable] = {}
        self.meant: dict[Hashable, Hashable] = {}
        self.attempts = _ATTEMPTS + _ATTEMPTS_FOR_EACH * len(small)

    def answer(self) -> list[int] | None:
        if self._too_few():
            return None
        order = sorted(range(len(self.small)), key=lambda item: self.pools[self.small[item].shape,].size)
        chosen: list[_Choice] = []
        candidates = self._candidates(order[0]) if order else iter(())
        while len(chosen) < len(order):
            choice = self._next(order[len(chosen)], candidates)
            if choice is not None:
                chosen.append(choice)
                candidates = self._candidates(order[len(chosen)]) if len(chosen) < len(order) else candidates
            elif chosen:
                last = chosen.pop()
                self._undo(last)
                candidates = last.candidates
            else:
                return None
        taken = {choice.item: choice.taken for choice in chosen}
        return [taken[item] for item in range(len(order))]

    def _too_few(self) -> bool:
        wanted: defaultdict[Hashable, int] = defaultdict(int)
        for item in self.small:
            wanted[item.shape] += 1
        return any(self.pools[shape,].size < number for shape, number in wanted.items())

    def _candidates(self, item: int) -> Iterator[int]:
        shape, labels = self.small[item].shape, self.small[item].labels
        pools = [self.pools[shape,]]
        for place, label in enumerate(labels):
            if label is not None and label in self.meaning:
                pools.append(self.pools[shape, place, self.meaning[label]])
        # A line whose label may be anything answers as well, but is in no pool of a label.
        if any(self.pools[shape, place, None].size for place in range(len(labels))):
            return pools[0].candidates()
        return min(pools, key=lambda pool: pool.size).candidates()

    def _next(self, item: int, candidates: Iterator[int]) -> _Choice | None:
        for candidate in candidates:
            self.attempts -= 1
            if self.attempts < 0:
                raise TooManyAttemptsError
            bound = self._bind(self.small[item].labels, self.large[candidate].labels)
            if bound is not None:
                for key in _keys(self.large[candidate]):
                    self.pools[key].take(candidate)
                return _Choice(item, candidates, candidate, bound)
        return None

    def _bind(self, labels: Labels, others: Labels) -> tuple[tuple[Hashable, Hashable], ...] | None:
        bound: list[tuple[Hashable, Hashable]] = []
        for label, other in zip(labels, others, strict=True):
            if label is None or other is None:
                continue
            if label not in self.meaning and other not in self.meant:
                self.meaning[label], self.meant[other] = other, label
                bound.append((label, other))
            elif self.meaning.get(label) != other or self.meant.get(other) != label:
                self._unbind(bound)
                return None
        return tuple(bound)

    def _undo(self, choice: _Choice) -> None:
        self._unbind(choice.bound)
        for key in _keys(self.large[choice.taken]):
            self.pools[key].put_back()

    def _unbind(self, bound: Sequence[tuple[Hashable, Hashable]]) -> None:
        for label, other in bound:
            del self.meaning[label], self.meant[other]


def _keys(item: Item) -> list[Hashable]:
    return [(item.shape,), *((item.shape, place, label) for place, label in enumerate(item.labels))]
