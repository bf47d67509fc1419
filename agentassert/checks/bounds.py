"""Counts that are only known to lie between two numbers, against the count that is asked for."""

from __future__ import annotations

from typing import Literal, TypeAlias

Bound: TypeAlias = Literal["exactly", "at_least", "at_most"]


def decided(fewest: int, most: int, n: int, bound: Bound) -> bool | None:
    """Whether a count from `fewest` to `most` is exactly, at least or at most `n`; `None` when that depends on the count.

    Example:
        >>> decided(1, 2, 2, "at_most"), decided(1, 2, 3, "at_least"), decided(1, 2, 2, "exactly")
        (True, False, None)
    """
    if {"exactly": fewest == most == n, "at_least": fewest >= n, "at_most": most <= n}[bound]:
        return True
    return None if {"exactly": fewest <= n <= most, "at_least": most >= n, "at_most": fewest <= n}[bound] else False
