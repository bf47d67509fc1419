"""Expected values that stand for what an earlier tool execution returned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.checks.leaves import Comparison, Leaf
from agentassert.checks.paths import Path
from agentassert.checks.returned import found_at
from agentassert.checks.values import equal_or_text
from agentassert.failures import shortened
from agentassert.text.masking import is_secret_path

_MOST_SHOWN: Final = 3


@attrs.frozen(eq=False)
class ResultReference(Leaf):
    """What a successful execution of a tool had returned; made by :func:`~agentassert.patterns.result_of`."""

    name: str
    path: Path

    def original(self) -> ResultReference:
        return self

    def __repr__(self) -> str:
        path = "" if self.path.text == "$" else f", {self.path.text!r}"
        return f"result_of({self.name!r}{path})"

    def accepts(self, actual: Any, comparison: Comparison) -> bool:
        if comparison.results is None:
            return False
        if comparison.any_order or comparison.tolerance is not None:  # then what is equal need not look alike
            found: Iterable[Any] = self._found(comparison)
        else:
            found = comparison.results.alike(self.name, self.path, actual)
        return any(_same(one, actual, comparison) for one in found)

    def reason(self, actual: Any, comparison: Comparison) -> str:
        found = self._found(comparison)
        if found:
            secret = is_secret_path(self.path.text)
            shown = shortened(found, lambda one: render.value(one, secret=secret), most=_MOST_SHOWN)
            return f"but {self!r} is {' or '.join(shown)}"
        if self._returned(comparison):
            return f"but {self.name!r} had returned nothing at {self.path.text}"
        return f"but no successful execution of {self.name!r} had ended before"

    def _returned(self, comparison: Comparison) -> Sequence[Any]:
        return () if comparison.results is None else comparison.results.before(self.name)

    def _found(self, comparison: Comparison) -> list[Any]:
        return found_at(self.path, self._returned(comparison))


def referenced(expected: Any) -> Iterator[str]:
    """The names of the tools whose results an expectation refers to."""
    if isinstance(expected, ResultReference):
        yield expected.name
    elif isinstance(expected, (Mapping, list)):
        for item in expected.values() if isinstance(expected, Mapping) else expected:
            yield from referenced(item)


def _same(returned: Any, actual: Any, comparison: Comparison) -> bool:
    return equal_or_text(returned, actual, comparison) or equal_or_text(actual, returned, comparison)
