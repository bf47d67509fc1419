"""Expected values that decide for themselves what they accept: a regex, a predicate, an object with its own `__eq__`."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

import attrs

from agentassert.checks.callbacks import Verdict, compares_equal, holds, name_of
from agentassert.checks.paths import Path


class Results(Protocol):
    """What had been returned when the execution that is being matched started."""

    def before(self, name: str) -> Sequence[Any]:
        """The results, JSON-like, of the successful executions of `name` that had ended by then."""
        ...

    def alike(self, name: str, path: Path, value: Any) -> Iterable[Any]:
        """What stands at a path of these: everything that may be `value`, or its text, and little else."""
        ...


@attrs.frozen
class Comparison:
    """How two values are compared, beyond what they are.

    Args:
        any_order: whether the items of a list may stand in any order, at every depth.
        tolerance: by how much numbers may differ; `None` for not at all.
        results: what :func:`~agentassert.patterns.result_of` looks up.
        verdicts: answers that predicates gave for this candidate, so that none is asked twice. Keys are ids of what the caller
            keeps alive.
    """

    any_order: bool = False
    tolerance: float | None = None
    results: Results | None = None
    verdicts: dict[tuple[int, int], Verdict] | None = None


STRICT: Final = Comparison()


class Leaf(ABC):
    """An expected value that is no JSON."""

    __slots__ = ()

    @abstractmethod
    def original(self) -> Any:
        """What the user wrote."""

    @abstractmethod
    def accepts(self, actual: Any, comparison: Comparison) -> bool:
        """Whether `actual`, which is there, is what is expected."""

    def reason(self, actual: Any, comparison: Comparison) -> str | None:
        """Why `actual` was not accepted, where the two values do not show it: what follows "was 3, "."""
        return None


@attrs.frozen(eq=False)
class Regex(Leaf):
    """A compiled regex, searched for in strings."""

    pattern: re.Pattern[str]

    def original(self) -> re.Pattern[str]:
        return self.pattern

    def accepts(self, actual: Any, comparison: Comparison) -> bool:
        return isinstance(actual, str) and self.pattern.search(actual) is not None


@attrs.frozen(eq=False)
class OwnEquality(Leaf):
    """An object with its own `__eq__`: dirty-equals, `mock.ANY`, `pytest.approx`."""

    value: Any

    def original(self) -> Any:
        return self.value

    def accepts(self, actual: Any, comparison: Comparison) -> bool:
        return compares_equal(self.value, actual).matched


@attrs.frozen(eq=False)
class Predicate(Leaf):
    """A callback that decides."""

    callback: Callable[[Any], Any]

    def original(self) -> Callable[[Any], Any]:
        return self.callback

    def accepts(self, actual: Any, comparison: Comparison) -> bool:
        return self._verdict(actual, comparison).matched

    def reason(self, actual: Any, comparison: Comparison) -> str:
        why = self._verdict(actual, comparison).reason
        return f"not accepted by {name_of(self.callback)}" + ("" if why is None else f": {why}")

    def _verdict(self, actual: Any, comparison: Comparison) -> Verdict:
        if comparison.verdicts is None:
            return holds(self.callback, actual)
        key = id(self), id(actual)
        verdict = comparison.verdicts.get(key)
        if verdict is None:
            verdict = comparison.verdicts[key] = holds(self.callback, actual)
        return verdict
