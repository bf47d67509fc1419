"""Tools that may have run without a trace, because the answer that asked for them was not seen.

A loop over a raw SDK tells of its tools by what its requests and responses hold, and by nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agentassert.checks.view import View
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure
from agentassert.records import ChatModelCall, FinishReason, Invocation, ModelCall
from agentassert.stored.message_lists import MESSAGE_LISTS

BY_HAND: Final = "record"
_HOW_TO_SEE: Final = (
    "Read the response by the SDK itself (a stream to its end), have instrumentation write content, or decorate the tools with "
    "`@record.tool` and record the call with `record.model_call(...)`."
)
_HOW_TO_STORE: Final = (
    "Store the whole list of messages: up to the model's last answer, each result after its request, and without items that "
    "stand for others."
)


def unseen_executions(view: View, expected: str | Callable[[], str]) -> Failure | None:
    """Why nobody knows that no further tool ran, or `None`; what was expected, or what says so when it is needed."""
    for invocation in view.everywhere:
        if _is_a_loop(invocation) and any(_may_have_asked(view, call) for call in invocation.model_calls):
            return Failure(
                expected=expected if isinstance(expected, str) else expected(),
                found="but a chat model call ended without an answer that was seen, and tools that it asked for may have run",
                advice=_HOW_TO_STORE if MESSAGE_LISTS.issuperset(invocation.recorded_by) else _HOW_TO_SEE,
                kind=NotRecordedError,
            )
    return None


def _is_a_loop(invocation: Invocation) -> bool:
    """Whether it is written by hand over calls that somebody else recorded."""
    return invocation.implicit or (invocation.framework == BY_HAND and any(one != BY_HAND for one in invocation.recorded_by))


def _may_have_asked(view: View, call: ModelCall) -> bool:
    if not isinstance(call, ChatModelCall) or not call.own or call.failed:
        return False
    if not call.completed:
        return call.duration is not None or not view.is_open
    return call.finish_reason is FinishReason.TOOL_EXECUTION and not call.tool_execution_requests
