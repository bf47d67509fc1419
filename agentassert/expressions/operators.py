"""What the operators mean: section by section the equality of the library, and nothing that a value could decide for itself."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from typing import Any, Final

import attrs

from agentassert.checks.values import canonical, equal, equal_or_text


class Unknown(enum.Enum):
    """The type of :data:`UNKNOWN`."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
"""The third truth value: what a comparison says that touches a missing value, or makes no sense."""


class Unsupported(Exception):  # noqa: N818  # no error: it makes a comparison unknown
    """Says in words why two values cannot be compared that way."""


@attrs.frozen(eq=False)
class AnyOrder:
    """A set that was written in an expression: equal to a list of the same values, each once, in any order."""

    items: list[Any]

    def equals(self, other: Any) -> bool:
        """Whether `other`, a list or another such set, holds just these values."""
        keys = {canonical(item) for item in self.items}
        if isinstance(other, AnyOrder):
            return keys == {canonical(item) for item in other.items}
        return type(other) is list and len(other) == len(keys) and keys == {canonical(item) for item in other}


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON; `is` means the same, for the values that it is used with."""
    if isinstance(left, AnyOrder):
        return left.equals(right)
    return right.equals(left) if isinstance(right, AnyOrder) else equal(left, right)


def same_argument(argument: Any, value: Any) -> bool:
    """Whether an argument that a model sent is the value: its text is good enough for a number or boolean, which the tool receives."""
    return same(argument, value) or equal_or_text(value, argument)


def contains(item: Any, container: Any, is_item: Callable[[Any, Any], bool] = same) -> bool:
    """Whether `item` is a part of a text, an item of a list, or a key of an object; null contains nothing.

    Args:
        item: what is looked for.
        container: where.
        is_item: whether it is an item of a list.

    Raises:
        Unsupported: when `container` is none of these, or a text is asked for something else than text, or for nothing.
    """
    if container is None:
        return False
    if type(container) is str:
        if type(item) is not str:
            raise Unsupported(f"a text cannot contain {kind_of(item)}")
        if not item:
            raise Unsupported("every text contains the empty one")
        return item in container
    if type(container) is dict:
        return any(equal(key, item) for key in container)
    if isinstance(container, AnyOrder):
        container = container.items
    if type(container) is list:
        return any(is_item(item, one) for one in container)
    raise Unsupported(f"{kind_of(container)} contains nothing")


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compared(left: Any, right: Any) -> bool:
        kinds = {type(left), type(right)}
        if kinds <= {int, float}:
            if left != left or right != right:  # noqa: PLR0124  # NaN: neither more nor less, so that `not` of both would hold
                raise Unsupported("NaN has no order")
            return compare(left, right)
        if kinds == {str}:
            return compare(left, right)
        raise Unsupported(f"{kind_of(left)} and {kind_of(right)} have no order")

    return compared


def negated(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """The opposite comparison."""
    return lambda left, right: not compare(left, right)


less, less_or_equal = _ordered(operator.lt), _ordered(operator.le)
greater, greater_or_equal = _ordered(operator.gt), _ordered(operator.ge)


def kind_of(value: Any) -> str:
    """What a message calls a value of that kind.

    Example:
        >>> kind_of("a"), kind_of(1.5), kind_of(True), kind_of(None), kind_of([])
        ('text', 'a number', 'true or false', 'null', 'a list')
    """
    return _KINDS.get(type(value), "something that is no JSON")


_KINDS: Final[dict[type, str]] = {
    str: "text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
    list: "a list",
    dict: "an object",
    AnyOrder: "a set",
}
