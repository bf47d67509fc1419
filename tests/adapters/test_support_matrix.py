"""The support matrix says what the contract shows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.adapters.contract import SCENARIOS, StaleReasonError, check
from tests.adapters.kits import installed_kits
from tests.adapters.support_matrix import PAGE, RUNS, file_of, frameworks, outcome, page, read

KITS = installed_kits()


def test_the_page_is_what_the_recorded_runs_give():
    assert PAGE.read_text("utf-8") == page(frameworks())


@pytest.mark.parametrize("path", sorted(RUNS.glob("*.json")), ids=lambda path: path.stem)
def test_a_recorded_run_has_an_outcome_for_every_scenario(path):
    run = read(path)
    assert sorted([*run.passed, *run.cannot]) == sorted(scenario.__name__ for scenario in SCENARIOS)


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.title)
def test_what_is_recorded_is_what_the_versions_installed_here_give(kit):
    recorded, here = read(file_of(kit, oldest=kit.is_oldest)), outcome(kit)
    assert (recorded.cannot, recorded.passed, recorded.sees) == (here.cannot, here.passed, here.sees)


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.title)
def test_the_versions_that_an_adapter_names_are_those_of_the_recorded_runs(kit):
    oldest, newest = (read(file_of(kit, oldest=is_oldest)).versions for is_oldest in (True, False))
    assert [adapter.tested for adapter in kit.adapters] == [
        (oldest[adapter.distribution], newest[adapter.distribution]) for adapter in kit.adapters
    ]


@pytest.mark.parametrize("kit", KITS, ids=lambda kit: kit.title)
def test_sources_are_seen_every_time_only_where_retrieval_passes(kit):
    assert "sources" not in outcome(kit).sees or "retrieval" in outcome(kit).passed


def test_a_reason_that_has_become_wrong_is_found():
    def passes(kit):
        """Pass"""

    kit = SimpleNamespace(title="A framework", cannot={"passes": "It never could"})
    with pytest.raises(StaleReasonError, match="A framework passes 'passes', of which its kit says: It never could"):
        check(kit, passes)
