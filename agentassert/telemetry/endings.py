"""How an event ends by what its span tells, and what other spans of the same work add to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentassert import recorder
from agentassert.jsonlike import snapshot
from agentassert.recording.events import Event, InvocationEvent, ModelCallEvent, RetrievalEvent, ToolEvent
from agentassert.records import NOT_RECORDED, ChatModelCall, EmbeddingModelCall, ModelCall, Outcome, ScoringModelCall
from agentassert.telemetry.agents import input_of, name_of, output_of
from agentassert.telemetry.attributes import is_cut_off
from agentassert.telemetry.calls import CallFacts
from agentassert.telemetry.faults import error_of, has_failed, is_block, is_cancellation, is_suspension
from agentassert.telemetry.retrievals import sources_of
from agentassert.telemetry.roles import Role
from agentassert.telemetry.sight import Sight, doubt
from agentassert.telemetry.spans import Span
from agentassert.telemetry.tools import ToolFacts

KINDS: Final[Mapping[Role, type[ModelCall]]] = {
    Role.CHAT: ChatModelCall,
    Role.EMBEDDING: EmbeddingModelCall,
    Role.SCORING: ScoringModelCall,
}


def end_invocation(event: InvocationEvent, span: Span) -> None:
    """End a run of an agent; what started with little is told of in full when it is over."""
    event.name, event.input = name_of(span), snapshot(input_of(span))
    output, text = output_of(span)
    if not has_failed(span):
        event.complete(output, text)
        return
    output = None if output is NOT_RECORDED else output  # what fails may produce nothing
    error = error_of(span)
    exception = error if isinstance(error, BaseException) else None
    if is_suspension(error):
        event.suspend(output, text)
    elif is_cancellation(error):
        event.cancel(exception, output)
    elif is_block(error):
        event.block(error, output)
    else:
        event.fail(error, output)


def end_tool(event: ToolEvent, facts: ToolFacts) -> None:
    """End a tool execution."""
    event.name, event.call_id = facts.name, facts.call_id
    if facts.arguments is not None:
        event.arguments = snapshot(facts.arguments)
    for what, value in (("arguments", facts.arguments), ("result", facts.result)):
        if is_cut_off(value):
            doubt(event, f"the {what} of {facts.name!r} were cut off where its span was written")
    error = facts.error
    if error is None and not facts.has_result:
        _end_without_content(event)
    elif error is None:
        event.succeed(facts.result)
    elif is_suspension(error) or is_cancellation(error):
        event.cancel(error if isinstance(error, BaseException) else None)
    else:
        event.fail(error, facts.result)


def _end_without_content(event: ToolEvent) -> None:
    """End a tool execution of which only the function behind it may have told what came of it."""
    inner = event.inner
    if inner is None or inner.outcome not in (Outcome.SUCCEEDED, Outcome.FAILED):
        event.succeed(None)
        event.result = NOT_RECORDED
    elif inner.error is None:
        event.succeed(inner.result, inner.raw_result)
    else:
        event.fail(inner.error, inner.result)


def end_call(event: ModelCallEvent, facts: CallFacts, sight: Sight) -> None:
    """End a model call."""
    _complete_call(event, facts)
    if facts.error is not None:
        event.fail(facts.error)
        sight.saw_call(event, with_content=True)
    else:
        event.respond(
            text=facts.text,
            finish_reason=facts.finish_reason,
            usage=facts.usage,
            requests=[dict(one) for one in facts.requests or ()],
        )
        sight.saw_call(event, with_content=facts.requests is not None)
    if facts.cut_off:
        doubt(event, f"the messages of {event.model or 'a model call'!r} were cut off where its span was written")


def end_retrieval(event: RetrievalEvent, span: Span) -> None:
    """End a retriever's work; one whose findings were not captured is taken back, since nobody knows them."""
    sources = sources_of(span)
    if sources is not None:
        event.retrieve(sources)
    elif has_failed(span):
        event.fail()
    else:
        recorder.withdraw(event)


def correct(event: Event, facts: ToolFacts | CallFacts) -> None:
    """Let a tool execution have failed of which only the other span says so: the model was told of it as of a result."""
    if isinstance(event, ToolEvent) and event.outcome is Outcome.SUCCEEDED and facts.error is not None:
        event.outcome, event.error = Outcome.FAILED, facts.error
        event.changed()


def complete(event: Event, facts: ToolFacts | CallFacts) -> None:
    """Add to an event that is over what another span of the same work tells."""
    if isinstance(event, ToolEvent) and isinstance(facts, ToolFacts):
        event.call_id = event.call_id or facts.call_id
        if event.arguments is None:
            event.arguments = snapshot(facts.arguments)
        if event.raw_result is None and facts.has_result:
            event.result, event.raw_result = snapshot(facts.result), facts.result
    elif isinstance(event, ModelCallEvent) and isinstance(facts, CallFacts):
        _complete_call(event, facts)
        event.text = facts.text if event.text is None else event.text
        event.requests = event.requests or [snapshot(one) for one in facts.requests or ()]
        event.raw_finish_reason = event.raw_finish_reason or facts.finish_reason
        event.usage = event.usage or facts.usage
    event.changed()


def timed(event: Event, at: float) -> None:
    """Let an event have ended at a moment of the spans' own time."""
    if event.ended is not None:
        event.ended = at
    if isinstance(event, InvocationEvent) and event.history:
        event.history[-1] = event.history[-1]._replace(at=at)


def _complete_call(event: ModelCallEvent, facts: CallFacts) -> None:
    event.model = event.model or facts.model
    if not event.inputs and facts.inputs:
        event.inputs = snapshot(list(facts.inputs))
    if event.tools_offered is None and facts.tools_offered is not None:
        event.tools_offered = tuple(facts.tools_offered)
