"""A span processor that tells the recorder of the spans it is given: one for all providers, inert while nobody listens."""

from __future__ import annotations

import sys
import threading
import weakref

import attrs
from opentelemetry.context import Context
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from opentelemetry.sdk.trace import Span as SDKSpan
from opentelemetry.trace import get_current_span

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.otel import ADAPTER
from agentassert.adapters.otel.covered import is_covered, is_telling
from agentassert.adapters.otel.reading import Key, complete, key_of, refresh, scope_of, started
from agentassert.recording.events import Event
from agentassert.telemetry.spans import Span
from agentassert.telemetry.translator import Translator


@attrs.define(eq=False)
class _Open:
    """A span that runs.

    Args:
        span: the span itself, which a library may drop without ending it.
        above: the span around it.
        read: what is translated; `None` where an adapter of its own records the same.
        handled: the exception that was being handled as it started, which is none of its own.
    """

    span: weakref.ref[ReadableSpan]
    above: Key | None
    read: Span | None
    handled: BaseException | None


class Router(SpanProcessor):
    """Turns spans into events, in the context of the code that starts them."""

    def __init__(self) -> None:
        self._translator = Translator()
        self._open: dict[Key, _Open] = {}
        # Agents run in many threads; one that is interrupted by the garbage collector may drop a span, and come here again.
        self._lock = threading.RLock()

    def on_start(self, span: SDKSpan, parent_context: Context | None = None) -> None:
        """Take a span that starts."""
        if recorder.listening():
            self._start(span, sys.exception())

    def on_end(self, span: ReadableSpan) -> None:
        """Take a span of which everything is known now."""
        if self._open:
            self._end(span, sys.exception())

    def current(self) -> Event | None:
        """What the running code is part of, by the span that OpenTelemetry has in its context."""
        return self._part_of(key_of(get_current_span().get_span_context())) if self._open else None

    @guarded(ADAPTER)
    def _start(self, span: SDKSpan, handled: BaseException | None) -> None:
        key = key_of(span.context)
        above = None if span.parent is None else key_of(span.parent)
        read = None if is_covered(scope_of(span)) else started(span, self._uncovered(above))
        place = recorder.locate(self._part_of(above), counts=read is not None and is_telling(read))
        if place is None:
            return
        with self._lock:
            self._open[key] = _Open(weakref.ref(span, lambda _: self._drop(key)), above, read, handled)
            if read is not None:
                self._translator.start(read, place)

    @guarded(ADAPTER)
    def _end(self, span: ReadableSpan, error: BaseException | None) -> None:
        with self._lock:
            known = self._open.pop(key_of(span.context), None)
            if known is not None and known.read is not None:
                complete(known.read, span, None if error is known.handled else error)
                self._translator.end(known.read)

    def _part_of(self, key: Key | None) -> Event | None:
        """What a span is part of, or has become: it is asked again, as many a library starts a span by its name alone."""
        key = self._uncovered(key)
        known = None if key is None else self._open.get(key)
        span = None if known is None else known.span()
        if known is None or known.read is None or span is None:
            return None
        with self._lock:
            refresh(known.read, span)
            return self._translator.look_again(known.read)

    def _uncovered(self, key: Key | None) -> Key | None:
        """The nearest span, from this one outwards, that no adapter of its own records."""
        while key is not None and (known := self._open.get(key)) is not None and known.read is None:
            key = known.above
        return key

    @guarded(ADAPTER)
    def _drop(self, key: Key) -> None:
        """Forget a span that is gone and was never ended: what it became stays unfinished."""
        with self._lock:
            known = self._open.pop(key, None)
            if known is not None and known.read is not None:
                self._translator.forget(known.read)
