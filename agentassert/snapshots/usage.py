"""Which snapshots were used and written by the test that runs."""

from __future__ import annotations

import json
from typing import Any, Final, Literal, TypeAlias

Use: TypeAlias = Literal["used", "created", "updated"]

_uses: Final[dict[str, dict[str, Use]]] = {}
"""For the test that runs, or ran last, its snapshots."""


def note(file: str, use: Use, test: str) -> None:
    """Keep that a test used or wrote the file."""
    if test not in _uses:
        _uses.clear()
    uses = _uses.setdefault(test, {})
    if use == "used":
        uses.setdefault(file, use)
    else:
        uses[file] = use


def attach_to(report: Any) -> None:
    """Let the report of a test carry what it used, as text: so that gets out of a process of pytest-xdist."""
    if report.nodeid in _uses:
        report.agentassert_snapshots = json.dumps(_uses[report.nodeid])


def attached_to(report: Any) -> dict[str, Use]:
    """What a report carries."""
    uses: dict[str, Use] = json.loads(getattr(report, "agentassert_snapshots", "{}"))
    return uses
