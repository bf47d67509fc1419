"""What the model asked for, and what people decided about it."""

from __future__ import annotations

from collections.abc import Sequence

from agentassert import render
from agentassert.checks.arguments import ArgumentMatcher
from agentassert.checks.view import HOW_TO_PLACE, NO_MARKS, Marks, View
from agentassert.errors import AmbiguousError, NotRecordedError
from agentassert.failures import Failure, shortened
from agentassert.records import Approval, ChatModelCall, Decision, Invocation, ToolExecutionRequest


def requested(view: View, name: str) -> Failure | Marks:
    """A response asked for the tool, whether it ran or not."""
    expected = f"to have requested {name!r}"
    found = [one for one in view.requests if one.name == name]
    if found:
        return NO_MARKS if _is_own_request(view, found) else _undecided(expected, "requests")
    unseen = _unseen(view, expected)
    if unseen is not None:
        return unseen
    return Failure(expected=expected, found=_requests(view), wanted=name, actual=tuple(one.name for one in view.requests))


def none_requested(view: View, names: Sequence[str]) -> Failure | Marks:
    """No response asked for any of these tools, or for any tool at all."""
    expected = f"to have requested none of {', '.join(map(repr, names))}" if names else "to have requested no tool"
    found = [one for one in view.requests if not names or one.name in names]
    if _is_own_request(view, found):
        return Failure(expected=expected, found=_requests(view), actual=tuple(one.name for one in found))
    unseen = _unseen(view, expected)
    if unseen is not None:
        return unseen
    return _undecided(expected, "requests") if found else NO_MARKS


def unanswered(invocations: Sequence[Invocation]) -> dict[str, list[ToolExecutionRequest]]:
    """The requests that never ran, under the keys by which the books know them."""
    found: dict[str, list[ToolExecutionRequest]] = {}
    for invocation in invocations:
        for request in invocation.tool_execution_requests:
            if not request.answered:
                found.setdefault(f"{invocation.id}/{request.name}", []).append(request)
    return found


def approval_requested(view: View, tool: str, matcher: ArgumentMatcher | None, described: str) -> Failure | Marks:
    """A human was asked about the tool."""
    asked = [one for one in view.approvals if one.tool == tool]
    found = [one for one in asked if matcher is None or matcher.matches(one.arguments)]
    return _approvals(view, f"to have asked for approval of {tool!r}{described}", found)


def approved(view: View, tool: str) -> Failure | Marks:
    """A human approved the tool, as asked or edited."""
    found = [one for one in view.approvals if one.tool == tool and one.decision in (Decision.APPROVE, Decision.EDIT)]
    return _approvals(view, f"to have had {tool!r} approved", found)


def rejected(view: View, tool: str) -> Failure | Marks:
    """A human rejected the tool."""
    found = [one for one in view.approvals if one.tool == tool and one.decision is Decision.REJECT]
    return _approvals(view, f"to have had {tool!r} rejected", found)


def none_pending(view: View) -> Failure | Marks:
    """Every approval that was asked for was decided."""
    expected = "to have no pending approvals"
    pending = [one for one in view.approvals if one.decision is Decision.PENDING]
    if not pending:
        return _blind(view, expected) or NO_MARKS
    if not _is_own_approval(view, pending):
        return _undecided(expected, "approvals")
    found = f"but {len(pending)} {'waits' if len(pending) == 1 else 'wait'}"
    return Failure(expected=expected, found=found, details=shortened(pending, _approval), actual=tuple(pending))


def _approvals(view: View, expected: str, found: list[Approval]) -> Failure | Marks:
    if found:
        return NO_MARKS if _is_own_approval(view, found) else _undecided(expected, "approvals")
    blind = _blind(view, expected)
    if blind is not None:
        return blind
    if not view.approvals:
        return Failure(expected=expected, found="but no approval was recorded")
    found_instead = "but the only approval was" if len(view.approvals) == 1 else "but the approvals were"
    return Failure(expected=expected, found=found_instead, details=shortened(view.approvals, _approval), actual=view.approvals)


def _approval(approval: Approval) -> str:
    reason = f" ({render.value(approval.reason)})" if approval.reason else ""
    return f"{approval.tool}({render.arguments(approval.arguments, None)}): {approval.decision.value}{reason}"


def _blind(view: View, expected: str) -> Failure | None:
    return _cannot_see(view, expected, "approvals")


def _unseen(view: View, expected: str) -> Failure | None:
    """Without one recorded response nobody knows what was asked for."""
    if not any(isinstance(call, ChatModelCall) and call.own and call.id not in view.stray_ids for call in view.model_calls):
        found = "but no chat model call was recorded, so nobody knows"
        return Failure(expected=expected, found=found, kind=NotRecordedError)
    return _cannot_see(view, expected, "requests")


def _cannot_see(view: View, expected: str, aspect: str) -> Failure | None:
    blind = view.blind(aspect)
    if not blind:
        return None
    return Failure(expected=expected, found=f"but {', '.join(map(repr, blind))} cannot see {aspect}", kind=NotRecordedError)


def _is_own_request(view: View, found: list[ToolExecutionRequest]) -> bool:
    return view.is_certain(found, lambda invocation: invocation.tool_execution_requests)


def _is_own_approval(view: View, found: list[Approval]) -> bool:
    return view.is_certain(found, lambda invocation: invocation.approvals)


def _undecided(expected: str, what: str) -> Failure:
    found = f"but that depends on {what} recorded outside every invocation"
    return Failure(expected=expected, found=found, advice=HOW_TO_PLACE, kind=AmbiguousError)


def _requests(view: View) -> str:
    asked = ", ".join(sorted({repr(one.name) for one in view.requests}))
    return f"but the model requested {asked or 'no tool'}"
