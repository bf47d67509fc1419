"""Every framework that is installed here passes the adapter contract; those that come in by spans have files of their own."""

from __future__ import annotations

import pytest

from tests.adapters.contract import SCENARIOS, check, unknown_reasons
from tests.adapters.kits import file_name, installed_kits, tolerate

KITS = [kit for kit in installed_kits() if not kit.by_spans]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
@pytest.mark.parametrize("kit", KITS, ids=file_name)
def test_the_contract_holds(kit, scenario):
    tolerate(kit)
    check(kit, scenario)


@pytest.mark.parametrize("kit", KITS, ids=file_name)
def test_every_exception_from_the_contract_names_a_scenario(kit):
    assert unknown_reasons(kit) == []
