"""DSPy: its modules, tools and language models."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "dspy"
