"""What an interrupt is answered with, in the form in which the code that asked wants it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agentassert.adapters.driver import Answer


def resume_value(payload: Any, answers: Sequence[Answer]) -> Any:
    """What to resume an interrupt with.

    LangChain's middlewares say in their payload how they want to be answered. Any other interrupt gets `True` or `False`, or what the
    decision gives as its response: JSON as its value, other text as it is.

    Args:
        payload: of the interrupt.
        answers: one for each of its questions.
    """
    requests = payload if isinstance(payload, list) else [payload]
    first = next((one for one in requests if isinstance(one, Mapping)), {})
    if first.get("type") == "tool_approval":
        return _decision(answers[0])
    if "action_requests" in first:
        return {"decisions": [_decision(one) for one in answers]}
    if isinstance(first.get("action_request"), Mapping):
        return [_inbox_response(one) for one in answers]
    return _plain(answers[0])


def _decision(answer: Answer) -> dict[str, Any]:
    """As `HumanInTheLoopMiddleware` takes it."""
    if answer.response is not None:
        return {"type": "respond", "message": answer.response}
    return {"type": "approve"} if answer.approves else {"type": "reject", "message": answer.words}


def _inbox_response(answer: Answer) -> dict[str, Any]:
    """As agent inboxes give it."""
    if answer.response is not None:
        return {"type": "response", "args": answer.response}
    return {"type": "accept", "args": None} if answer.approves else {"type": "ignore", "args": answer.reason}


def _plain(answer: Answer) -> Any:
    if answer.response is None:
        return answer.approves
    try:
        return json.loads(answer.response)
    except ValueError:
        return answer.response
