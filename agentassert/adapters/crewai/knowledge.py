"""What agents and crews find in their knowledge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agentassert import recorder
from agentassert.adapters.crewai import ADAPTER
from agentassert.recording.events import RetrievalEvent
from agentassert.records import Source


def begin(*_: Any, **__: Any) -> RetrievalEvent | None:
    """A search begins."""
    return recorder.start_retrieval(adapter=ADAPTER)


def end(event: RetrievalEvent, found: Iterable[Mapping[str, Any]] | None) -> None:
    """It found something, or nothing."""
    event.retrieve([_source(one) for one in found or ()])


def stop(event: RetrievalEvent, _: BaseException) -> None:
    """It failed."""
    event.fail()


def _source(found: Mapping[str, Any]) -> Source:
    return Source(text=str(found["content"]), metadata=found.get("metadata") or {}, score=found.get("score"))
