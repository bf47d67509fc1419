"""The tools that run in this process, and doubles in their place."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import holding, inside
from agentassert.adapters.claude_agent_sdk import ADAPTER
from agentassert.adapters.claude_agent_sdk.messages import text_of, value_of
from agentassert.adapters.hooks import recorded
from agentassert.adapters.patching import replace
from agentassert.doubles import active
from agentassert.doubles.sets import Call as DoubleCall
from agentassert.recording.events import InvocationEvent, ToolEvent

_ATTRIBUTE: Final = "handler"


class Call:
    """A request of Claude Code that is being answered; `name` and `arguments` are those of a tool that it calls."""

    __slots__ = ("arguments", "event", "is_taken", "name")

    def __init__(self, event: InvocationEvent | ToolEvent, name: str | None, arguments: Any) -> None:
        self.event = event
        self.name = name
        self.arguments = arguments
        self.is_taken = name is None


_current: ContextVar[Call | None] = ContextVar("agentassert_claude_call", default=None)
_under_way: Final[list[Call]] = []


@contextmanager
def calls(call: Call) -> Iterator[None]:
    """What happens in the block is part of the call."""
    _under_way.append(call)
    try:
        with holding(_current, call), inside(call.event):
            yield
    finally:
        _under_way.remove(call)


def _taken(name: str, arguments: Any) -> ToolEvent | None:
    """The execution that a function is called for; a server of mcp 1 calls it in the context of its start, not in that of the call."""
    own = _current.get()
    others = sorted(_under_way, key=lambda call: not recorder.listens(call.event))
    for call in others if own is None else (own, *others):
        if not call.is_taken and (call.name, call.arguments) == (name, arguments) and isinstance(call.event, ToolEvent):
            call.is_taken = True
            return call.event
    return None


class Handler:
    """In the place of the attribute that holds a tool's function, of tools that were made before, too."""

    def __get__(self, tool: Any, owner: type | None = None) -> Any:
        if tool is None:
            return self
        function = vars(tool)[_ATTRIBUTE]
        return _performing(tool.name, function) if recorder.listening() or active.current().doubles else function

    def __set__(self, tool: Any, function: Any) -> None:
        vars(tool)[_ATTRIBUTE] = getattr(function, "_agentassert_function", function)


def hook(kind: type) -> None:
    """Hook into where the tools of the SDK keep their functions."""
    replace(kind, _ATTRIBUTE, lambda _: Handler())


@functools.cache
def install_doubles() -> None:
    """Have doubles looked for also where nothing is captured."""
    from claude_agent_sdk import SdkMcpTool

    hook(SdkMcpTool)


def _performing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    async def handler(arguments: Any) -> Any:
        double = active.stand_in(name)
        if double is None:
            return await function(arguments)
        return _result(await double.awaited(DoubleCall(arguments)))

    perform: Any = recorded(ADAPTER, functools.partial(_taken, name), _end, kind="coroutine")(handler)
    wrapped: Any = functools.update_wrapper(perform, function)
    wrapped._agentassert_function = function  # noqa: SLF001
    return wrapped  # type: ignore[no-any-return]


def _result(value: Any) -> Any:
    """What a double gives, as the result of a tool of the SDK."""
    if isinstance(value, Mapping) and "content" in value:
        return value
    return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value, default=str)}]}


def _end(event: ToolEvent, result: Any) -> None:
    content = result.get("content")
    if result.get("is_error"):
        event.fail(text_of(content), text_of(content))
    else:
        event.succeed(value_of(content), result)
