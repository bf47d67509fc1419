"""Expected arguments that are JSON and nothing else: decided without a detour, and found by a key among thousands."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from agentassert.checks.paths import MISSING
from agentassert.checks.values import canonical, coarse, equal_or_text
from agentassert.jsonlike import SCALARS


class Plain:
    """Arguments and the JSON that is expected of each.

    Args:
        values: what is expected of which argument.
        exactly: whether there may be no other argument.

    Example:
        >>> Plain({"id": 3}, exactly=False).matches({"id": "3", "reason": "rain"})
        True
    """

    __slots__ = ("_exactly", "_values", "bucket", "is_decided_by_bucket", "key", "names")

    def __init__(self, values: Mapping[str, Any], *, exactly: bool) -> None:
        self._values = values
        self._exactly = exactly
        self.names = tuple(sorted(values))
        """The arguments that are looked at."""
        self.key: Hashable = exactly, self.names, tuple([canonical(values[name]) for name in self.names])
        """Equal for expectations that match the same arguments."""
        self.bucket = bucket_of(values, self.names)
        """Equal to that of all arguments that match, by :func:`bucket_of`, and of few others."""
        self.is_decided_by_bucket = not exactly and all(type(one) is not str or coarse(one) is one for one in values.values())
        """Whether it is that of no others."""

    def matches(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the arguments are what is expected."""
        if self._exactly and len(arguments) != len(self._values):
            return False
        for name, expected in self._values.items():
            actual = arguments.get(name, MISSING)
            if type(actual) is type(expected) and type(actual) in SCALARS and actual == expected:
                continue  # as nearly all are that are equal at all
            if not equal_or_text(expected, actual):
                return False
        return True


def bucket_of(arguments: Mapping[str, Any], names: Sequence[str]) -> Hashable:
    """A key for what the arguments say under `names`.

    Raises:
        KeyError: when one of them is not there.
    """
    return coarse(arguments[names[0]]) if len(names) == 1 else tuple([coarse(arguments[name]) for name in names])
