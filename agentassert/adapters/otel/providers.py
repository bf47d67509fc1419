"""The span processors of the user's providers, to which ours is added while a capture is open, and from which it is taken again."""

from __future__ import annotations

import threading
import weakref
from typing import Any

from opentelemetry.sdk.trace import SpanProcessor


class Providers:
    """Every provider that started a span while a capture was open.

    Args:
        processor: what is added to each of them, once, behind those that are there.
    """

    def __init__(self, processor: SpanProcessor) -> None:
        self._processor = processor
        self._joined: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lock = threading.RLock()  # the garbage collector may close a capture in here, which has this leave

    def join(self, processors: Any) -> None:
        """Add ours to the processors that a provider shares with its tracers."""
        if processors in self._joined:
            return
        with self._lock:
            if processors not in self._joined:
                processors.add_span_processor(self._processor)
                self._joined.add(processors)

    def leave(self) -> None:
        """Take ours out again, for which the SDK has no method; of processors that keep theirs in their own way, it stays and is inert."""
        with self._lock:
            for processors in list(self._joined):
                members, lock = getattr(processors, "_span_processors", None), getattr(processors, "_lock", None)
                if isinstance(members, tuple) and lock is not None:
                    with lock:
                        others = (one for one in processors._span_processors if one is not self._processor)  # noqa: SLF001
                        processors._span_processors = tuple(others)  # noqa: SLF001
                    self._joined.discard(processors)
