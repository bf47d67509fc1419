"""Strands Agents: the runs of its agents, swarms and graphs, and what happens in them."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "strands"
