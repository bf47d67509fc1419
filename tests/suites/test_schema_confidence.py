"""How sure few runs make, in numbers known from elsewhere."""

from __future__ import annotations

import pytest

from agentassert.suites.confidence import reaches, runs_needed, wilson_bounds


@pytest.mark.parametrize(
    ("passed", "runs", "confidence", "bounds"),
    [
        (9, 10, 0.95, (0.6523, 0.9774)),
        (0, 10, 0.95, (0.0, 0.2129)),
        (10, 10, 0.95, (0.7871, 1.0)),
        (50, 100, 0.975, (0.4038, 0.5962)),
        (81, 100, 0.975, (0.7222, 0.8749)),
    ],
)
def test_the_bounds_are_those_of_wilson(passed, runs, confidence, bounds):
    assert wilson_bounds(passed, runs, confidence) == pytest.approx(bounds, abs=5e-5)


@pytest.mark.parametrize("threshold", [1, 50, 80, 95, 99])
@pytest.mark.parametrize("confidence", [0.51, 0.9, 0.95, 0.999])
def test_the_runs_needed_are_the_fewest_that_do(threshold, confidence):
    needed = runs_needed(threshold, confidence)
    assert reaches(needed, needed, threshold, confidence)
    assert needed == 1 or not reaches(needed - 1, needed - 1, threshold, confidence)


def test_no_number_of_runs_makes_sure_of_all():
    assert runs_needed(100, 0.95) is None
    assert not reaches(10_000, 10_000, 100, 0.95)


@pytest.mark.parametrize(("passed", "enough"), [(3, False), (4, True), (5, True)])
def test_without_a_confidence_the_rate_alone_counts(passed, enough):
    assert reaches(passed, 5, 80, None) is enough
