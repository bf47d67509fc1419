"""Google's Agent Development Kit: the runs of its agents, and what happens in them."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "google-adk"
