"""The parts of an expression as closures: paths, conditions, and what they come to in three-valued logic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import attrs

from agentassert import render
from agentassert.checks.paths import MISSING
from agentassert.expressions.accessors import Accessor, Operand, Reading
from agentassert.expressions.operators import UNKNOWN, Unsupported
from agentassert.expressions.source import Source
from agentassert.jsonlike import SCALARS
from agentassert.records import NOT_RECORDED

_MAY_BE_EMPTY: Final = frozenset({*SCALARS, list, dict})
_ABSENT: Final = (MISSING, NOT_RECORDED, UNKNOWN)


@attrs.frozen(eq=False)
class Seen:
    """An accessor in an expression, and what it was to be equal to, where that is how it is used."""

    accessor: Accessor
    compared_with: Operand | None = None


@attrs.frozen(eq=False)
class Term:
    """A part of an expression, ready to be evaluated.

    Args:
        of: its value; for a condition `True`, `False` or `UNKNOWN`.
        source: the expression that it is a part of.
        place: where in the bytes of that it begins and ends.
        accessor: what it is, when it is a path and nothing else.
        seen: the accessors in it.
        numbers: the numbers that are written in it.
        is_truth: whether it is a condition by itself, rather than something recorded that is taken as one.
        parts: the conditions that `and` joins at its top; empty without one.
    """

    of: Operand
    source: Source
    place: tuple[int, int]
    accessor: Accessor | None = None
    seen: tuple[Seen, ...] = ()
    numbers: tuple[float, ...] = ()
    is_truth: bool = False
    parts: tuple[Term, ...] = ()

    @property
    def text(self) -> str:
        """As it was written."""
        return self.source.part(*self.place)

    @property
    def column(self) -> int:
        """Where it stands in the expression, from 1."""
        return self.source.column(self.place[0])

    @property
    def is_argument(self) -> bool:
        """Whether it is one argument that a model sent."""
        return self.accessor is not None and self.accessor.root == "params" and len(self.accessor.steps) == 1

    @property
    def is_status(self) -> bool:
        """Whether it is the status of an invocation."""
        return self.accessor is not None and self.accessor.root == "status" and not self.accessor.steps


def seen_in(terms: Sequence[Term]) -> tuple[Seen, ...]:
    """The accessors in all of them."""
    return tuple(one for term in terms for one in term.seen)


def numbers_in(terms: Sequence[Term]) -> tuple[float, ...]:
    """The numbers that are written in all of them."""
    return tuple(number for term in terms for number in term.numbers)


def seen_as_equal(left: Term, right: Term) -> tuple[Seen, ...]:
    """The accessors in two terms that are to be equal."""
    one = left.seen if left.accessor is None else (Seen(left.accessor, right.of),)
    other = right.seen if right.accessor is None else (Seen(right.accessor, left.of),)
    return (*one, *other)


def constant(value: Any) -> Operand:
    """The same value always."""

    def of(_: Reading) -> Any:
        return value

    return of


def truth_of(operand: Operand) -> Operand:
    """Whether something recorded is there and not empty, zero, null or false; an object is not asked what it is."""

    def of(reading: Reading) -> Any:
        value = operand(reading)
        if value is MISSING:
            return False
        if value is NOT_RECORDED:
            return UNKNOWN
        return bool(value) if type(value) in _MAY_BE_EMPTY else True

    return of


def negation_of(operand: Operand) -> Operand:
    """`not`: what is unknown stays unknown."""

    def of(reading: Reading) -> Any:
        value = operand(reading)
        return UNKNOWN if value is UNKNOWN else not value

    return of


def all_of(operands: Sequence[Operand]) -> Operand:
    """`and`: the first that is false decides; without one, what is unknown leaves it unknown."""
    return lambda reading: _decided(operands, reading, by=False)


def any_of(operands: Sequence[Operand]) -> Operand:
    """`or`: the first that is true decides; without one, what is unknown leaves it unknown."""
    return lambda reading: _decided(operands, reading, by=True)


def comparison_of(
    compare: Callable[[Any, Any], bool], left: Operand, right: Operand, source: Source, place: tuple[int, int]
) -> Operand:
    """A comparison: unknown when it touches what is missing, or makes no sense, which is noted under its text."""

    def of(reading: Reading) -> Any:
        values = left(reading), right(reading)
        if _absent(values) is not None:
            return UNKNOWN
        try:
            return compare(*values)
        except Unsupported as why:
            reading.notes.append(f"{render.error(source.part(*place))}: {why}")
        except RecursionError:
            reading.notes.append(f"{render.error(source.part(*place))}: the values are nested too deeply to be compared")
        return UNKNOWN

    return of


def collection_of(operands: Sequence[Operand], whole: Callable[[list[Any]], Any]) -> Operand:
    """A list, set or object: missing as a whole when a part of it is."""

    def of(reading: Reading) -> Any:
        items = [operand(reading) for operand in operands]
        absent = _absent(items)
        return whole(items) if absent is None else absent

    return of


def _decided(operands: Sequence[Operand], reading: Reading, *, by: bool) -> Any:
    known = True
    for operand in operands:
        value = operand(reading)
        if value is by:
            return by
        known = known and value is not UNKNOWN
    return not by if known else UNKNOWN


def _absent(values: Sequence[Any]) -> Any:
    return next((value for value in values if any(value is one for one in _ABSENT)), None)
