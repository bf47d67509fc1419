"""Spans written by hand, in the form of OTLP."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentassert import Capture

DATA = Path(__file__).parent / "data"
BEGAN_NS = 1_767_344_400_000_000_000
TRACE_ID = "0123456789abcdef0123456789abcdef"


def span(
    number: int,
    attributes: dict[str, Any] | None = None,
    *,
    inside: int | None = None,
    name: str = "work",
    start: int = 0,
    end: int | None = 100,
    error: str | None = None,
    events: list[tuple[str, dict[str, Any]]] | None = None,
    scope: str = "desk",
    trace_id: str = TRACE_ID,
) -> dict[str, Any]:
    """A span with its scope beside it; `start` and `end` are nanoseconds since the first began."""
    written = {
        "traceId": trace_id,
        "spanId": f"{number:016x}",
        "parentSpanId": "" if inside is None else f"{inside:016x}",
        "name": name,
        "startTimeUnixNano": str(BEGAN_NS + start),
        "endTimeUnixNano": "0" if end is None else str(BEGAN_NS + end),
        "attributes": _attributes(attributes or {}),
        "events": [{"name": one, "timeUnixNano": str(BEGAN_NS), "attributes": _attributes(given)} for one, given in events or ()],
        "status": {} if error is None else {"code": 2, "message": error},
    }
    return {"scope": {"name": scope}, "spans": [written]}


def agent(number: int = 1, called: str = "clerk", attributes: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    return span(number, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": called, **(attributes or {})}, **given)


def tool(number: int, called: str, attributes: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    return span(number, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": called, **(attributes or {})}, **given)


def chat(number: int, attributes: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    return span(number, {"gen_ai.operation.name": "chat", "gen_ai.request.model": "small", **(attributes or {})}, **given)


def kind(number: int, kind: str, attributes: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    """A span of OpenInference."""
    return span(number, {"openinference.span.kind": kind, **(attributes or {})}, **given)


def says(text: str) -> dict[str, Any]:
    return {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": text}]}])}


def arguments(**given: Any) -> dict[str, Any]:
    return {"gen_ai.tool.call.arguments": json.dumps(given)}


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"resource": {}, "scopeSpans": list(spans)}]}


def load(*spans: dict[str, Any]) -> Capture:
    return Capture.from_otlp(document(*spans))


def _attributes(attributes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": any_value(value)} for name, value in attributes.items()]


def any_value(value: Any) -> dict[str, Any]:
    """A value as OTLP writes it."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(one) for one in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": _attributes(value)}}
    return {} if value is None else {"stringValue": value}
