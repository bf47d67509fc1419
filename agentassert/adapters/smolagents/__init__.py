"""Smolagents: agents that call tools, or write code that does, and the models that they ask."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "smolagents"
