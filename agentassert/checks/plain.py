"""Expected arguments that are JSON and nothing else: decided without a detour, and found by a key among thousands."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, TypeAlias

from agentassert.checks.paths import MISSING
from agentassert.checks.values import canonical, coarse, equal_or_text
from agentassert.jsonlike import SCALARS

Bucket: TypeAlias = tuple[Hashable, ...]


class Plain:
    """Arguments and the JSON that is expected of each.

    Args:
        values: what is expected of which argument.
        exactly: whether there may be no other argument.

    Example:
        >>> Plain({"id": 3}, exactly=False).matches({"id": "3", "reason": "rain"})
        True
    """

    __slots__ = ("exactly", "values")

    def __init__(self, values: Mapping[str, Any], *, exactly: bool) -> None:
        self.values = values
        self.exactly = exactly

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that are looked at."""
        return _sorted(tuple(self.values))

    @property
    def key(self) -> Hashable:
        """Equal for expectations that match the same arguments."""
        names, values = self.names, self.values
        return self.exactly, names, *[canonical(values[name]) for name in names]

    @property
    def bucket(self) -> Bucket:
        """Equal to that of all arguments that match, by :func:`bucket_of`, and of few others."""
        return bucket_of(self.values, self.names)

    def is_decided_by(self, bucket: Bucket) -> bool:
        """Whether its bucket is that of no others."""
        values = self.values
        return not self.exactly and all(
            type(values[name]) is not str or values[name] is one for name, one in zip(self.names, bucket, strict=True)
        )

    def matches(self, arguments: Mapping[str, Any] | None) -> bool:
        """Whether the arguments are what is expected; what did not parse is not."""
        if arguments is None or (self.exactly and len(arguments) != len(self.values)):
            return False
        for name, expected in self.values.items():
            actual = arguments.get(name, MISSING)
            if type(actual) is type(expected) and type(actual) in SCALARS and actual == expected:
                continue  # as nearly all are that are equal at all
            if not equal_or_text(expected, actual):
                return False
        return True


@functools.lru_cache(maxsize=1024)
def _sorted(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(names))


def bucket_of(arguments: Mapping[str, Any], names: Sequence[str]) -> Bucket:
    """A key for what the arguments say under `names`; where one of them is not there, that of nothing that is expected."""
    return tuple([coarse(arguments.get(name, MISSING)) for name in names])
