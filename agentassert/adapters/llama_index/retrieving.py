"""What retrievers find, and what postprocessors leave of it."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.llama_index import ADAPTER
from agentassert.adapters.llama_index.messages import source_of
from agentassert.adapters.llama_index.opened import Entered, Span
from agentassert.adapters.llama_index.working import Step
from agentassert.recording.events import RetrievalEvent

_found: ContextVar[tuple[tuple[weakref.ref[RetrievalEvent], frozenset[str]], ...]] = ContextVar(
    "agentassert_llama_index_found", default=()
)
"""The retrievals that the running code may still make something of, with the ids of their nodes."""
_REMEMBERED: Final = 20


class Retrieval(Span):
    """A retriever that runs."""

    def __init__(self, event: RetrievalEvent) -> None:
        super().__init__(event)
        self._event = event

    def end(self, result: Any) -> None:
        self._event.retrieve([source_of(one) for one in result])
        _found.set((*_found.get()[-_REMEMBERED:], (weakref.ref(self._event), frozenset(_ids(result)))))

    def stop(self, error: BaseException) -> None:
        recorder.end_by(self._event, error)


class Ranking(Span):
    """A postprocessor that runs; models that it asks work for the retrieval."""

    def __init__(self, nodes: Any) -> None:
        self._nodes = list(nodes)
        super().__init__(next(iter(_retrievals_of(self._nodes)), None))

    def end(self, result: Any) -> None:
        _replace(self._nodes, result)


def begin(entered: Entered) -> Span | None:
    """A retriever begins: not one that another one asks, nor one by which an agent chooses its tools, or remembers."""
    inside = recorder.current_event()
    if isinstance(inside, RetrievalEvent) and inside.ended_order is None:
        return None
    if isinstance(entered.around, Step) and entered.around.of.has_agents:
        return None
    event = recorder.start_retrieval(adapter=ADAPTER)
    return None if event is None else Retrieval(event)


def begin_ranking(entered: Entered) -> Span:
    """A postprocessor begins."""
    return Ranking(entered.arguments.get("nodes") or ())


def hear_ranked(event: Any) -> None:
    """A reranker has ended, whose span may not tell what it made."""
    _replace((), event.nodes)


def _replace(before: Iterable[Any], after: Iterable[Any]) -> None:
    """What is left are the sources: of the retrieval that found the most of them, or of one of its own."""
    sources = tuple(source_of(one) for one in after)
    retrievals = _retrievals_of([*before, *after])
    if not retrievals:
        event = recorder.start_retrieval(adapter=ADAPTER)
        if event is not None:
            event.retrieve(sources)
    for place, event in enumerate(retrievals):
        event.sources = sources if place == 0 else ()
        event.changed()


def _retrievals_of(nodes: Iterable[Any]) -> list[RetrievalEvent]:
    ids = set(_ids(nodes))
    return [event for known, found in _found.get() if found & ids and (event := known()) is not None]


def _ids(nodes: Iterable[Any]) -> Iterable[str]:
    return (one.node.node_id for one in nodes)
