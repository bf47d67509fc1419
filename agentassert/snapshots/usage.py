"""Which snapshots were used and written by the test that runs."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, TypeAlias

Use: TypeAlias = Literal["used", "created", "updated"]

_uses: Final[dict[str, dict[str, Use]]] = {}
"""For each test that runs its snapshots: one that runs pytest inside itself is still running while that test does."""


def note(file: str, use: Use, test: str) -> None:
    """Keep that a test used or wrote the file."""
    uses = _uses.setdefault(test, {})
    if use == "used":
        uses.setdefault(file, use)
    else:
        uses[file] = use


def attach_to(report: Any) -> None:
    """Let the report of a test carry what it used, as text: so that gets out of a process of pytest-xdist."""
    uses = _uses.pop(report.nodeid, None) if report.when == "teardown" else _uses.get(report.nodeid)
    if uses is not None:
        report.agentassert_snapshots = json.dumps(uses)


def attached_to(report: Any) -> dict[str, Use]:
    """What a report carries."""
    uses: dict[str, Use] = json.loads(getattr(report, "agentassert_snapshots", "{}"))
    return uses
