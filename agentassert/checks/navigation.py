"""The way from an invocation to one of its model calls, or to a part of its output."""

from __future__ import annotations

from typing import Any

from agentassert import render
from agentassert.checks.paths import MISSING, Path
from agentassert.checks.view import View, depends_on_strays
from agentassert.failures import Failure
from agentassert.records import ChatModelCall


def own_chat_model_call(view: View, index: int) -> Failure | ChatModelCall:
    """One of the own chat model calls in scope, unless strays may move another one to its place."""
    expected = f"to have a chat model call of its own at index {index}"
    calls = [call for call in view.model_calls if isinstance(call, ChatModelCall) and call.own]
    own = [call for call in calls if call.id not in view.stray_ids]
    if -len(own) <= index < len(own):
        found = own[index]
        strays = [call for call in calls if call.id in view.stray_ids]
        if not any((stray.started_order < found.started_order) == (index >= 0) for stray in strays):
            return found
    elif not -len(calls) <= index < len(calls):
        return _no_such_call(view, expected, index, len(own))
    return depends_on_strays(expected, "model calls")


def _no_such_call(view: View, expected: str, index: int, count: int) -> Failure:
    unseen = view.cannot_see(expected, "chat model calls", "chat")
    return unseen or Failure(expected=expected, found=f"but it made {count or 'none'}", wanted=index, actual=count)


def at(path: Path, output: Any) -> Failure | tuple[Any]:
    """What the path leads to: the value for a definite path, else the list of all matches."""
    found = path.find(output)
    if found is not MISSING:
        return (found,)
    return Failure(expected=f"to have an output with {path.text}", found=f"but it was {render.value(output)}", actual=output)
