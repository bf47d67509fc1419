"""Spans one object each: as the SDK's own `to_json` prints them, and as Phoenix exports them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from agentassert.telemetry.attributes import flattened
from agentassert.telemetry.fields import END_OF_TIME, Fields, hexadecimal
from agentassert.telemetry.spans import Span, SpanEvent, SpanStatus

_STATUSES: Final[Mapping[Any, SpanStatus]] = {
    None: "unset",
    "UNSET": "unset",
    "OK": "ok",
    "ERROR": "error",
    "StatusCode.UNSET": "unset",
    "StatusCode.OK": "ok",
    "StatusCode.ERROR": "error",
}
_IDS: Final = ("trace_id", "span_id")
_KIND: Final = "openinference.span.kind"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def is_span(document: Mapping[str, Any]) -> bool:
    """Whether a mapping is one span in this form."""
    return any(name in document for name in ("context", "context.span_id", "context.trace_id", "trace_id", "span_id"))


def span_of(fields: Fields) -> Span:
    """One span.

    Raises:
        SpanError: naming the span and the field.
    """
    ids = _ids(fields)
    fields.named(fields.text("name"), ids.raw("span_id"))
    ids.place = fields.place
    status = fields.content.get("status")
    told = Fields(status if isinstance(status, Mapping) else fields.content, fields.place)
    scope = fields.mapping("instrumentation_scope", "scope", "instrumentation_info").text("name")
    return Span(
        trace_id=hexadecimal(ids, ids.required_text("trace_id"), 16, "trace_id"),
        span_id=hexadecimal(ids, ids.required_text("span_id"), 8, "span_id"),
        parent_id=_parent_id(fields),
        name=fields.text("name") or "",
        scope=scope or "",
        start_ns=_time(fields, "start_time") or 0,
        end_ns=_time(fields, "end_time"),
        attributes=_attributes(fields),
        events=[_event(one) for one in fields.items("events")],
        status=told.one_of(_STATUSES, "status_code"),
        status_message=told.text("description", "status_message") or "",
    )


def _ids(fields: Fields) -> Fields:
    """The ids, which a table has in columns named `context.span_id`."""
    prefix = "context."
    columns = {name.removeprefix(prefix): value for name, value in fields.content.items() if name in _IDS or prefix in name}
    return Fields({**columns, **fields.mapping("context").content}, fields.place)


def _parent_id(fields: Fields) -> str | None:
    given = fields.text("parent_id")
    return hexadecimal(fields, given, 8, "parent_id") if given else None


def _attributes(fields: Fields) -> dict[str, Any]:
    """A table's columns are named `attributes.llm.model_name`; other exports have one object, flat or nested."""
    prefix = "attributes."
    columns = {name[len(prefix) :]: value for name, value in fields.content.items() if name.startswith(prefix)}
    found = flattened({**columns, **fields.mapping("attributes").content})
    kind = fields.text("span_kind")
    if kind not in (None, "UNKNOWN"):
        found.setdefault(_KIND, kind)
    return {name: value for name, value in found.items() if value is not None}


def _event(fields: Fields) -> SpanEvent:
    attributes = fields.mapping("attributes")
    return SpanEvent(fields.text("name") or "", _time(fields, "timestamp") or 0, flattened(attributes.content))


def _time(fields: Fields, name: str) -> int | None:
    """Nanoseconds of a time in ISO form, or of the milliseconds that a table keeps."""
    given = fields.raw(name)
    if isinstance(given, (int, float)) and not isinstance(given, bool):
        return _in_time(fields, given * 1_000_000, name)
    if given is None:
        return None
    try:
        moment = datetime.fromisoformat(str(given))
    except ValueError:
        fields.refuse("must be a date and time in ISO form", given, name)
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    between = moment - _EPOCH
    return _in_time(fields, ((between.days * 86_400 + between.seconds) * 1_000_000 + between.microseconds) * 1_000, name)


def _in_time(fields: Fields, nanoseconds: float, name: str) -> int:
    return int(nanoseconds) if 0 <= nanoseconds < END_OF_TIME else fields.refuse_time(fields.raw(name), name)
