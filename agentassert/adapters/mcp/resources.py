"""Resources that a client reads: sources of what the agent knows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.mcp import ADAPTER
from agentassert.recording.events import RetrievalEvent, Scope
from agentassert.records import Source


class _Reading:
    """A resource that is being read, on a client or on its session."""

    def __init__(self, event: RetrievalEvent) -> None:
        self._event = event
        self._entered: Scope = recorder.enter(event)

    @guarded(ADAPTER)
    def fail(self) -> None:
        """It could not be read."""
        recorder.leave(self._entered)
        self._event.fail()

    @guarded(ADAPTER)
    def end(self, result: Any) -> None:
        """It was read; bytes are no text that could be asked about, and a server that wants input first has told nothing yet."""
        recorder.leave(self._entered)
        contents = [content for content in getattr(result, "contents", ()) if isinstance(getattr(content, "text", None), str)]
        self._event.retrieve([Source(text=content.text, metadata=_metadata(content)) for content in contents])


def recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that reads a resource: of a session, or of a client, which may have it at hand."""

    async def read_resource(self: Any, *args: Any, **options: Any) -> Any:
        reading = _begin() if recorder.listening() else None
        if reading is None:
            return await original(self, *args, **options)
        try:
            result = await original(self, *args, **options)
        except BaseException:
            reading.fail()
            raise
        reading.end(result)
        return result

    return read_resource


@guarded(ADAPTER)
def _begin() -> _Reading | None:
    around = recorder.current_event()
    if type(around) is RetrievalEvent and around.ended_order is None:
        return None  # the session's part of what the client reads, or of what a retriever does
    event = recorder.start_retrieval(adapter=ADAPTER)
    return None if event is None else _Reading(event)


def _metadata(content: Any) -> dict[str, Any]:
    kind = content.mime_type if hasattr(content, "mime_type") else content.mimeType
    return {"uri": str(content.uri), "mime_type": kind}
