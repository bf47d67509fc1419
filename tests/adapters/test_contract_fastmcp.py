"""fastmcp passes the adapter contract, under a hand-written agent."""

from __future__ import annotations

import pytest

pytest.importorskip("fastmcp")

from tests.adapters.contract import SCENARIOS, check, unknown_reasons
from tests.adapters.kits.fastmcp import FastMCPKit

KIT = FastMCPKit()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_contract_holds(scenario):
    check(KIT, scenario)


def test_every_exception_from_the_contract_names_a_scenario():
    assert unknown_reasons(KIT) == []
