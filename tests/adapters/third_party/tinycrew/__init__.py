"""A framework that nobody has heard of; importing it does not import the part that runs agents."""

from __future__ import annotations

__version__ = "1.2"
