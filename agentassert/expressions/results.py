"""What an expression about the result of an invocation looks at, and what the result must be without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentassert import render
from agentassert.checks.view import NO_MARKS, Marks, View
from agentassert.errors import AgentAssertionError, NotRecordedError
from agentassert.expressions.accessors import Either
from agentassert.expressions.expression import Expression, Verdict
from agentassert.failures import Failure
from agentassert.jsonlike import decode
from agentassert.records import NOT_RECORDED, Decision, Invocation, Status
from agentassert.stored.recorded_errors import message_of

_HOW_TO_EXPECT_IT = "If that is what the test expects, say so in the expression, by `status` or `error`."
_HOW_TO_RECORD = "Nobody recorded that, and the expression may hold or not depending on it."


def result(view: View, expression: Expression | None, context: Mapping[str, Any]) -> Failure | Marks:
    """The invocation completed and satisfies the expression; one that looks at `status` or `error` decides alone."""
    expected = "to have completed" if expression is None else f"to satisfy {expression.text}"
    decides_alone = expression is not None and expression.mentions("status", "error")
    if view.root.status is not Status.COMPLETED and not decides_alone:
        found, advice = f"but {_ended(view.root)}", _way_out(view.root)
        return Failure(expected=expected, found=found, advice=advice, wanted=_text(expression), actual=view.root.status)
    if expression is None:
        return NO_MARKS
    verdict = expression.evaluate({**_values(view.root), "context": context})
    return NO_MARKS if verdict.satisfied else not_satisfied(expected, verdict, wanted=expression.text)


def not_satisfied(expected: str, verdict: Verdict, *, wanted: Any = None) -> Failure:
    """The failure of an expression that does not hold, or that nobody can decide."""
    reasons = verdict.reasons
    return Failure(
        expected=expected,
        found=f"but {reasons[0]}" if len(reasons) == 1 else "but it does not",
        details=() if len(reasons) == 1 else reasons,
        advice=_HOW_TO_RECORD if verdict.unrecorded else None,
        kind=NotRecordedError if verdict.unrecorded else AgentAssertionError,
        wanted=wanted,
        differences=reasons,
    )


def error_text(invocation: Invocation) -> Any:
    """The message of the error that ended it, or `None`; `NOT_RECORDED` when it failed and nobody said why."""
    error = invocation.error
    if error is None:
        return NOT_RECORDED if invocation.status in (Status.FAILED, Status.BLOCKED) else None
    return error if isinstance(error, str) else message_of(error) or render.error(error)


def _values(invocation: Invocation) -> dict[str, Any]:
    return {
        "output": _output(invocation),
        "output_text": NOT_RECORDED if invocation.output is NOT_RECORDED else invocation.output_text,
        "error": error_text(invocation),
        "status": invocation.status.value,
    }


def _output(invocation: Invocation) -> Any:
    """The final text as the JSON that it holds; beside it the object, where the framework wraps the text in one."""
    output, text = invocation.output, invocation.output_text
    if type(output) is str:
        return decode(output)
    if text is None or text == render.json_text(output):
        return output
    return Either(decode(text), output)


def _ended(invocation: Invocation) -> str:
    if invocation.status is not Status.FAILED:
        return f"its status was {invocation.status.value!r}"
    error = error_text(invocation)
    if error is NOT_RECORDED:
        return "it failed"
    raised = invocation.error
    of_type = f" ({render.error_type(raised)})" if isinstance(raised, BaseException) and message_of(raised) else ""
    return f"it ended with an agent error: {render.error(error)}{of_type}"


def _way_out(invocation: Invocation) -> str:
    if invocation.status is not Status.AWAITING_APPROVAL:
        return _HOW_TO_EXPECT_IT
    waiting = dict.fromkeys(repr(one.tool) for one in invocation.approvals if one.decision is Decision.PENDING)
    tools = " and ".join(waiting) or "a tool"
    return f"Approval of {tools} is waited for: decide by `approval_decisions` (in Python `approvals=`). {_HOW_TO_EXPECT_IT}"


def _text(expression: Expression | None) -> str | None:
    return None if expression is None else expression.text
