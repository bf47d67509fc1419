"""What agents and crews find in their knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentassert.adapters.crewai import ADAPTER
from agentassert.adapters.hooks import retrieving
from agentassert.records import Source


def _sources(found: Iterable[Mapping[str, Any]] | None) -> list[Source]:
    return [Source(text=str(one["content"]), metadata=one.get("metadata") or {}, score=one.get("score")) for one in found or ()]


searched: Final = retrieving(ADAPTER, _sources)
"""`Knowledge.query` and `aquery`."""
