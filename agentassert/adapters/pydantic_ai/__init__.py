"""Pydantic AI: the runs of its agents, and what happens in them."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "pydantic_ai"
