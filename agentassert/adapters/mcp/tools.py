"""Calls of tools: one execution each, however many requests the client makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias
from weakref import WeakKeyDictionary

from mcp.types import CallToolResult

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.mcp import ADAPTER
from agentassert.adapters.mcp.results import is_error, text_of, value_of
from agentassert.recording.events import Scope, ToolEvent

Key: TypeAlias = tuple[str, str | None]
"""What tells that a request goes on with an earlier one: the tool, and the state that the server gave out and gets back."""

_waiting: Final[WeakKeyDictionary[Any, dict[Key, ToolEvent]]] = WeakKeyDictionary()
"""By session, the executions for which a server wants input from the program that calls it."""


class _Call:
    """A call of a tool, made on a client or on its session."""

    def __init__(self, client: Any, event: ToolEvent) -> None:
        self._client = client
        self._event = event
        self._entered: Scope = recorder.enter(event)

    @guarded(ADAPTER)
    def fail(self, error: BaseException) -> None:
        """It ended by an exception: of the transport, a timeout, a result that breaks the tool's own schema."""
        recorder.leave(self._entered)
        recorder.end_by(self._event, error)

    @guarded(ADAPTER)
    def end(self, result: Any) -> None:
        """It returned."""
        recorder.leave(self._entered)
        if not isinstance(result, CallToolResult):
            self._end_without_result(result)
        elif is_error(result):
            text = text_of(result)
            self._event.fail(text or "the server says that the tool failed, and nothing else", text)
        else:
            self._event.succeed(value_of(result), result)

    def _end_without_result(self, result: Any) -> None:
        if getattr(result, "result_type", None) == "input_required":
            # Whoever called may never go on with it, and nothing that runs would do so: leaving a capture does not wait for it.
            self._event.not_advanced()
            _waiting.setdefault(_session_of(self._client), {})[self._event.name, result.request_state] = self._event
        else:
            self._event.end_unknown(result)


def recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method that calls a tool: of a session, or of a client, in which that of its session is then no second execution."""

    async def call_tool(self: Any, name: str, arguments: Any = None, *args: Any, **options: Any) -> Any:
        call = _begin(self, name, arguments, options) if recorder.listening() else None
        if call is None:
            return await original(self, name, arguments, *args, **options)
        try:
            result = await original(self, name, arguments, *args, **options)
        except BaseException as error:
            call.fail(error)
            raise
        call.end(result)
        return result

    return call_tool


@guarded(ADAPTER)
def _begin(client: Any, name: str, arguments: Any, options: Mapping[str, Any]) -> _Call | None:
    event = _gone_on_with(client, name, options) or recorder.start_tool(name, arguments or {}, adapter=ADAPTER, transport=True)
    return None if event is None else _Call(client, event)


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
