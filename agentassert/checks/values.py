"""Equality of values as JSON knows them, the same everywhere in the library."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Sequence
from typing import Any, Final

from agentassert.checks.bipartite import largest_flow
from agentassert.checks.leaves import STRICT, Comparison, Leaf
from agentassert.jsonlike import decode

_TRUE: Final = object()
_FALSE: Final = object()
_NAN: Final = object()
_OBJECT: Final = object()

_BLANKS: Final = " \t\n\r"
"""Those that JSON knows."""
_FIRST_READABLE: Final = frozenset("-0123456789tTfF" + _BLANKS)
_NUMBER: Final = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"  # as JSON writes them: a date or a version is none
_READABLE: Final = re.compile(rf"[{_BLANKS}]*(?:{_NUMBER}|[Tt]rue|[Ff]alse)[{_BLANKS}]*")


def equal(expected: Any, actual: Any, comparison: Comparison = STRICT) -> bool:
    """Whether two values are the same as JSON.

    Numbers are equal by value (`3` and `3.0`), `True` is not `1`, NaN equals NaN, text is exact, objects and arrays are equal as a
    whole. What is no JSON equals only itself.

    Args:
        expected: as :func:`~agentassert.checks.expectations.prepare` returned it, or a snapshot.
        actual: a snapshot, as records hold it.
        comparison: what is to be overlooked, and what references refer to.

    Example:
        >>> equal({"n": [3, None]}, {"n": [3.0, None]}), equal([True], [1])
        (True, False)
    """
    kind = type(expected)
    if kind is str or kind is bytes:
        return type(actual) is kind and bool(expected == actual)
    if kind is int or kind is float:
        return (type(actual) is int or type(actual) is float) and _same_number(expected, actual, comparison.tolerance)
    if kind is dict:
        if type(actual) is not dict or len(expected) != len(actual):
            return False
        same = all(key in actual and equal(item, actual[key], comparison) for key, item in expected.items())
        return same and not keys_differ_in_kind(expected, actual)
    if kind is list:
        if type(actual) is not list or len(expected) != len(actual):
            return False
        if comparison.any_order:
            return not unpaired(expected, actual, comparison)[0]
        return all(equal(item, other, comparison) for item, other in zip(expected, actual, strict=True))
    return expected.accepts(actual, comparison) if isinstance(expected, Leaf) else expected is actual


def keys_differ_in_kind(one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    """Whether `True` or `False` is a key of only one of two objects, which may go unseen because to a dict `True` is 1."""
    return {key for key in one if type(key) is bool} != {key for key in other if type(key) is bool}


def equal_or_text(expected: Any, actual: Any, comparison: Comparison = STRICT) -> bool:
    """Like :func:`equal`, but an actual text which holds a number or a boolean also equals that number or boolean.

    A text holds one when it is JSON for it, blanks around it aside, or Python's `True` or `False`.

    Example:
        >>> equal_or_text(3, "3.0"), equal_or_text(True, "true"), equal_or_text("3", 3), equal_or_text([3], ["3"])
        (True, True, False, False)
    """
    if equal(expected, actual, comparison):
        return True
    return type(actual) is str and type(expected) in (int, float, bool) and equal(expected, _read(actual), comparison)


def canonical(value: Any) -> Hashable:
    """A key for a snapshot: two have equal keys if and only if they are :func:`equal`.

    Example:
        >>> canonical({"a": [1, 2]}) == canonical({"a": [1.0, 2]}), canonical([True]) == canonical([1])
        (True, False)
    """
    kind = type(value)
    if kind is str or kind is int or value is None or kind is bytes:
        return value  # type: ignore[no-any-return]
    if kind is float:
        return value if value == value else _NAN  # noqa: PLR0124
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is list:
        return tuple([canonical(item) for item in value])
    if kind is dict:
        return frozenset([(canonical(key) if type(key) is bool else key, canonical(item)) for key, item in value.items()])
    return _OBJECT, id(value)


def coarse(value: Any) -> Hashable:
    """A key for a snapshot: two that are :func:`equal_or_text` have equal keys, and few others have."""
    kind = type(value)
    if kind is str:
        return canonical(_read(value)) if value[:1] in _FIRST_READABLE else value
    return value if kind is int else canonical(value)


def unpaired(expected: Sequence[Any], actual: Sequence[Any], comparison: Comparison) -> tuple[list[int], list[int]]:
    """The positions that are left over when as many items as possible are paired with an equal one, whatever the order."""
    edges = [[there for there, other in enumerate(actual) if equal(item, other, comparison)] for item in expected]
    flow = list(largest_flow(edges, [1] * len(expected), [1] * len(actual)))
    with_partner, taken = {here for here, _, _ in flow}, {there for _, there, _ in flow}
    return (
        [here for here in range(len(expected)) if here not in with_partner],
        [there for there in range(len(actual)) if there not in taken],
    )


def _same_number(expected: float, actual: float, tolerance: float | None) -> bool:
    if expected == actual or (expected != expected and actual != actual):  # noqa: PLR0124  # NaN
        return True
    if tolerance is None:
        return False
    try:
        return math.isclose(expected, actual, rel_tol=0, abs_tol=tolerance)
    except OverflowError:  # an int beyond every float is not close to one
        return False


def _read(text: str) -> Any:
    """The number or boolean that a text holds, or the text."""
    if not _READABLE.fullmatch(text):
        return text
    value = decode(text)
    return {"True": True, "False": False}.get(text.strip(_BLANKS), text) if value is text else value
