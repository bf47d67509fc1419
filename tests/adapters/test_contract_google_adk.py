"""Google ADK passes the adapter contract."""

from __future__ import annotations

import pytest

pytest.importorskip("google.adk")

from tests.adapters.contract import SCENARIOS, check, unknown_reasons
from tests.adapters.google_adk_parts import experimental
from tests.adapters.kits.google_adk import GoogleADKKit

pytestmark = experimental

KIT = GoogleADKKit()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_contract_holds(scenario):
    check(KIT, scenario)


def test_every_exception_from_the_contract_names_a_scenario():
    assert unknown_reasons(KIT) == []
