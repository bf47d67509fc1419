"""CrewAI: agents, crews, and flows."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "crewai"
