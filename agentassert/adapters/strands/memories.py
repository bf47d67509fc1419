"""What agents find in their memory, in releases where they have one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from agentassert.adapters.hooks import retrieving
from agentassert.adapters.strands import ADAPTER
from agentassert.records import Source


def _sources(entries: Iterable[Any]) -> list[Source]:
    return [Source(text=str(one.content), metadata={"store": one.store_name} | dict(one.metadata or {})) for one in entries]


searched: Final = retrieving(ADAPTER, _sources)
"""`MemoryManager.search`, by which a tool of its own goes, and what is put into a prompt."""
