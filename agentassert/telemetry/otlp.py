"""Spans out of OTLP JSON: what the collector, Tempo and protobuf's own JSON writer make of them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any, Final

from agentassert.telemetry.fields import Fields, hexadecimal
from agentassert.telemetry.spans import Span, SpanEvent, SpanStatus

CONTAINERS: Final = ("resourceSpans", "resource_spans", "batches")
_SCOPES: Final = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans", "instrumentation_library_spans")
_SCOPE: Final = ("scope", "instrumentationLibrary", "instrumentation_library")
_STATUSES: Final[Mapping[Any, SpanStatus]] = {
    None: "unset",
    0: "unset",
    1: "ok",
    2: "error",
    "STATUS_CODE_UNSET": "unset",
    "STATUS_CODE_OK": "ok",
    "STATUS_CODE_ERROR": "error",
}


def is_span(document: Mapping[str, Any]) -> bool:
    """Whether a mapping is one span in this form."""
    return any(name in document for name in ("startTimeUnixNano", "start_time_unix_nano", "traceId"))


def scoped_spans(document: Fields) -> Iterator[tuple[Fields, str]]:
    """Each span of a document, with the name of its instrumentation scope."""
    for resource in document.items(*CONTAINERS):
        for group in resource.items(*_SCOPES):
            scope = group.mapping(*_SCOPE).text("name") or ""
            for span in group.items("spans"):
                yield span, scope


def span_of(fields: Fields, scope: str = "") -> Span:
    """One span.

    Raises:
        SpanError: naming the span and the field.
    """
    fields.named(fields.text("name"), fields.raw("spanId", "span_id"))
    status = fields.mapping("status")
    return Span(
        trace_id=_id(fields, 16, "traceId", "trace_id"),
        span_id=_id(fields, 8, "spanId", "span_id"),
        parent_id=_parent_id(fields),
        name=fields.text("name") or "",
        scope=scope,
        start_ns=fields.nanoseconds("startTimeUnixNano", "start_time_unix_nano") or 0,
        end_ns=fields.nanoseconds("endTimeUnixNano", "end_time_unix_nano") or None,
        attributes=_attributes(fields),
        events=[_event(one) for one in fields.items("events")],
        status=status.one_of(_STATUSES, "code"),
        status_message=status.text("message") or "",
    )


def _event(fields: Fields) -> SpanEvent:
    at = fields.nanoseconds("timeUnixNano", "time_unix_nano") or 0
    return SpanEvent(fields.text("name") or "", at, _attributes(fields))


def _attributes(fields: Fields) -> dict[str, Any]:
    return {one.required_text("key"): _value_of(one) for one in fields.items("attributes")}


def _value_of(attribute: Fields) -> Any:
    value = attribute.content.get("value")
    # Nearly every attribute is a text, and a large file has millions of them.
    text = value.get("stringValue") if type(value) is dict and len(value) == 1 else None
    return text if type(text) is str else _value(attribute.mapping("value"))


def _value(value: Fields) -> Any:
    """What an `AnyValue` stands for; `None` where it is empty."""
    kind = next(iter(value.content), None)
    if kind in ("stringValue", "string_value"):
        return value.text(kind)
    if kind in ("intValue", "int_value"):
        return value.whole_number(kind)
    if kind in ("arrayValue", "array_value"):
        return [_value(one) for one in value.mapping(kind).items("values")]
    if kind in ("kvlistValue", "kvlist_value"):
        return {one.required_text("key"): _value_of(one) for one in value.mapping(kind).items("values")}
    return None if kind is None else value.content[kind]


def _parent_id(fields: Fields) -> str | None:
    given = fields.text("parentSpanId", "parent_span_id")
    if not given or not given.strip("0A="):
        return None
    return _id(fields, 8, "parentSpanId", "parent_span_id")


def _id(fields: Fields, size: int, *names: str) -> str:
    """An id in hexadecimal digits, or in base64 as protobuf's own JSON writer has it."""
    given = fields.required_text(*names)
    if len(given) != 2 * size:
        try:
            return hexadecimal(fields, base64.b64decode(given, validate=True).hex(), size, *names)
        except (binascii.Error, ValueError):
            pass
    return hexadecimal(fields, given, size, *names)
