"""Agno: the runs of its agents and teams, and what happens in them."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "agno"
