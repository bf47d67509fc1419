"""Servers of mcp 1 in the client's own process: what they do is part of the call, though they run in the context of their start.

In memory, a client writes to the very channel that its server reads from, so that channel and request id tell whose request it is.
Neither is public; mcp 1 is not developed any further, and where they are missing, this does nothing but be a fault.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.mcp import ADAPTER
from agentassert.recording.events import Event

Key: TypeAlias = tuple[int, Any]

_under_way: Final[dict[Key, Event]] = {}


def placed(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap the method of a session that calls a tool, inside of what records it."""

    async def call_tool(self: Any, *args: Any, **options: Any) -> Any:
        key = _sent(self) if recorder.listening() else None
        try:
            return await original(self, *args, **options)
        finally:
            if key is not None:
                del _under_way[key]

    return call_tool


@guarded(ADAPTER)
def current_event() -> Event | None:
    """What the request is part of that a server in this process handles here."""
    server = sys.modules.get("mcp.server.lowlevel.server")
    if not _under_way or server is None:
        return None
    request = server.request_ctx.get(None)
    return None if request is None else _under_way.get(_key(request.session._read_stream, request.request_id))  # noqa: SLF001


@guarded(ADAPTER)
def _sent(session: Any) -> Key | None:
    """Remember what the request is part of that this session sends next: nothing else runs before it has taken its number."""
    event = recorder.current_event()
    if event is None:
        return None
    key = _key(session._write_stream, session._request_id)  # noqa: SLF001
    _under_way[key] = event
    return key


def _key(stream: Any, request_id: Any) -> Key:
    return id(getattr(stream, "_state", stream)), request_id
