"""Resources that a client reads: sources of what the agent knows."""

from __future__ import annotations

from typing import Any, Final

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.mcp import ADAPTER
from agentassert.recording.events import RetrievalEvent
from agentassert.records import Source


def _begin(*_: Any, **__: Any) -> RetrievalEvent | None:
    around = recorder.current_event()
    if type(around) is RetrievalEvent and around.ended_order is None:
        return None  # the session's part of what the client reads, or of what a retriever does
    return recorder.start_retrieval(adapter=ADAPTER)


def _end(event: RetrievalEvent, result: Any) -> None:
    """It was read; bytes are no text that could be asked about, and a server that wants input first has told nothing yet."""
    contents = [content for content in getattr(result, "contents", ()) if isinstance(getattr(content, "text", None), str)]
    event.retrieve([Source(text=content.text, metadata=_metadata(content)) for content in contents])


def _metadata(content: Any) -> dict[str, Any]:
    kind = content.mime_type if hasattr(content, "mime_type") else content.mimeType
    return {"uri": str(content.uri), "mime_type": kind}


recorded: Final = hooks.recorded(ADAPTER, _begin, _end, kind="coroutine")
"""A method that reads a resource: of a session, or of a client, which may have it at hand."""
