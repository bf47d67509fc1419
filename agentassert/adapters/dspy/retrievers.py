"""What DSPy's retrievers find."""

from __future__ import annotations

from typing import Any

from agentassert import recorder
from agentassert.adapters.dspy import ADAPTER
from agentassert.recording.events import RetrievalEvent
from agentassert.records import Source


def begin(*_: Any, **__: Any) -> RetrievalEvent | None:
    """It searches."""
    return recorder.start_retrieval(adapter=ADAPTER)


def end(event: RetrievalEvent, found: Any) -> None:
    """It found passages, which some retrievers score."""
    fields = {"passages": found} if isinstance(found, list) else found
    passages = fields.get("passages") or fields.get("docs") or []
    scores = fields.get("scores") or [None] * len(passages)
    event.retrieve([_source(passage, score) for passage, score in zip(passages, scores, strict=True)])


def _source(passage: Any, score: Any) -> Source:
    return Source(text=str(getattr(passage, "long_text", passage)), score=None if score is None else float(score))


def stop(event: RetrievalEvent, _: BaseException) -> None:
    """It failed."""
    event.fail()
