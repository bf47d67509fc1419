"""A span of the OpenTelemetry SDK, as this library reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext

from agentassert.telemetry.spans import Span, SpanEvent, SpanStatus

Key: TypeAlias = tuple[int, int]

_STATUS: Final[Mapping[str, SpanStatus]] = {"UNSET": "unset", "OK": "ok", "ERROR": "error"}


def key_of(context: SpanContext | None) -> Key:
    """What tells a span from every other one; one that has no context is no span at all."""
    return (0, 0) if context is None else (context.trace_id, context.span_id)


def scope_of(span: ReadableSpan) -> str:
    """The name of the library that writes it."""
    return "" if span.instrumentation_scope is None else span.instrumentation_scope.name


def started(span: ReadableSpan, above: Key | None) -> Span:
    """The span as it starts, inside the one that has the key `above`."""
    trace_id, span_id = key_of(span.context)
    return Span(
        trace_id=f"{trace_id:032x}",
        span_id=f"{span_id:016x}",
        parent_id=None if above is None else f"{above[1]:016x}",
        name=span.name,
        scope=scope_of(span),
        start_ns=span.start_time or 0,
        attributes=_attributes(span),
    )


def refresh(read: Span, span: ReadableSpan) -> None:
    """Bring what was read before up to what is known by now: many a library starts a span by its name alone."""
    read.name = span.name
    read.attributes = _attributes(span)


def complete(read: Span, span: ReadableSpan, error: BaseException | None) -> None:
    """Bring what was read at the start up to what is known at the end; `error` is what is leaving the span."""
    refresh(read, span)
    read.end_ns = span.end_time
    read.events = [SpanEvent(event.name, event.timestamp, event.attributes or {}) for event in span.events]
    read.status = _STATUS[span.status.status_code.name]
    read.status_message = span.status.description or ""
    read.error = error


def _attributes(span: ReadableSpan) -> Mapping[str, Any]:
    return dict(span.attributes or {})
