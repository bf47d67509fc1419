"""The executions that every contestant is given, as plain data, each in its own form."""

from __future__ import annotations

import random
from typing import Any

Call = tuple[str, dict[str, Any]]


def executed(size: int) -> list[Call]:
    """So many executions of five tools, with four arguments each, no two alike; the last one is of a tool of its own."""
    calls = [(f"tool_{number % 5}", _arguments(number)) for number in range(size - 1)]
    return [*calls, ("last", _arguments(size - 1))]


def shuffled(size: int) -> list[Call]:
    """The same in another order."""
    calls = executed(size)
    random.Random(7).shuffle(calls)
    return calls


def _arguments(number: int) -> dict[str, Any]:
    return {"number": number, "port": "Oslo", "date": f"2026-01-{number % 28 + 1:02}", "window": number % 2 == 0}
