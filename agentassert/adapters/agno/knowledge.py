"""What agents and teams find in their knowledge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.agno import ADAPTER
from agentassert.recording.events import RetrievalEvent
from agentassert.records import Source


def _begin(_knowledge: Any, *_args: Any, **_kwargs: Any) -> RetrievalEvent | None:
    return recorder.start_retrieval(adapter=ADAPTER)


def _end(event: RetrievalEvent, documents: Iterable[Any] | None) -> None:
    event.retrieve([_source(one) for one in documents or ()])


def _stop(event: RetrievalEvent, _error: BaseException) -> None:
    event.fail()


def _source(document: Any) -> Source:
    named = {} if document.name is None else {"name": document.name}
    return Source(text=str(document.content), metadata=named | (document.meta_data or {}), score=document.reranking_score)


recorded: Final = hooks.recorded(ADAPTER, _begin, _end, stop=_stop)
"""`Knowledge.search` and `asearch`."""
