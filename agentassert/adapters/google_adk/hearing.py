"""What ADK's events tell of the agent that they come from."""

from __future__ import annotations

from typing import Any

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.google_adk import ADAPTER
from agentassert.adapters.google_adk.approvals import ask
from agentassert.adapters.google_adk.messages import calls_in, text_of
from agentassert.adapters.google_adk.runs import Work
from agentassert.conversation_events import ConversationEventKind
from agentassert.recording.events import ModelCallEvent


@guarded(ADAPTER)
def hear(work: Work, event: Any) -> None:
    """An event came about while the agent works, perhaps from an agent that it runs, which hears it too."""
    if event.partial:
        return
    if event.is_final_response():
        work.output = _answer(event) or work.output
    if event.author != work.name and event.author in work.run.works:
        return
    for name, value in event.actions.state_delta.items():
        recorder.change_conversation(ConversationEventKind.SLOT_SET, str(name), adapter=ADAPTER, value=value, parent=work.event)
    ask(work, event)
    if work.call is not None:
        _identify(work.call, event)


def _answer(event: Any) -> Any:
    """What it says: text, or the output of a node of a workflow."""
    return (text_of(event.content) if event.content else "") or getattr(event, "output", None)


def _identify(call: ModelCallEvent, event: Any) -> None:
    """Give the requests of a response the ids that ADK makes for those that have none, and for those that it has seen before."""
    given = calls_in(event.content)
    if len(given) != len(call.requests) or any(one.name != old["name"] for one, old in zip(given, call.requests, strict=True)):
        return
    if any(one.id != old["call_id"] for one, old in zip(given, call.requests, strict=True)):
        call.requests = [{**old, "call_id": one.id} for one, old in zip(given, call.requests, strict=True)]
        call.changed()
