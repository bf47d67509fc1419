"""What every test stands on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from agentassert import recorder
from agentassert.doubles import functions

# How long an example takes says how busy the machine is.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder that holds the project."""
    return Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def _nothing_left_open() -> Iterator[None]:
    """A capture that a test leaves open would record, and confuse, every test after it."""
    yield
    assert recorder.open_captures == ()
    assert recorder._scope.get() is None


@pytest.fixture(autouse=True)
def _decorated_functions_of_this_test() -> Iterator[None]:
    """A tool that one test decorates is none that another one's loop could have called."""
    before = set(functions.known)
    yield
    functions.known.clear()
    functions.known.update(before)
