"""Confirmations: what a run waits for, and what was decided."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.messages import CONFIRMATION, all_calls_in, responses_in
from agentassert.adapters.google_adk.runs import Asked, Run, Work, position
from agentassert.records import Decision

_ORIGINAL: Final = "originalFunctionCall"


def asked_by(call: Any) -> Asked | None:
    """What a call of ADK's own asks a human to confirm; `None` where it is another call."""
    original = (call.args or {}).get(_ORIGINAL) if call.name == CONFIRMATION else None
    if not isinstance(original, Mapping):
        return None
    return Asked(str(original.get("name")), original.get("args") or {}, original.get("id"))


def ask(work: Work, event: Any) -> None:
    """Record what an event asks for, each once."""
    for call in all_calls_in(event.content):
        asked = asked_by(call)
        if asked is not None and call.id not in work.asked:
            work.asked[call.id] = asked
            _add(work, asked, Decision.PENDING)


def answered_in(message: Any) -> set[str]:
    """The ids of the requests that a user's message answers."""
    return {one.id for one in responses_in(message) if one.name == CONFIRMATION}


def deciding(original: Callable[..., Any]) -> Callable[..., Any]:
    """`PluginManager.run_on_user_message_callback`, which is told of the session in which the user's message answers something."""

    async def run_on_user_message_callback(self: Any, *args: Any, **kwargs: Any) -> Any:
        changed = await original(self, *args, **kwargs)
        work = position.get()
        if work is not None:
            message = kwargs.get("user_message") if changed is None else changed
            _decide(work.run, message, kwargs.get("invocation_context"))
        return changed

    return run_on_user_message_callback


@guarded(ADAPTER)
def _decide(run: Run, message: Any, context: Any) -> None:
    for response in responses_in(message):
        if response.name != CONFIRMATION:
            continue
        work, asked = _asked(run, response.id, context)
        confirmed = _confirmed(response.response)
        if asked is not None and confirmed is not None:
            _add(work, asked, Decision.APPROVE if confirmed else Decision.REJECT)


def _asked(run: Run, key: str, context: Any) -> tuple[Work, Asked | None]:
    """What a confirmation was asked for: known from this run, or, where another capture recorded that, or none, from the session."""
    for work in run.works.values():
        if key in work.asked:
            return work, work.asked.pop(key)
    calls = [call for event in context.session.events for call in all_calls_in(event.content) if call.id == key]
    return run.root, asked_by(calls[-1]) if calls else None


def _confirmed(response: Any) -> bool | None:
    """Whether it was; clients may send it as JSON text."""
    if isinstance(response, Mapping) and set(response) == {"response"}:
        response = json.loads(response["response"])
    return bool(response.get("confirmed")) if isinstance(response, Mapping) else None


def _add(work: Work, asked: Asked, decision: Decision) -> None:
    recorder.add_approval(
        asked.tool, asked.arguments, adapter=ADAPTER, decision=decision, call_id=asked.call_id, parent=work.event
    )
