"""Microsoft Agent Framework passes the adapter contract, by its spans."""

from __future__ import annotations

import pytest

pytest.importorskip("agent_framework")
pytest.importorskip("opentelemetry.sdk.trace")

from agentassert import capture
from tests.adapters.contract import SCENARIOS, check, unknown_reasons
from tests.adapters.kits.agent_framework import AgentFrameworkKit
from tests.adapters.kits.spans import forget_that_spans_are_recorded
from tests.adapters.scenarios.parts import booker

KIT = AgentFrameworkKit()


@pytest.fixture(scope="module", autouse=True)
def provider():
    yield
    forget_that_spans_are_recorded()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_contract_holds(scenario):
    check(KIT, scenario)


def test_every_exception_from_the_contract_names_a_scenario():
    assert unknown_reasons(KIT) == []


def test_what_a_run_lets_one_see_is_what_the_support_matrix_says():
    with capture() as cap:
        KIT.run(booker(KIT))
    assert cap.visibility[KIT.framework] == KIT.sees
