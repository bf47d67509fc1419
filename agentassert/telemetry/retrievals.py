"""What a span tells about a retriever."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentassert.records import Source
from agentassert.telemetry.attributes import structured
from agentassert.telemetry.spans import Span

_TEXTS: Final = ("content", "text", "page_content")


def sources_of(span: Span) -> Sequence[Source] | None:
    """What was retrieved; `None` when the span does not say, or not what the content was.

    Example:
        >>> attributes = {"retrieval.documents.0.document.content": "Paris", "retrieval.documents.0.document.score": 0.5}
        >>> sources_of(Span("1", "2", None, "R", attributes=attributes))
        [Source(text='Paris', metadata={}, score=0.5)]
        >>> sources_of(Span("1", "2", None, "R", attributes={"gen_ai.retrieval.documents": '[{"id": 7}]'})) is None
        True
    """
    documents = structured(span.attributes, "retrieval.documents", "gen_ai.retrieval.documents", "output.value")
    if isinstance(documents, Mapping):
        documents = documents.get("documents")
    if not isinstance(documents, list):
        return None
    sources = [_source(one) for one in documents]
    known = [one for one in sources if one is not None]
    return known if len(known) == len(sources) else None


def _source(document: Any) -> Source | None:
    inner = document.get("document", document) if isinstance(document, Mapping) else document
    if not isinstance(inner, Mapping):
        return None
    found = next((inner[name] for name in _TEXTS if isinstance(inner.get(name), str)), None)
    if found is None:
        return None
    metadata, score = structured(inner, "metadata"), inner.get("score")
    return Source(
        text=found,
        metadata=metadata if isinstance(metadata, Mapping) else {},
        score=float(score) if isinstance(score, (int, float)) and not isinstance(score, bool) else None,
    )
