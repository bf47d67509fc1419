"""A hand-written loop over Anthropic's SDK passes the adapter contract."""

from __future__ import annotations

import pytest

pytest.importorskip("anthropic")

from tests.adapters.contract import SCENARIOS, check, unknown_reasons
from tests.adapters.kits.anthropic_sdk import AnthropicKit

KIT = AnthropicKit()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_contract_holds(scenario):
    check(KIT, scenario)


def test_every_exception_from_the_contract_names_a_scenario():
    assert unknown_reasons(KIT) == []
