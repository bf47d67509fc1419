"""How much a rate of passing runs says, when there are few of them."""

from __future__ import annotations

import functools
import math
import statistics
from typing import Final

MOST_RUNS: Final = 100
"""How many runs a test may ask for."""


def wilson_bounds(passed: int, runs: int, confidence: float) -> tuple[float, float]:
    """The one-sided Wilson bounds of a rate: it is above the first, and below the second, each at the given confidence.

    Args:
        passed: how many runs passed.
        runs: how many runs there were, 1 or more.
        confidence: above 0.5 and below 1.

    Returns:
        Two rates from 0 to 1.

    Example:
        >>> [round(bound, 3) for bound in wilson_bounds(9, 10, 0.95)]
        [0.652, 0.977]
    """
    z = _quantile(confidence)
    rate = passed / runs
    centre = rate + z * z / (2 * runs)
    margin = z * math.sqrt(rate * (1 - rate) / runs + z * z / (4 * runs * runs))
    scale = 1 + z * z / runs
    return max(0.0, (centre - margin) / scale), min(1.0, (centre + margin) / scale)


def runs_needed(threshold: int, confidence: float) -> int | None:
    """How many runs, all of which pass, it takes for the lower bound to reach a threshold.

    Args:
        threshold: percent, from 1 to 100.
        confidence: above 0.5 and below 1.

    Returns:
        `None` for 100 percent, of which no number of runs makes sure.

    Example:
        >>> runs_needed(80, 0.95), runs_needed(100, 0.95)
        (11, None)
    """
    if threshold == _CERTAIN:
        return None
    runs = max(1, math.floor(_quantile(confidence) ** 2 * threshold / (_CERTAIN - threshold)))
    while not reaches(runs, runs, threshold, confidence):
        runs += 1
    return runs


def reaches(passed: int, runs: int, threshold: int, confidence: float | None) -> bool:
    """Whether so many passing runs are enough.

    Args:
        passed: how many runs passed.
        runs: how many runs there were, 1 or more.
        threshold: percent that must pass.
        confidence: how sure that must be; `None` for the rate alone.

    Example:
        >>> reaches(9, 10, 80, None), reaches(9, 10, 80, 0.95)
        (True, False)
    """
    if confidence is None:
        return passed * _CERTAIN >= threshold * runs
    return wilson_bounds(passed, runs, confidence)[0] * _CERTAIN >= threshold


def out_of_reach(runs: int, threshold: int, confidence: float) -> str | None:
    """Why so many runs cannot reach the threshold even if all of them pass, and what to do; `None` when they can.

    Args:
        runs: how many there are.
        threshold: percent that must pass.
        confidence: how sure that must be, above 0.5 and below 1.

    Example:
        >>> out_of_reach(5, 80, 0.95)
        '5 runs cannot show with a confidence of 0.95 that 80 % pass, even if all do: set runs to 11'
    """
    needed = runs_needed(threshold, confidence)
    if needed is not None and needed <= runs:
        return None
    said = f"{runs} run{'s' * (runs > 1)} cannot show with a confidence of {confidence:g} that {threshold} % pass, even if all do"
    return f"{said}: {_way_out(needed)}"


def _way_out(needed: int | None) -> str:
    if needed is None:
        return "no number of runs can, so set success_threshold below 100"
    if needed > MOST_RUNS:
        return f"it takes {needed:,}, and {MOST_RUNS} is the most, so lower success_threshold or success_confidence"
    return f"set runs to {needed}"


_CERTAIN = 100


@functools.cache
def _quantile(confidence: float) -> float:
    return statistics.NormalDist().inv_cdf(confidence)
