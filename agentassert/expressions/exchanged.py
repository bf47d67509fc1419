"""What a tool execution was sent and what it returned, as far as that was recorded."""

from __future__ import annotations

from typing import Any, Final

from agentassert.checks.paths import MISSING
from agentassert.checks.view import View
from agentassert.jsonlike import snapshot
from agentassert.records import NOT_RECORDED, Outcome, ToolExecution

_ANSWER_FIELDS: Final = frozenset({"is_error", "parts"})
_IS_ERROR: Final = {Outcome.SUCCEEDED: False, Outcome.FAILED: True, Outcome.UNKNOWN: NOT_RECORDED}


def sent(execution: ToolExecution) -> Any:
    """What an expression reads as its arguments: `MISSING` when they are no object, `NOT_RECORDED` when nobody saw them."""
    if execution.arguments is not None:
        return execution.arguments
    return NOT_RECORDED if execution.raw_arguments is None else MISSING


def returned(view: View, execution: ToolExecution, keys: frozenset[str | int]) -> Any:
    """What an expression reads as its result: `MISSING` without a recorded return, `NOT_RECORDED` while one may still come.

    Args:
        view: what is looked at.
        execution: the execution.
        keys: what the expression reads from the result. When that is `is_error` or `parts`, which MCP servers answer with, an answer
            that says that the tool failed is a result, too.
    """
    if view.is_running(execution) or execution.may_not_have_run:
        return NOT_RECORDED
    if execution.result is NOT_RECORDED and keys != {"is_error"}:
        return NOT_RECORDED
    if keys & _ANSWER_FIELDS and execution.outcome in _IS_ERROR and not (execution.failed and execution.result is None):
        own = execution.result if type(execution.result) is dict else {}
        return {"is_error": _IS_ERROR[execution.outcome], **_parts(execution), **own}
    return execution.result if execution.outcome in (Outcome.SUCCEEDED, Outcome.UNKNOWN) else MISSING


def _parts(execution: ToolExecution) -> dict[str, Any]:
    """The parts of what an MCP server answered, which has the same shape whatever client it was called with."""
    answer = snapshot(execution.raw_result)
    content = answer.get("content") if type(answer) is dict else None
    return {"parts": content} if type(content) is list else {}
