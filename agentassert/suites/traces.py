"""A capture as the flat list of traces that the JSON of a failed run tells."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from agentassert import render
from agentassert.captures import Capture
from agentassert.jsonlike import SCALARS
from agentassert.records import ChatModelCall, Invocation, ModelCall, ToolExecution
from agentassert.text.masking import MASK, is_secret_name, masked, secrets_shown


def traces_of(capture: Capture) -> list[dict[str, Any]]:
    """Every invocation, tool execution and model call of a capture, in the order started.

    Example:
        >>> [trace["name"] for trace in traces_of(cap)][:3]
        ['support_agent', 'small', 'get_booking']
    """
    tops = capture.invocations if capture.strays is None else (*capture.invocations, capture.strays)
    found = [trace for top in tops for trace in _of(top, None)]
    found.sort(key=lambda trace: trace["span_order"])
    return [{**trace, "span_order": order} for order, trace in enumerate(found)]


def told(value: Any) -> Any:
    """A value as every reader of JSON takes it: what JSON does not know is shown, and what looks like a secret is masked.

    Args:
        value: as :func:`agentassert.jsonlike.snapshot` gives it.

    Example:
        >>> told({"id": 7, 3: {1}, "password": "hunter2", "rate": float("nan")})
        {'id': 7, '3': '{1}', 'password': '***', 'rate': 'nan'}
    """
    kind = type(value)
    if kind is dict:
        return {_key(key): told(item) if secrets_shown() or not is_secret_name(key) else MASK for key, item in value.items()}
    if kind is list:
        return [told(item) for item in value]
    if kind is str:
        return "".join(masked(value))
    is_known = kind in SCALARS and not (kind is float and not math.isfinite(value))
    return value if is_known else render.value(value)


def _key(key: Any) -> str:
    return key if type(key) is str else render.value(key)


def _of(top: Invocation, parent: str | None) -> Iterator[dict[str, Any]]:
    waiting = [(top, parent)]
    while waiting:
        one, above = waiting.pop()
        details = {"kind": "invocation", "input": one.input, "output": one.output}
        yield _trace(one, one.name, str(one.status), one.error, above, details)
        for execution in one.tool_executions:
            yield _execution(execution, one.id)
        for call in one.model_calls:
            yield _call(call, one.id)
        waiting += [(nested, nested.started_by or one.id) for nested in one.nested_invocations]


def _execution(one: ToolExecution, parent: str) -> dict[str, Any]:
    arguments = one.raw_arguments if one.arguments is None else one.arguments
    return _trace(
        one, one.name, str(one.outcome), one.error, parent, {"kind": "tool", "arguments": arguments, "result": one.result}
    )


def _call(one: ModelCall, parent: str) -> dict[str, Any]:
    details: dict[str, Any] = {"kind": one.kind, "model": one.model}
    if isinstance(one, ChatModelCall):
        details["response"] = one.response_text
        details["requests"] = [{"name": asked.name, "arguments": asked.raw_arguments} for asked in one.tool_execution_requests]
    if one.token_usage is not None:
        details["total_tokens"] = one.token_usage.total_tokens
    status = "failed" if one.failed else "completed" if one.completed else "unfinished"
    return _trace(one, one.model or one.kind, status, one.error, parent, details)


def _trace(
    one: Invocation | ToolExecution | ModelCall, name: str, status: str, error: Any, parent: str | None, details: dict[str, Any]
) -> dict[str, Any]:
    if error is not None:
        details = {**details, "error": render.error(error)}
    return {
        "name": name,
        "status": status,
        "duration_ms": None if one.duration is None else round(1000 * one.duration, 3),
        "span_id": one.id,
        "parent_span_id": parent,
        "span_order": one.started_order,
        "metadata_json": "".join(masked(render.json_text(details))),
    }
