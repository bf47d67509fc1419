"""Tools, as they run: by `run` where models ask for them as such, and by `invoke` where they ask in words."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import Any, Final
from weakref import WeakKeyDictionary, WeakSet

from crewai.agents.cache.cache_handler import CacheHandler
from crewai.tools.base_tool import BaseTool
from crewai.tools.structured_tool import CrewStructuredTool
from crewai.utilities.string_utils import sanitize_tool_name

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.crewai import ADAPTER
from agentassert.adapters.crewai.doubles import arguments_of, install_doubles
from agentassert.adapters.crewai.models import asked_in_text
from agentassert.adapters.crewai.runs import agent_at_work
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import wrap_family, wrap_method
from agentassert.recording.events import ToolEvent

_FAILURES: Final = "crewai.tools.tool_failure"
_failures: Final[Any] = importlib.import_module(_FAILURES) if importlib.util.find_spec(_FAILURES) else None
"""What tools return to say that they failed; in earlier releases they can only raise."""


def install() -> None:
    """Hook in where tools run, and where a result is taken from the cache."""
    install_doubles()  # below: what stands in for a tool is recorded in its place
    wrap_family(BaseTool, {"run": _running, "arun": _running})
    wrap_family(CrewStructuredTool, {"invoke": _running, "ainvoke": _running})
    wrap_method(CacheHandler, "read", _reading)


_callers: Final[WeakKeyDictionary[ToolEvent, tuple[Any, str]]] = WeakKeyDictionary()
"""Which tool an execution is of, and by which method it was called."""
_tells_no_failures: Final[WeakSet[ToolEvent]] = WeakSet()


def _running(original: Callable[..., Any]) -> Callable[..., Any]:
    return recorded(ADAPTER, functools.partial(_begin, original.__qualname__), _end)(original)


def _begin(method: str, tool: Any, *args: Any, **options: Any) -> ToolEvent | None:
    around = recorder.current_event()
    called, by = _callers.get(around, (None, method)) if isinstance(around, ToolEvent) else (None, method)
    if called is tool and by != method:
        return None  # a class that calls the method that it overrides
    name = sanitize_tool_name(tool.name)
    # Requests that are no text have ids, which CrewAI keeps to itself: those are found by name and arguments when records are built.
    call_id = asked_in_text(name) if isinstance(tool, CrewStructuredTool) else None
    event = recorder.start_tool(name, arguments_of(tool, args, options), adapter=ADAPTER, call_id=call_id)
    if event is None:
        return None
    _callers[event] = tool, method
    if _failures is None and type(tool).__module__.startswith("crewai.tools.mcp_"):
        _tells_no_failures.add(event)  # what a server says of an error, earlier releases pass on as a result
    return event


def _end(event: ToolEvent, result: Any) -> None:
    failure = None if _failures is None else _failures.detect_tool_failure(result)
    if event in _tells_no_failures:
        event.end_unknown(result)
    elif failure is None:
        event.succeed(result)
    elif failure.reason == "usage_limit":
        recorder.withdraw(event)  # it was not run
    else:
        event.fail(failure.as_agent_message(), result)


def _reading(original: Callable[..., Any]) -> Callable[..., Any]:
    def read(self: Any, tool: str, input: str) -> Any:
        result = original(self, tool, input)
        if result is not None and recorder.listening():
            _note_cached(tool, input, result)
        return result

    return read


@guarded(ADAPTER)
def _note_cached(tool: str, arguments: str, result: Any) -> None:
    if agent_at_work() is None:
        return  # CrewAI caches other things, too, in what builds crews
    event = recorder.start_tool(tool, arguments, adapter=ADAPTER, call_id=asked_in_text(tool))
    if event is not None:
        event.succeed(result, cached=True)
