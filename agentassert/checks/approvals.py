"""What people decided about the tools that they were asked about."""

from __future__ import annotations

from typing import Final

from agentassert import render
from agentassert.checks.arguments import ArgumentMatcher
from agentassert.checks.view import NO_MARKS, Marks, View, depends_on_strays
from agentassert.failures import Failure, shortened
from agentassert.records import Approval, Decision

_HOW_TO_RECORD: Final = (
    "Record what is asked and decided with `record.approval(tool, arguments, decision=…)`: "
    "has_approval_requested, has_tool_approved and has_tool_rejected find it."
)


def asked_for(view: View, tool: str, matcher: ArgumentMatcher | None, described: str) -> Failure | Marks:
    """A human was asked about the tool."""
    asked = [one for one in view.approvals if one.tool == tool]
    found = [one for one in asked if matcher is None or matcher.matches(one.arguments)]
    return _found(view, f"to have asked for approval of {tool!r}{described}", found)


def approved(view: View, tool: str) -> Failure | Marks:
    """A human approved the tool, as asked or edited."""
    found = [one for one in view.approvals if one.tool == tool and one.decision in (Decision.APPROVE, Decision.EDIT)]
    return _found(view, f"to have had {tool!r} approved", found)


def rejected(view: View, tool: str) -> Failure | Marks:
    """A human rejected the tool."""
    found = [one for one in view.approvals if one.tool == tool and one.decision is Decision.REJECT]
    return _found(view, f"to have had {tool!r} rejected", found)


def none_pending(view: View) -> Failure | Marks:
    """Every approval that was asked for was decided."""
    expected = "to have no pending approvals"
    pending = [one for one in view.approvals if one.decision is Decision.PENDING]
    if not pending:
        return _unseen(view, expected) or NO_MARKS
    if not _is_own(view, pending):
        return depends_on_strays(expected, "approvals")
    found = f"but {len(pending)} {'waits' if len(pending) == 1 else 'wait'}"
    return Failure(expected=expected, found=found, details=shortened(pending, _approval), actual=tuple(pending))


def _found(view: View, expected: str, found: list[Approval]) -> Failure | Marks:
    if found:
        return NO_MARKS if _is_own(view, found) else depends_on_strays(expected, "approvals")
    unseen = _unseen(view, expected)
    if unseen is not None:
        return unseen
    if not view.approvals:
        return Failure(expected=expected, found="but no approval was recorded")
    found_instead = "but the only approval was" if len(view.approvals) == 1 else "but the approvals were"
    return Failure(expected=expected, found=found_instead, details=shortened(view.approvals, _approval), actual=view.approvals)


def _approval(approval: Approval) -> str:
    reason = f" ({render.value(approval.reason)})" if approval.reason else ""
    return f"{approval.tool}({render.arguments(approval.arguments, None)}): {approval.decision.value}{reason}"


def _unseen(view: View, expected: str) -> Failure | None:
    return view.cannot_see(expected, "approvals", "approvals", advice=_HOW_TO_RECORD)


def _is_own(view: View, found: list[Approval]) -> bool:
    return view.is_certain(found, lambda invocation: invocation.approvals)
