"""The way from an invocation to one of its model calls, or to a part of its output."""

from __future__ import annotations

from typing import Any

from agentassert import render
from agentassert.checks.hidden import hidden_output
from agentassert.checks.paths import MISSING, Path, detached
from agentassert.checks.view import View, depends_on_strays
from agentassert.failures import Failure
from agentassert.jsonlike import decode
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


def output(view: View) -> Failure | tuple[Any]:
    """What the invocation produced, `None` too, as long as somebody saw it."""
    return hidden_output("to have a known output", view.root) or (detached(view.root.output),)


def output_text(view: View) -> Failure | tuple[str]:
    """The text that it produced."""
    text = view.root.output_text
    if text is not None:
        return (text,)
    expected = "to have an output text"
    advice = "If that is what the test expects: output().is_none()."
    return hidden_output(expected, view.root) or Failure(expected=expected, found="but it produced None", advice=advice)


def output_at(view: View, path: Path) -> Failure | tuple[Any]:
    """What the path leads to: the value for a definite path, else the list of all matches."""
    expected = f"to have an output with {path.text}"
    hidden = hidden_output(expected, view.root)
    if hidden is not None:
        return hidden
    output = view.root.output
    output = decode(output) if isinstance(output, str) else detached(output)
    found = path.find(output)
    if found is not MISSING:
        return (found,)
    return Failure(expected=expected, found=f"but it was {render.value(output)}", actual=output)
