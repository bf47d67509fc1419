"""Pydantic AI without capabilities passes the adapter contract, by its spans."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("pydantic_ai")
pytest.importorskip("opentelemetry.sdk.trace")

from tests.adapters.contract import SCENARIOS


@pytest.fixture(scope="module")
def failures(request):
    command = [sys.executable, "-m", "tests.adapters.by_spans"]
    ended = subprocess.run(command, cwd=request.config.rootpath, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.__name__)
def test_the_contract_holds(scenario, failures):
    assert failures[scenario.__name__] is None, failures[scenario.__name__]
