"""The functions of agents and teams, as they run."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from agno.exceptions import RunCancelledException
from agno.run.base import BaseRunOutputEvent
from agno.tools.function import ToolResult
from pydantic import BaseModel

from agentassert import recorder
from agentassert.adapters import hooks
from agentassert.adapters.agno import ADAPTER
from agentassert.adapters.agno.gates import has_run, watch
from agentassert.adapters.base import guarded
from agentassert.recording.events import ToolEvent

_MCP: Final = "agno.utils.mcp"
_MCP_FAILED: Final = ("Error from MCP tool '", "MCP tool '", "Error: ")
_SAID: Final = ("RunContent", "TeamRunContent")

_calls: Final[WeakKeyDictionary[ToolEvent, Any]] = WeakKeyDictionary()
_errors: Final[WeakKeyDictionary[ToolEvent, list[BaseException]]] = WeakKeyDictionary()
"""The errors that were logged while a tool ran: that of a hook before or after it is logged, too, and does not count."""
_cached: Final[WeakSet[ToolEvent]] = WeakSet()
"""Those whose function does not run, because its result is known."""
_texts: Final[WeakKeyDictionary[ToolEvent, list[str]]] = WeakKeyDictionary()
"""What a generator has given so far: Agno tells the model all of it as one text."""


def hearing(original: Callable[..., Any]) -> Callable[..., Any]:
    """`log_exception`, which is given the error of which a result holds only the text."""

    def log_exception(told: Any, *args: Any, **kwargs: Any) -> Any:
        if recorder.listening():
            _hear(told)
        return original(told, *args, **kwargs)

    return log_exception


@guarded(ADAPTER)
def _hear(error: Any) -> None:
    event = recorder.open_around(ToolEvent, ADAPTER)
    if event is not None and isinstance(error, BaseException):
        _errors.setdefault(event, []).append(error)


def remembering(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Function._get_cached_result`, which gives `None` where the function must run."""

    def get_cached_result(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = original(self, *args, **kwargs)
        if result is not None and recorder.listening():
            _remember()
        return result

    return get_cached_result


@guarded(ADAPTER)
def _remember() -> None:
    event = recorder.open_around(ToolEvent, ADAPTER)
    if event is not None:
        _cached.add(event)


def _begin(call: Any) -> ToolEvent | None:
    event = recorder.start_tool(call.function.name, call.arguments or {}, adapter=ADAPTER, call_id=call.call_id)
    if event is not None:
        _calls[event] = call
        watch(event, call)
    return event


def _end(event: ToolEvent, outcome: Any) -> None:
    """It returned: a result, a failure in words, or a generator that is yet to run."""
    call, errors, result = _calls.pop(event), _errors.pop(event, ()), outcome.result
    is_cached = event in _cached and not has_run(event)
    if has_run(event) is False and not is_cached and not (inspect.isgenerator(result) or inspect.isasyncgen(result)):
        recorder.withdraw(event)
    elif outcome.status != "success":
        event.fail(next((one for one in errors if str(one) == outcome.error), outcome.error), outcome.error)
    elif inspect.isgenerator(result) or inspect.isasyncgen(result):
        _texts[event] = []
        # Agno reads it from either, by how the agent runs.
        call.result = outcome.result = (_following if inspect.isgenerator(result) else _async_following)(event, result)
    elif not isinstance(result, ToolResult):
        event.succeed(result, cached=is_cached)
    elif _is_of_mcp(call.function.entrypoint) and result.content.startswith(_MCP_FAILED):
        event.fail(result.content, result.content)
    else:
        event.succeed(result.content, result, cached=is_cached)


def _is_of_mcp(entrypoint: Any) -> bool:
    function = inspect.unwrap(entrypoint)
    return getattr(getattr(function, "func", function), "__module__", None) == _MCP  # early releases have a partial


def _stop(event: ToolEvent, error: BaseException) -> None:
    if has_run(event) is False:
        recorder.withdraw(event)
    elif isinstance(error, RunCancelledException):
        event.cancel(error)
    else:
        recorder.end_by(event, error)


def _listen(event: ToolEvent, part: Any) -> None:
    if not isinstance(part, BaseRunOutputEvent):
        _texts[event].append(str(part))
    elif getattr(part, "event", None) in _SAID:
        content = getattr(part, "content", None)
        _texts[event].append(content.model_dump_json() if isinstance(content, BaseModel) else str(content or ""))


def _end_generator(event: ToolEvent, _last: Any) -> None:
    event.succeed("".join(_texts.pop(event)))


def _same(_event: ToolEvent, parts: Any) -> Any:
    return parts


def _begun(event: ToolEvent, _parts: Any) -> ToolEvent:
    return event


recorded: Final = hooks.recorded(ADAPTER, _begin, _end, stop=_stop)
"""`FunctionCall.execute` and `aexecute`, by which every function of an agent or a team is called."""
_following: Final = hooks.recorded(ADAPTER, _begun, _end_generator, stop=_stop, hear=_listen, kind="stream")(_same)
_async_following: Final = hooks.recorded(ADAPTER, _begun, _end_generator, stop=_stop, hear=_listen, kind="async stream")(_same)
