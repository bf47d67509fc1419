"""What DSPy's retrievers find."""

from __future__ import annotations

from typing import Any, Final

from agentassert.adapters.dspy import ADAPTER
from agentassert.adapters.hooks import retrieving
from agentassert.records import Source


def _sources(found: Any) -> list[Source]:
    """The passages that were found, which some retrievers score."""
    fields = {"passages": found} if isinstance(found, list) else found
    passages = fields.get("passages") or fields.get("docs") or []
    scores = fields.get("scores") or [None] * len(passages)
    return [_source(passage, score) for passage, score in zip(passages, scores, strict=True)]


def _source(passage: Any, score: Any) -> Source:
    return Source(text=str(getattr(passage, "long_text", passage)), score=None if score is None else float(score))


searched: Final = retrieving(ADAPTER, _sources)
"""`Retrieve.__call__`, and that of `Embeddings`."""
