"""Small builders of records, with ids and an order that are the same in every run."""

from __future__ import annotations

import itertools
from typing import Any

import attrs

from agentassert import (
    NOT_RECORDED,
    Approval,
    Capture,
    ChatModelCall,
    Decision,
    Invocation,
    Outcome,
    Source,
    Status,
    TokenUsage,
    ToolExecution,
    ToolExecutionRequest,
)
from agentassert.stored.captures import StoredCapture, dumps

FAILED, CANCELLED, UNFINISHED, UNKNOWN = Outcome.FAILED, Outcome.CANCELLED, Outcome.UNFINISHED, Outcome.UNKNOWN
KINDS = frozenset({"chat", "embedding", "scoring", "moderation"})
SEES_EVERYTHING = {"record": KINDS | {"tool_failures", "sources", "approvals", "requests"}}


def execution(name, arguments=None, result="ok", *, error=None, outcome=None, **fields) -> ToolExecution:
    """A tool execution that succeeded, or failed with `error`; `captured` gives it an id and its place."""
    if outcome is None:
        outcome = Outcome.SUCCEEDED if error is None else FAILED
    given = {} if arguments is None else arguments
    parsed = given if isinstance(given, dict) else None
    returned = result if outcome in (Outcome.SUCCEEDED, UNKNOWN) else None
    values = {"id": "", "arguments": parsed, "raw_arguments": given, "result": returned, "error": error, "outcome": outcome}
    return ToolExecution(name=name, **{**values, **fields})


def unanswered(name, arguments=None, **fields) -> ToolExecution:
    """What a model asked for in a loop over a raw SDK that sent no result back."""
    return execution(name, arguments, None, outcome=UNKNOWN, inferred=True, **fields)


def chat(text="Hello", *, requests=(), messages=(), tokens=None, completed=True, **fields) -> ChatModelCall:
    """A chat model call that answered, and used `tokens` in all."""
    usage = None if tokens is None else TokenUsage(total_tokens=tokens)
    asked = tuple(one if isinstance(one, ToolExecutionRequest) else ToolExecutionRequest(name=one) for one in requests)
    given = {"id": "", "model": "small", "response_text": text, "token_usage": usage, "completed": completed}
    return ChatModelCall(messages=tuple(messages), tool_execution_requests=asked, **{**given, **fields})


def failed_chat(error="overloaded", **fields) -> ChatModelCall:
    """A chat model call that failed."""
    return chat(None, completed=False, error=error, **fields)


def invocation(name="support", *executions, calls=(), nested=(), sources=NOT_RECORDED, **fields) -> Invocation:
    """An invocation that completed, with these tool executions; sources may be texts."""
    retrieved = (
        sources if sources is NOT_RECORDED else tuple(Source(text=one) if isinstance(one, str) else one for one in sources)
    )
    return Invocation(
        id="",
        name=name,
        tool_executions=tuple(executions),
        model_calls=tuple(calls),
        nested_invocations=tuple(nested),
        sources=retrieved,
        **fields,
    )


def failed(name="support", *executions, error=None, **fields) -> Invocation:
    """An invocation that failed."""
    raised = TimeoutError("no answer") if error is None else error
    return invocation(name, *executions, status=Status.FAILED, error=raised, **fields)


def approval(tool, arguments=None, decision="pending", reason=None) -> Approval:
    """An approval that was asked for."""
    return Approval(tool=tool, arguments=arguments, decision=Decision(decision), reason=reason)


def strays(*executions, **fields) -> Invocation:
    """What was recorded outside every invocation."""
    return invocation("capture", *executions, implicit=True, **fields)


def captured(*invocations, strays=None, visibility=None, on_doubt="warn", **stored) -> Capture:
    """A capture of these invocations, one after the other; it is read from JSON, as a stored one is."""
    order = itertools.count(1)
    placed = tuple(_placed(one, order) for one in invocations)
    return Capture.from_json(
        dumps(
            StoredCapture(
                invocations=placed,
                strays=None if strays is None else _placed(strays, order),
                visibility=SEES_EVERYTHING if visibility is None else visibility,
                **stored,
            )
        ),
        on_doubt=on_doubt,
    )


def message(function, *args: Any, **kwargs: Any) -> str:
    """The text of the assertion that `function` fails with."""
    try:
        function(*args, **kwargs)
    except AssertionError as error:
        return str(error)
    raise RuntimeError("nothing failed")


def _placed(one: Invocation, order) -> Invocation:
    """With ids, each the place of the start in the recorder's sequence; what was placed by hand stays there."""
    start = next(order)
    executions = tuple(_run(execution, order) for execution in one.tool_executions)
    calls = tuple(
        attrs.evolve(call, id=call.id or f"m{place}", started_order=call.started_order or place)
        for call, place in zip(one.model_calls, order, strict=False)
    )
    nested = tuple(_placed(below, order) for below in one.nested_invocations)
    return attrs.evolve(
        one,
        id=one.id or str(start),
        started_order=one.started_order or start,
        ended_order=one.ended_order or next(order),
        tool_executions=executions,
        model_calls=calls,
        nested_invocations=nested,
    )


def _run(one: ToolExecution, order) -> ToolExecution:
    start, end = next(order), next(order)
    is_open = one.outcome is UNFINISHED or (one.inferred and one.outcome is UNKNOWN and one.result is None)
    ended = one.ended_order or (None if is_open else end)
    return attrs.evolve(one, id=one.id or f"t{start}", started_order=one.started_order or start, ended_order=ended)
