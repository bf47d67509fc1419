"""What the executions of one tool returned, found by what it was and when it was there."""

from __future__ import annotations

import bisect
import itertools
import operator
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from agentassert.checks.paths import MISSING, Path
from agentassert.checks.values import coarse
from agentassert.records import NOT_RECORDED, ToolExecution


class Returned:
    """The results of one tool, to be asked about for many executions without going through all of them each time.

    Args:
        executions: those whose results count; what has not ended has none, and what was not recorded is left out.

    Example:
        >>> from agentassert.checks.paths import compile_path
        >>> look = ToolExecution(id="1", name="look", result={"id": 7}, started_order=1, ended_order=2)
        >>> returned = Returned([look])
        >>> returned.before(2), returned.before(3), list(returned.alike(compile_path("$.id"), "7", before=3))
        ([], [{'id': 7}], [7])
    """

    def __init__(self, executions: Iterable[ToolExecution]) -> None:
        ended = [
            (one.ended_order, one.result) for one in executions if one.ended_order is not None and one.result is not NOT_RECORDED
        ]
        ended.sort(key=operator.itemgetter(0))
        self._orders = [order for order, _ in ended]
        self._results = [result for _, result in ended]
        self._by_path: dict[str, dict[Hashable, list[tuple[int, Any]]]] = {}

    def before(self, order: int) -> Sequence[Any]:
        """The results that were there before this place in the recorder's sequence."""
        return self._results[: bisect.bisect_left(self._orders, order)]

    def alike(self, path: Path, value: Any, *, before: int) -> Iterator[Any]:
        """What stands at a path of these: everything that may be `value`, or its text, and little else."""
        index = self._by_path.get(path.text)
        if index is None:
            index = self._by_path[path.text] = self._indexed(path)
        there = itertools.takewhile(lambda found: found[0] < before, index.get(coarse(value), ()))
        return (found for _, found in there)

    def _indexed(self, path: Path) -> dict[Hashable, list[tuple[int, Any]]]:
        index: defaultdict[Hashable, list[tuple[int, Any]]] = defaultdict(list)
        for order, result in zip(self._orders, self._results, strict=True):
            for found in found_at(path, (result,)):
                index[coarse(found)].append((order, found))
        return dict(index)


def found_at(path: Path, results: Iterable[Any]) -> list[Any]:
    """What stands at a path of each result, those left out where it leads nowhere.

    Example:
        >>> from agentassert.checks.paths import compile_path
        >>> found_at(compile_path("$.id"), [{"id": 7}, {}]), found_at(compile_path("$..id"), [{"id": 7}, {}])
        ([7], [[7]])
    """
    found = [path.find(result) for result in results]
    # A query that finds nothing in a result is as good as a missing field: it would equal an empty list by accident.
    return [one for one in found if one is not MISSING and (path.steps is not None or one)]
