"""The support matrix says what the contract shows."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.adapters.contract import SCENARIOS, StaleReasonError, check
from tests.adapters.kits import UnsupportedError, installed_kits, refuse
from tests.adapters.support_matrix import PAGE, RUNS, file_of, files_of, frameworks, outcome, page, read

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


class Kit:
    """Of a framework in the version 1.0."""

    def __init__(self, newest):
        self.adapters = [SimpleNamespace(tested=("1.0", newest))]
        self.is_oldest = True


@pytest.mark.parametrize(("newest", "ages"), [("1.4", {"oldest"}), ("1.0", {"oldest", "newest"})])
def test_the_only_version_so_far_is_recorded_as_the_oldest_and_as_the_newest(newest, ages):
    assert {path.name for path in files_of(Kit(newest))} == {f"test_support_matrix-{age}.json" for age in ages}


def test_a_run_that_is_still_to_be_recorded_is_said_to_be():
    with pytest.raises(FileNotFoundError) as caught:
        read(RUNS / "robots-newest.json")

    assert str(caught.value) == (
        "robots-newest.json is still to be recorded: install the newest version that is claimed, "
        "and `python -m tests.adapters.support_matrix --record robots`"
    )


def test_a_reason_that_has_become_wrong_is_found():
    def passes(kit):
        """Pass"""

    kit = SimpleNamespace(title="A framework", cannot={"passes": "It never could"})
    with pytest.raises(StaleReasonError, match="A framework passes 'passes', of which its kit says: It never could"):
        check(kit, passes)


def test_what_a_kit_refuses_without_a_reason_is_to_be_named():
    def handoff(kit):
        """Agents hand over"""
        refuse("handoffs")

    with pytest.raises(UnsupportedError) as caught:
        check(SimpleNamespace(title="A framework", cannot={}), handoff)
    assert caught.value.__notes__ == ["Name 'handoff' in `cannot` of the kit, with the reason that the support matrix gives."]


def test_what_a_framework_raises_is_no_way_to_fail_a_scenario():
    def stream(kit):
        """Streams"""
        raise IndexError("list index out of range")

    with pytest.raises(IndexError) as caught:
        check(SimpleNamespace(title="A framework", cannot={"stream": "It breaks"}), stream)
    assert caught.value.__notes__ == ["The kit says 'It breaks': have it `refuse(...)` what makes the framework raise this."]
