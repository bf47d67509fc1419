"""What the model asked for, whether it ran or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentassert import render
from agentassert.checks.view import HOW_TO_WAIT, NO_MARKS, Marks, View, depends_on_strays
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure, shortened
from agentassert.records import ChatModelCall, Invocation, ToolExecutionRequest

_HOW_TO_RECORD: Final = "Requests are seen where the model answers, and nowhere else: by an adapter of its SDK or framework, or by `record.model_call(...)`."


def requested(view: View, name: str) -> Failure | Marks:
    """A response asked for the tool, whether it ran or not."""
    expected = f"to have requested {name!r}"
    found = [one for one in view.requests if one.name == name]
    if found:
        return NO_MARKS if _is_own(view, found) else depends_on_strays(expected, "requests")
    unseen = _unseen(view, expected)
    if unseen is not None:
        return unseen
    return Failure(expected=expected, found=_asked_for(view), wanted=name, actual=tuple(one.name for one in view.requests))


def none_requested(view: View, names: Sequence[str]) -> Failure | Marks:
    """No response asked for any of these tools, or for any tool at all."""
    expected = f"to have requested none of {', '.join(map(repr, names))}" if names else "to have requested no tool"
    found = [one for one in view.requests if not names or one.name in names]
    if _is_own(view, found):
        return Failure(expected=expected, found=_asked_for(view), actual=tuple(one.name for one in found))
    unseen = _unseen(view, expected)
    if unseen is not None:
        return unseen
    if found:
        return depends_on_strays(expected, "requests")
    silent = [call for call in view.model_calls if isinstance(call, ChatModelCall) and call.own and _is_silent(call)]
    if view.is_open and any(call.duration is None for call in silent):
        running = "but a chat model call has not ended, so nobody knows"
        return Failure(expected=expected, found=running, advice=HOW_TO_WAIT, kind=NotRecordedError)
    if silent:
        cut_off = "but a chat model call ended without an answer that was seen, so nobody knows"
        return Failure(expected=expected, found=cut_off, kind=NotRecordedError)
    return NO_MARKS


def unanswered(invocations: Sequence[Invocation]) -> dict[str, list[ToolExecutionRequest]]:
    """The requests that never ran, under their keys; of those of a loop over a raw SDK nobody knows, and they are executions."""
    found: dict[str, list[ToolExecutionRequest]] = {}
    for invocation in invocations:
        inferred = {(one.name, one.call_id) for one in invocation.tool_executions if one.inferred}
        for request in invocation.tool_execution_requests:
            if not request.answered and (request.name, request.call_id) not in inferred:
                found.setdefault(request_key(invocation, request.name), []).append(request)
    return found


def never_executed(invocations: Sequence[Invocation], *, is_open: bool = False) -> str:
    """The requests that never ran, in a line below a list of executions; empty without one."""
    asked = [one for requests in unanswered(invocations).values() for one in requests]
    if not asked:
        return ""
    title = "Requested, not executed so far" if is_open else "Requested, never executed"
    return f"{title}: {', '.join(shortened(asked, _called))}"


def request_key(invocation: Invocation, name: str) -> str:
    """The key by which the books know the requests for one tool in one invocation."""
    return f"{invocation.id}/{name}"


def _called(request: ToolExecutionRequest) -> str:
    return f"{render.words(request.name)}({render.arguments(request.arguments, request.raw_arguments)})"


def _unseen(view: View, expected: str) -> Failure | None:
    """Without one recorded response nobody knows what was asked for."""
    if not any(isinstance(call, ChatModelCall) and call.own and call.id not in view.stray_ids for call in view.model_calls):
        found = "but no chat model call was recorded, so nobody knows"
        return Failure(expected=expected, found=found, advice=_HOW_TO_RECORD, kind=NotRecordedError)
    return view.cannot_see(expected, "requests", "requests", advice=_HOW_TO_RECORD)


def _is_silent(call: ChatModelCall) -> bool:
    """Whether an answer may have come of which nobody knows what it asked for."""
    return not (call.completed or call.failed)


def _is_own(view: View, found: list[ToolExecutionRequest]) -> bool:
    return view.is_certain(found, lambda invocation: invocation.tool_execution_requests)


def _asked_for(view: View) -> str:
    asked = ", ".join(sorted({repr(one.name) for one in view.requests}))
    return f"but the model requested {asked or 'no tool'}"
