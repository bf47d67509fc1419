"""Accessors: where an expression looks, what stands there, and how that is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.checks.paths import MISSING
from agentassert.expressions.operators import same
from agentassert.failures import counted
from agentassert.jsonlike import SCALARS
from agentassert.records import NOT_RECORDED
from agentassert.text.masking import is_secret_name

_MOST_KEYS: Final = 10

Steps = tuple[str | int, ...]
Operand = Callable[["Reading"], Any]


@attrs.define(eq=False)
class Reading:
    """One evaluation: the values that names stand for, and what was noticed on the way.

    Args:
        values: JSON-like values by name. `NOT_RECORDED` stands for what exists and was not recorded; a name without a value is
            missing.
        notes: comparisons that make no sense for the values they met.
        unrecorded: the paths that were looked at and lead to what was not recorded.
    """

    values: Mapping[str, Any]
    notes: list[str] = attrs.Factory(list)
    unrecorded: list[str] = attrs.Factory(list)


@attrs.frozen(eq=False)
class Either:
    """A value that was recorded in two forms: an agent's text, and the object in which its framework wraps it.

    Args:
        first: what the name stands for.
        second: where a path leads that leads nowhere in the first.
    """

    first: Any
    second: Any


@attrs.frozen
class Accessor:
    """A name and the steps from its value on.

    Args:
        text: as it was written.
        root: the name.
        steps: keys of objects and indexes of lists.

    Example:
        >>> accessor = Accessor("output.order.id", "output", ("order", "id"))
        >>> accessor.value(Reading({"output": {"order": {"id": 7}}}))
        7
        >>> accessor.told(Reading({"output": {"order": {"no": 7}}}))
        "output.order.id: output.order has no 'id'; it has 'no'"
    """

    text: str
    root: str
    steps: Steps

    def value(self, reading: Reading) -> Any:
        """What stands there, `MISSING`, or `NOT_RECORDED`."""
        found = reading.values.get(self.root, MISSING)
        if isinstance(found, Either):
            first = _follow(found.first, self.steps)
            return _follow(found.second, self.steps) if first is MISSING else first
        found = _follow(found, self.steps)
        if found is NOT_RECORDED:
            reading.unrecorded.append(self.text)
        return found

    def told(self, reading: Reading, compared_with: Operand | None = None) -> str:
        """What stands there, in words.

        Args:
            reading: the evaluation.
            compared_with: gives the value that should have stood there, so that a difference can be shown.
        """
        value = self.value(reading)
        if value is NOT_RECORDED:
            return f"{self.text} was not recorded"
        if value is MISSING:
            return f"{self.text}: {self._why_missing(reading)}"
        other = MISSING if compared_with is None else compared_with(Reading(reading.values))
        if type(other) not in _SHOWN_AS_PAIR or not _differ(other, value):
            return f"{self.text} was {render.value(value, secret=self._is_secret)}"
        return f"{self.text} was {render.pair(other, value, secret=self._is_secret)[1]}"

    @property
    def _is_secret(self) -> bool:
        return any(is_secret_name(step) for step in self.steps)

    def _why_missing(self, reading: Reading) -> str:
        holder = reading.values.get(self.root, MISSING)
        holder = holder.first if isinstance(holder, Either) else holder
        if holder is MISSING:
            return f"there is no {self.root!r}"
        place, secret = self.root, False
        for step in self.steps:
            below = _follow(holder, (step,))
            if below is MISSING:
                return _without(place, holder, step, secret=secret)
            holder, place = below, f"{place}.{step}" if isinstance(step, str) else f"{place}[{step}]"
            secret = secret or is_secret_name(step)
        raise AssertionError("unreachable: the value is missing")  # pragma: no cover


_SHOWN_AS_PAIR: Final = frozenset({*SCALARS, dict, list})


def _follow(value: Any, steps: Steps) -> Any:
    for step in steps:
        if type(value) is dict:
            value = value.get(step, MISSING) if type(step) is str else _numbered(value, step)
        elif value is NOT_RECORDED:
            return value
        elif type(value) is list and type(step) is int and -len(value) <= step < len(value):
            value = value[step]
        else:
            return MISSING
    return value


def _differ(one: Any, other: Any) -> bool:
    try:
        return not same(one, other)
    except RecursionError:  # nested too deeply to say
        return False


def _numbered(holder: dict[Any, Any], step: str | int) -> Any:
    return next((item for key, item in holder.items() if type(key) is int and key == step), MISSING)


def _without(place: str, holder: Any, step: str | int, *, secret: bool) -> str:
    if type(holder) is dict:
        keys = [render.value(key) for key in list(holder)[:_MOST_KEYS]]
        more = f" and {len(holder) - _MOST_KEYS:,} more" if len(holder) > _MOST_KEYS else ""
        return f"{place} has no {step!r}; " + (f"it has {', '.join(keys)}{more}" if keys else "it is empty")
    if type(holder) is list:
        size = counted(len(holder), "item")
        return f"{place} has no {step!r}; it is a list of {size}" + ("" if type(step) is int else ", which are read as [0]")
    return f"{place} has no {step!r}; it was {render.value(holder, secret=secret)}"
