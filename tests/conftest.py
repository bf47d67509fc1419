"""What every test stands on."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def project() -> Path:
    """The folder that holds the project."""
    return Path(__file__).parent.parent
