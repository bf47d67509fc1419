"""Expected values that stand for what an earlier tool execution returned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.checks.leaves import Comparison, Leaf
from agentassert.checks.paths import MISSING, Path
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
        return any(_same(found, actual, comparison) for found in self._found(comparison))

    def reason(self, actual: Any, comparison: Comparison) -> str:
        found = self._found(comparison)
        if found:
            secret = is_secret_path(self.path.text)
            shown = shortened(found, lambda one: render.value(one, secret=secret), most=_MOST_SHOWN)
            return f"but {self!r} is {' or '.join(shown)}"
        if self._returned(comparison):
            return f"but {self.name!r} had returned nothing at {self.path.text}"
        return f"but no successful execution of {self.name!r} had ended before"

    def _returned(self, comparison: Comparison) -> list[Any]:
        return [] if comparison.results is None else list(comparison.results.before(self.name))

    def _found(self, comparison: Comparison) -> list[Any]:
        found = [self.path.find(result) for result in self._returned(comparison)]
        # A query that finds nothing in a result is as good as a missing field: it would equal an empty list by accident.
        return [one for one in found if one is not MISSING and (self.path.steps is not None or one)]


def referenced(expected: Any) -> Iterator[str]:
    """The names of the tools whose results an expectation refers to."""
    if isinstance(expected, ResultReference):
        yield expected.name
    elif isinstance(expected, (Mapping, list, tuple)):
        for item in expected.values() if isinstance(expected, Mapping) else expected:
            yield from referenced(item)


def _same(returned: Any, actual: Any, comparison: Comparison) -> bool:
    return equal_or_text(returned, actual, comparison) or equal_or_text(actual, returned, comparison)
