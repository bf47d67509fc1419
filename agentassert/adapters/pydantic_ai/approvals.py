"""Deferred tools: what a run waits for, what was decided, and the results that came from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import Any

from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults, ToolApproved, ToolDenied

from agentassert import recorder
from agentassert.adapters.base import guarded, holding
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.adapters.pydantic_ai.messages import arguments_of
from agentassert.adapters.pydantic_ai.runs import Run, running
from agentassert.adapters.pydantic_ai.tools import start, succeed
from agentassert.records import Decision

_deciding: ContextVar[bool] = ContextVar("agentassert_pydantic_ai_deciding", default=False)


def ask(run: Run, requests: DeferredToolRequests) -> None:
    """Record the approvals that a run waits for, each once."""
    for call in requests.approvals:
        if call.tool_call_id not in run.asked:
            run.asked.add(call.tool_call_id)
            _add(run, call, Decision.PENDING, None)


def answer(run: Run, calls: Iterable[Any], results: DeferredToolResults) -> None:
    """Record what was decided about `calls`, and the results of those that ran elsewhere."""
    by_id = {call.tool_call_id: call for call in calls}
    for call_id, decided in results.approvals.items():
        if call_id in by_id:
            run.asked.discard(call_id)
            _add(run, by_id[call_id], *_decision(decided))
    for call_id, result in results.calls.items():
        if call_id in by_id:
            _end(run, by_id[call_id], result)


def _add(run: Run, call: Any, decision: Decision, reason: str | None) -> None:
    recorder.add_approval(
        call.tool_name,
        arguments_of(call),
        adapter=ADAPTER,
        decision=decision,
        reason=reason,
        call_id=call.tool_call_id,
        parent=run.event,
    )


def _decision(decided: Any) -> tuple[Decision, str | None]:
    if isinstance(decided, ToolDenied):
        return Decision.REJECT, decided.message
    if isinstance(decided, ToolApproved) and decided.override_args is not None:
        return Decision.EDIT, None
    return (Decision.REJECT if decided is False else Decision.APPROVE), None


def _end(run: Run, call: Any, result: Any) -> None:
    """End a tool that began here, or one of which only the result was ever here."""
    event = run.deferred.pop(call.tool_call_id, None) or start(run, call, inferred=True)
    if event is None:
        return
    if isinstance(result, Exception):  # what asks the model to try again, or tells it of a failure
        event.fail(result)
    elif getattr(result, "part_kind", None) == "retry-prompt":
        event.fail(result.model_response(), result.content)
    else:
        succeed(event, result)


def recorded(original: Callable[..., Any]) -> Callable[..., Any]:
    """`CombinedCapability.handle_deferred_tool_calls`, recorded: capabilities may decide while the run goes on."""

    async def handle_deferred_tool_calls(self: Any, ctx: Any, *, requests: DeferredToolRequests) -> Any:
        run = running.get()
        if run is None or _deciding.get():
            return await original(self, ctx, requests=requests)
        with holding(_deciding, True):  # a combination of capabilities may hold another one
            results = await original(self, ctx, requests=requests)
        if results is not None:
            _decided(run, requests, results)
        return results

    return handle_deferred_tool_calls


@guarded(ADAPTER)
def _decided(run: Run, requests: DeferredToolRequests, results: DeferredToolResults) -> None:
    answer(run, [*requests.approvals, *requests.calls], results)
