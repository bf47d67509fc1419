"""What the program `agentassert` exits with."""

from __future__ import annotations

from typing import Final

PASSED: Final = 0
FAILED: Final = 1
BROKEN: Final = 2
"""Something broke that says nothing about the agents."""
