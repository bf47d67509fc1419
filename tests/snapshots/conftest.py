from __future__ import annotations

import pytest


@pytest.fixture
def updating(monkeypatch):
    """Switches writing on and off, as the environment does."""

    def switch(to="1"):
        monkeypatch.setenv("AGENTASSERT_UPDATE", to)

    monkeypatch.delenv("AGENTASSERT_UPDATE", raising=False)
    return switch
