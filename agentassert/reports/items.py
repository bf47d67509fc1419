"""What happens inside an invocation, as nodes: model calls, tool executions, requests, approvals, sources, changes of a conversation."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from agentassert import render
from agentassert.conversation_events import ConversationEvent, ConversationEventKind
from agentassert.failures import counted
from agentassert.records import (
    NOT_RECORDED,
    Approval,
    ChatModelCall,
    Decision,
    EmbeddingModelCall,
    FinishReason,
    ModelCall,
    ModerationModelCall,
    Outcome,
    ScoringModelCall,
    Source,
    Sources,
    ToolExecution,
    ToolExecutionRequest,
)
from agentassert.reports import values
from agentassert.reports.nodes import Field, Limits, Node, Span, Tone
from agentassert.text.masking import is_secret_name

_MOST_MESSAGES: Final = 6
_LONGEST_NAME: Final = 100
_TONE_OF_OUTCOME: Final = {Outcome.SUCCEEDED: Tone.PLAIN, Outcome.FAILED: Tone.BAD}
_TONE_OF_DECISION: Final = {Decision.REJECT: Tone.BAD, Decision.TIMEOUT: Tone.BAD, Decision.PENDING: Tone.DOUBT}
_EXPECTED_ENDINGS: Final = (None, FinishReason.STOP, FinishReason.TOOL_EXECUTION)


def name(text: str) -> Span:
    """The name of something."""
    return Span(render.words(text, _LONGEST_NAME), Tone.STRONG)


def tool(one: ToolExecution, number: int, checked: Collection[str] | None, nested: Sequence[Node], limits: Limits) -> Node:
    """A tool execution with the invocations that it started; with `checked` it says whether it was checked."""
    doubtful = one.outcome is Outcome.SUCCEEDED and one.result is NOT_RECORDED
    ending = Tone.QUIET if doubtful else _TONE_OF_OUTCOME.get(one.outcome, Tone.DOUBT)
    marks = {"outcome": one.outcome.value}
    badges = [
        *([Span(f"attempt {one.attempt}", Tone.DOUBT)] if one.attempt > 1 else []),
        *([Span("cached", Tone.QUIET)] if one.cached else []),
        *([Span("inferred", Tone.QUIET)] if one.inferred else []),
    ]
    if checked is not None:
        is_checked = one.id in checked
        marks["checked"] = "yes" if is_checked else "no"
        badges.append(Span("✓ checked", Tone.GOOD) if is_checked else Span("unchecked", Tone.DOUBT))
    return Node(
        kind="tool",
        line=(
            Span(f"[{number}] ", Tone.QUIET),
            name(one.name),
            Span(f"({render.arguments(one.arguments, one.raw_arguments, limit=limits.line)})"),
            Span(render.ending(one, limits.line), ending),
        ),
        badges=tuple(badges),
        facts=values.known(values.seconds(one.duration)),
        fields=tuple(_tool_fields(one, limits)),
        below=tuple(nested),
        marks=marks,
        expanded=bool(nested),
    )


def model_call(one: ModelCall, never_ran: Collection[int], limits: Limits) -> Node:
    """A model call; `never_ran` holds the identities of requests that no tool execution answered."""
    chat = one if isinstance(one, ChatModelCall) else None
    badges = [
        *([Span("not the agent's own", Tone.QUIET)] if chat and not chat.own else []),
        *([Span(f"{one.attempts} attempts", Tone.DOUBT)] if one.attempts > 1 else []),
        *([Span("cached", Tone.QUIET)] if one.cached else []),
        *(
            [Span(f"finish reason: {chat.finish_reason}", Tone.DOUBT)]
            if chat and chat.finish_reason not in _EXPECTED_ENDINGS
            else []
        ),
    ]
    requests = chat.tool_execution_requests if chat else ()
    below = tuple(_never_run(request, limits) for request in requests if id(request) in never_ran)
    return Node(
        kind="model",
        line=(
            Span("model " if chat else f"{one.kind} model ", Tone.QUIET),
            Span(render.words(one.model or "of unknown name", _LONGEST_NAME)),
            _answer(one, limits),
        ),
        badges=tuple(badges),
        facts=values.known(values.tokens(one.token_usage), values.seconds(one.duration)),
        fields=tuple(_model_fields(one, limits)),
        below=below,
        marks={"outcome": "failed" if one.failed else "succeeded"},
        expanded=bool(below),
    )


def approval(one: Approval, limits: Limits) -> Node:
    """A human decision."""
    reason = "" if one.reason is None else f" {render.value(one.reason, limit=limits.line)}"
    return Node(
        kind="approval",
        line=(
            Span("approval ", Tone.QUIET),
            name(one.tool),
            Span(f"({render.arguments(one.arguments, limit=limits.line)})"),
            Span(f" -> {one.decision}{reason}", _TONE_OF_DECISION.get(one.decision, Tone.GOOD)),
        ),
        marks={"decision": one.decision.value},
    )


def sources(found: Sources, limits: Limits) -> Iterator[Node]:
    """What was retrieved; nothing where no retriever was seen."""
    if found is NOT_RECORDED:
        return
    shown = render.chosen(len(found), limits.items // 4)
    left_out = len(found) - len(shown)
    more = (Node(kind="more", line=(Span(f"… {left_out:,} more sources …", Tone.QUIET),)),) if left_out else ()
    words = counted(len(found), "source") if found else "no sources were retrieved"
    yield Node(kind="sources", line=(Span(words, Tone.QUIET),), below=(*(_source(found[at], limits) for at in shown), *more))


def event(one: ConversationEvent, limits: Limits) -> Node:
    """A change of the state of a conversation."""
    words = one.kind.value.replace("_", " ")
    if one.kind is ConversationEventKind.SLOT_SET:
        told = f" = {render.value(one.value, limit=limits.line, secret=is_secret_name(one.name))}"
    else:
        told = "" if one.step is None else f" at {render.words(one.step, _LONGEST_NAME)}"
    return Node(kind="event", line=(Span(f"{words} ", Tone.QUIET), name(one.name), Span(told)))


def _answer(one: ModelCall, limits: Limits) -> Span:
    if one.error is not None:
        return Span(f" FAILED {render.error(one.error, limit=limits.line)}", Tone.BAD)
    if not isinstance(one, ChatModelCall):
        return Span("" if one.completed else " UNFINISHED", Tone.DOUBT)
    asked = ", ".join(render.words(request.name, _LONGEST_NAME) for request in one.tool_execution_requests[:_MOST_MESSAGES])
    more = len(one.tool_execution_requests) - _MOST_MESSAGES
    if asked:
        return Span(f" -> asks for {asked}" + (f" and {more:,} more" if more > 0 else ""))
    if one.response_text is not None:
        return Span(f" -> {render.value(one.response_text, limit=limits.line)}")
    return Span(" (no text recorded)", Tone.QUIET) if one.completed else Span(" UNFINISHED", Tone.DOUBT)


def _never_run(one: ToolExecutionRequest, limits: Limits) -> Node:
    called = f"({render.arguments(one.arguments, one.raw_arguments, limit=limits.line)})"
    line = (Span("requested ", Tone.QUIET), name(one.name), Span(called), Span(" never ran", Tone.DOUBT))
    return Node(kind="request", line=line, marks={"outcome": "never-ran"})


def _source(one: Source, limits: Limits) -> Node:
    return Node(
        kind="source",
        line=(Span(render.value(one.text, limit=limits.line)),),
        facts=() if one.score is None else (f"score {render.value(one.score, limit=40)}",),
        fields=(
            *(() if values.fits(one.text, limits.line) else (values.field("text", one.text, limits),)),
            *((values.field("metadata", one.metadata, limits),) if one.metadata else ()),
        ),
    )


def _tool_fields(one: ToolExecution, limits: Limits) -> Iterator[Field]:
    if one.arguments is not None:
        yield values.field("arguments", one.arguments, limits) if one.arguments else Field("arguments", "none")
    elif one.raw_arguments is None:
        yield Field("arguments", "not recorded")
    else:
        yield values.field("arguments, not parsed", one.raw_arguments, limits)
    if one.outcome is Outcome.SUCCEEDED or one.result is not None:
        yield values.field("result", one.result, limits)
    if one.error is not None:
        yield from values.errors(one.error, limits)
    if one.outcome not in (Outcome.SUCCEEDED, Outcome.FAILED):
        yield Field("outcome", "may never have run: nothing answered" if one.may_not_have_run else one.outcome.value)
    if one.call_id is not None:
        yield Field("call id", render.words(one.call_id, _LONGEST_NAME))
    if one.started_at is not None:
        yield Field("started", values.moment(one.started_at))


def _model_fields(one: ModelCall, limits: Limits) -> Iterator[Field]:
    if isinstance(one, ChatModelCall):
        yield from _messages(one, limits)
        if one.response_text is not None:
            yield values.field("response", one.response_text, limits)
        for request in one.tool_execution_requests:
            called = render.arguments(request.arguments, request.raw_arguments, limit=limits.room())
            yield limits.spend(Field("asks for", f"{render.words(request.name, _LONGEST_NAME)}({called})"))
        if one.tools_offered is not None:
            yield Field("tools offered", render.words(", ".join(map(str, one.tools_offered)), limits.room()) or "none")
        if one.raw_finish_reason is not None or one.finish_reason is not None:
            yield Field("finish reason", render.words(str(one.raw_finish_reason or one.finish_reason), _LONGEST_NAME))
    elif isinstance(one, (EmbeddingModelCall, ScoringModelCall, ModerationModelCall)):
        yield values.field("inputs", one.inputs, limits)
    if one.error is not None:
        yield from values.errors(one.error, limits)
    if one.started_at is not None:
        yield Field("started", values.moment(one.started_at))


def _messages(one: ChatModelCall, limits: Limits) -> Iterator[Field]:
    earlier = len(one.messages) - _MOST_MESSAGES
    if earlier > 0:
        yield Field("messages", f"{earlier:,} earlier ones, not shown")
    for message in one.messages[-_MOST_MESSAGES:]:
        content = message.get("content")
        rest = {key: value for key, value in message.items() if key not in ("role", "content") and value is not None}
        has_none = content is None or (type(content) is str and not content)
        role = render.words(str(message.get("role", "message")), 40)
        yield values.field(role, rest if has_none and rest else content, limits)
