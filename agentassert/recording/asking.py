"""People who are asked by hand-written agents whether a tool may run."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from agentassert import recorder
from agentassert.doubles import active
from agentassert.recording.guarding import ADAPTER, Suspension, started
from agentassert.records import Decision

_GRANTING: Final = (Decision.APPROVE, Decision.EDIT)


@attrs.frozen
class ApprovalAnswer:
    """What a function that is decorated with `record.approver` gives: true when the tool may run.

    Args:
        decision: `approve`, `edit`, `reject` or `timeout`.
        reason: the words that came with it.
        response: what the person told beyond that.

    Raises:
        ValueError: when the decision is none of these.

    Example:
        >>> bool(ApprovalAnswer("approve")), bool(ApprovalAnswer("reject", "too much"))
        (True, False)
    """

    decision: Decision = attrs.field(converter=Decision)
    reason: str | None = None
    response: str | None = None

    def __bool__(self) -> bool:
        return self.decision in _GRANTING


def decorate_approver(function: Any) -> Any:
    """`function`, each call a question to a person: recorded, and answered in the person's place while the agent is driven."""
    if not callable(function):
        raise TypeError(f"only a function can ask for approval, but was given {function!r}")
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def ask(tool: str, arguments: Mapping[str, Any], *args: Any, **kwargs: Any) -> ApprovalAnswer:
            answer = _answered_for(tool, arguments)
            if answer is None:
                answer = _read(await function(tool, arguments, *args, **kwargs), function)
            return _decided(tool, arguments, answer)

        return ask

    @functools.wraps(function)
    def ask_now(tool: str, arguments: Mapping[str, Any], *args: Any, **kwargs: Any) -> ApprovalAnswer:
        answer = _answered_for(tool, arguments)
        if answer is None:
            answer = _read(function(tool, arguments, *args, **kwargs), function)
        return _decided(tool, arguments, answer)

    return ask_now


def _answered_for(tool: str, arguments: Mapping[str, Any]) -> ApprovalAnswer | None:
    """Record the question; the answer of whoever stands in for a person, if someone does."""
    if not isinstance(tool, str) or not isinstance(arguments, Mapping):
        raise TypeError(f"an approver is asked with a tool's name and a mapping of its arguments, not {tool!r}, {arguments!r}")
    started(recorder.add_approval, tool, arguments, adapter=ADAPTER)
    human = active.current().human
    if human is None:
        return None
    answer = human(tool, arguments)
    if answer is None:
        raise Suspension(f"nothing was decided about {tool!r}")
    return answer


def _decided(tool: str, arguments: Mapping[str, Any], answer: ApprovalAnswer) -> ApprovalAnswer:
    started(recorder.add_approval, tool, arguments, adapter=ADAPTER, decision=answer.decision, reason=answer.reason)
    return answer


def _read(given: Any, function: Callable[..., Any]) -> ApprovalAnswer:
    if isinstance(given, ApprovalAnswer):
        return given
    if isinstance(given, bool):
        return ApprovalAnswer(Decision.APPROVE if given else Decision.REJECT)
    if isinstance(given, str) and given in (*_GRANTING, Decision.REJECT, Decision.TIMEOUT):
        return ApprovalAnswer(Decision(given))
    if isinstance(given, types.CoroutineType):
        given.close()
        raise TypeError(f"{function!r} gave a coroutine; decorate the coroutine function itself with record.approver")
    raise TypeError(
        f"an approver gives True, False, 'approve', 'edit', 'reject', 'timeout' or an ApprovalAnswer, but {function!r} gave {given!r}"
    )
