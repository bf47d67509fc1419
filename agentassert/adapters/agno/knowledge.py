"""What agents and teams find in their knowledge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from agentassert.adapters import hooks
from agentassert.adapters.agno import ADAPTER
from agentassert.records import Source


def _sources(documents: Iterable[Any] | None) -> list[Source]:
    return [_source(one) for one in documents or ()]


def _source(document: Any) -> Source:
    named = {} if document.name is None else {"name": document.name}
    return Source(text=str(document.content), metadata=named | (document.meta_data or {}), score=document.reranking_score)


recorded: Final = hooks.retrieving(ADAPTER, _sources)
"""`Knowledge.search` and `asearch`."""
