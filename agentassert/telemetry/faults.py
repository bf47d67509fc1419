"""How a span says that something went wrong, as an error that can be asserted on."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

from agentassert.stored.recorded_errors import RecordedError, qualified_name
from agentassert.telemetry.attributes import text
from agentassert.telemetry.spans import Span

_CLASS: Final = re.compile(r"(?:\w+\.)*[A-Z]\w*")
_CANCELLATIONS: Final = frozenset({"CancelledError", "GeneratorExit", "KeyboardInterrupt"})
_SUSPENSIONS: Final = frozenset({"GraphInterrupt", "NodeInterrupt", "ApprovalRequired", "CallDeferred"})
_BLOCKS: Final = frozenset({"InputGuardrailTripwireTriggered", "OutputGuardrailTripwireTriggered"})
_UNEXPLAINED: Final = "the span says that it failed, and not why"


def has_failed(span: Span) -> bool:
    """Whether the span says that its work failed.

    Example:
        >>> has_failed(Span("1", "2", None, "x", attributes={"error.type": "timeout"}))
        True
    """
    return span.status == "error" or text(span.attributes, "error.type") is not None or _is_stop(span.error)


def error_of(span: Span) -> BaseException | str:
    """The error of a span that failed: itself where it is at hand, else with its class where one is named, else the text.

    Example:
        >>> error_of(Span("1", "2", None, "x", status="error", status_message="no", attributes={"error.type": "KeyError"}))
        <recorded builtins.KeyError: 'no'>
        >>> error_of(Span("1", "2", None, "x", status="error", status_message="no"))
        'no'
    """
    attributes = _exception(span)
    named = text(attributes, "exception.type") or text(span.attributes, "error.type")
    if span.error is not None and (
        named is None or _is_stop(span.error) or named.rpartition(".")[2] == type(span.error).__name__
    ):
        return span.error
    message = text(attributes, "exception.message") or span.status_message
    if named is None or not _CLASS.fullmatch(named):
        words = [one for one in (named if named != "_OTHER" else None, message) if one]
        return ": ".join(words) or _UNEXPLAINED
    return RecordedError(message, _names(named))


def is_cancellation(error: BaseException | str) -> bool:
    """Whether it says that the work was stopped, which is no failure."""
    return _short_name(error) in _CANCELLATIONS


def is_suspension(error: BaseException | str) -> bool:
    """Whether a framework raised it to wait for a human decision."""
    return _short_name(error) in _SUSPENSIONS


def is_block(error: BaseException | str) -> bool:
    """Whether a guardrail raised it."""
    return _short_name(error) in _BLOCKS


def _is_stop(error: BaseException | None) -> bool:
    """Whether it ends work that did not fail: it was cancelled, or its generator closed. Of this, spans say nothing."""
    return error is not None and not isinstance(error, Exception)


def _exception(span: Span) -> Mapping[str, Any]:
    found = [event.attributes for event in span.events if event.name == "exception"]
    return found[-1] if found else {}


def _names(named: str) -> tuple[str, ...]:
    """The names of the class and of those above it, as far as this process knows it; it is never imported for that."""
    module, _, name = named.rpartition(".")
    known = getattr(sys.modules.get(module or builtins.__name__), name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        return tuple(qualified_name(kind) for kind in known.__mro__ if kind is not object)
    return named, "builtins.Exception", "builtins.BaseException"


def _short_name(error: BaseException | str) -> str | None:
    if isinstance(error, RecordedError):
        return error.type_name.rpartition(".")[2]
    return type(error).__name__ if isinstance(error, BaseException) else None
