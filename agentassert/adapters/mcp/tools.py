"""Calls of tools: one execution each, however many requests the client makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from mcp.types import CallToolResult

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.mcp import ADAPTER
from agentassert.adapters.mcp.results import is_error, text_of, value_of
from agentassert.recording.events import ToolEvent

Key: TypeAlias = tuple[str, str | None]
"""What tells that a request goes on with an earlier one: the tool, and the state that the server gave out and gets back."""

_waiting: Final[WeakKeyDictionary[Any, dict[Key, ToolEvent]]] = WeakKeyDictionary()
"""By session, the executions for which a server wants input from the program that calls it."""


_clients: Final[WeakKeyDictionary[ToolEvent, Any]] = WeakKeyDictionary()
"""What an execution was asked for on: a client, or its session."""


def _begin(client: Any, name: str, arguments: Any = None, *_: Any, **options: Any) -> ToolEvent | None:
    event = _gone_on_with(client, name, options) or recorder.start_tool(name, arguments or {}, adapter=ADAPTER, transport=True)
    if event is not None:
        _clients[event] = client
    return event


def _end(event: ToolEvent, result: Any) -> None:
    """It returned; an exception is one of the transport, a timeout, or a result that breaks the tool's own schema."""
    client = _clients.pop(event)
    if isinstance(result, CallToolResult):
        if is_error(result):
            text = text_of(result)
            event.fail(text or "the server says that the tool failed, and nothing else", text)
        else:
            event.succeed(value_of(result), result)
    elif getattr(result, "result_type", None) == "input_required":
        # Whoever called may never go on with it, and nothing that runs would do so: leaving a capture does not wait for it.
        event.not_advanced()
        _waiting.setdefault(_session_of(client), {})[event.name, result.request_state] = event
    else:
        event.end_unknown(result)


recorded: Final = hooks.recorded(ADAPTER, _begin, _end, kind="coroutine")
"""A method that calls a tool: of a session, or of a client, in which that of its session is then no second execution."""


def _gone_on_with(client: Any, name: str, options: Mapping[str, Any]) -> ToolEvent | None:
    """The execution that waits for the input which this request brings."""
    state = options.get("request_state")
    if state is None and options.get("input_responses") is None:
        return None
    session = _session_of(client)
    event = _waiting.get(session, {}).get((name, state))
    if event is None or not recorder.listens(event):
        return None
    del _waiting[session][name, state]
    event.advanced()
    return event


def _session_of(client: Any) -> Any:
    try:
        return client.session
    except (AttributeError, RuntimeError):  # a session itself, and a client that is not connected
        return client
