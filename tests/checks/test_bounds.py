"""A count that is only known to lie between two numbers."""

from __future__ import annotations

import itertools
import operator

import pytest

from agentassert.checks.bounds import decided

HOLDS = {"exactly": operator.eq, "at_least": operator.ge, "at_most": operator.le}


@pytest.mark.parametrize("bound", HOLDS)
@pytest.mark.parametrize(("fewest", "most"), list(itertools.combinations_with_replacement(range(4), 2)))
@pytest.mark.parametrize("n", range(5))
def test_a_bound_is_decided_when_every_possible_count_agrees(fewest, most, n, bound):
    verdicts = {HOLDS[bound](count, n) for count in range(fewest, most + 1)}

    assert decided(fewest, most, n, bound) is (None if len(verdicts) == 2 else verdicts.pop())
