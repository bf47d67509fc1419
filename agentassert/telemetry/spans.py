"""A span as this library reads it, live or from a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import attrs

SpanStatus: TypeAlias = Literal["unset", "ok", "error"]


@attrs.frozen
class SpanEvent:
    """Something that a span says happened at one moment of it.

    Args:
        name: such as `exception` or `gen_ai.choice`.
        at_ns: nanoseconds since 1970.
        attributes: what is said about it.

    Example:
        >>> SpanEvent("exception", 5, {"exception.type": "KeyError"}).name
        'exception'
    """

    name: str
    at_ns: int
    attributes: Mapping[str, Any] = attrs.field(factory=dict)


@attrs.define(eq=False)
class Span:
    """A piece of work, as OpenTelemetry knows it.

    Args:
        trace_id: 32 hexadecimal digits, lower case.
        span_id: 16 hexadecimal digits, lower case; unique in the trace.
        parent_id: the span around it, which need not be among those seen; `None` at the root of a trace.
        name: such as `execute_tool search`.
        scope: the name of the instrumentation scope, which is the library that wrote it.
        start_ns: nanoseconds since 1970.
        end_ns: the same of its end; `None` while it runs. Once it is set, the attributes are complete.
        attributes: as far as they are known: texts, numbers, booleans, and lists and mappings of them.
        events: what happened in it, in order.
        status: `ok` only where somebody said so.
        status_message: the words that came with `error`.
        error: what is leaving the span as it ends, where it is seen live: an exception that is a failure, or one that cancels. A file has
            none, and only tells of it in words.

    Example:
        >>> span = Span("0" * 31 + "1", "0" * 15 + "2", None, "chat", start_ns=5)
        >>> span.key, span.is_over
        (('00000000000000000000000000000001', '0000000000000002'), False)
    """

    trace_id: str
    span_id: str
    parent_id: str | None
    name: str
    scope: str = ""
    start_ns: int = 0
    end_ns: int | None = None
    attributes: Mapping[str, Any] = attrs.field(factory=dict)
    events: list[SpanEvent] = attrs.field(factory=list)
    status: SpanStatus = "unset"
    status_message: str = ""
    error: BaseException | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from every other span."""
        return self.trace_id, self.span_id

    @property
    def parent_key(self) -> tuple[str, str] | None:
        """The key of the span around it."""
        return None if self.parent_id is None else (self.trace_id, self.parent_id)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, so that everything about it is known."""
        return self.end_ns is not None
