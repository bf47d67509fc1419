"""What agents find in their memory, in releases where they have one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.hooks import recorded
from agentassert.adapters.strands import ADAPTER
from agentassert.recording.events import RetrievalEvent
from agentassert.records import Source


def _begin(*_: Any, **__: Any) -> RetrievalEvent | None:
    return recorder.start_retrieval(adapter=ADAPTER)


def _end(event: RetrievalEvent, entries: Iterable[Any]) -> None:
    event.retrieve([_source(one) for one in entries])


def _stop(event: RetrievalEvent, _error: BaseException) -> None:
    event.fail()


def _source(entry: Any) -> Source:
    return Source(text=str(entry.content), metadata={"store": entry.store_name} | dict(entry.metadata or {}))


searched: Final = recorded(ADAPTER, _begin, _end, stop=_stop)
"""`MemoryManager.search`, by which a tool of its own goes, and what is put into a prompt."""
