"""What goes wrong, by whose fault it is.

A failed expectation is an :class:`AgentAssertionError`; a question that the recording cannot answer is one of its subclasses,
so that no test passes on half a record. Wrong use of the library is a plain `TypeError` or `ValueError`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class AgentAssertionError(AssertionError):
    """An expectation about a captured run did not hold.

    The fields are the interface; the wording of the message may change in any release.

    Args:
        message: the whole text, ready to be shown.
        subject: what was looked at, such as `"invocation 'support_agent'"`.
        expected: what was expected of it.
        actual: what was found.
        differences: one line a difference, such as `"$.id: expected 1, was 2"`.
        failures: the single failures when several were collected in one error.

    Example:
        >>> error = AgentAssertionError("no", subject="invocation 'a'", expected="b")
        >>> error.subject, error.expected, error.failures
        ("invocation 'a'", 'b', ())
    """

    def __init__(
        self,
        message: str,
        *,
        subject: str | None = None,
        expected: Any = None,
        actual: Any = None,
        differences: tuple[str, ...] = (),
        failures: tuple[AssertionError, ...] = (),
    ) -> None:
        super().__init__(message)
        self.subject = subject
        self.expected = expected
        self.actual = actual
        self.differences = differences
        self.failures = failures

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback through this library."""
        from agentassert.tracebacks import notebook_traceback

        return notebook_traceback(self)


class NotRecordedError(AgentAssertionError):
    """Nobody could see what the assertion asks about, so it neither passes nor fails.

    Example:
        >>> issubclass(NotRecordedError, AssertionError)
        True
    """


class AmbiguousError(AgentAssertionError):
    """Two readings of the assertion are plausible; the message names the call that settles it.

    Example:
        >>> issubclass(AmbiguousError, AgentAssertionError)
        True
    """


class AdapterError(AgentAssertionError):
    """A hook of this library broke while it recorded; the record is incomplete and cannot be asserted on.

    Example:
        >>> issubclass(AdapterError, AgentAssertionError)
        True
    """


class UnknownNameError(AttributeError):
    """A method or an attribute was asked for that there is not; the message names the nearest one.

    Example:
        >>> assert_that(cap).has_tool_executd("cancel_booking")
        Traceback (most recent call last):
        agentassert.errors.UnknownNameError: 'InvocationAssertion' object has no attribute 'has_tool_executd'; did you mean 'has_tool_executed'?
    """

    def __init__(self, message: str, *, name: str) -> None:
        super().__init__(message, name=name, obj=None)  # of no object: Python would add what it guesses itself

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of a traceback through this library."""
        from agentassert.tracebacks import notebook_traceback

        return notebook_traceback(self)


class JudgeError(Exception):
    """A judge gave no usable verdict: neither a pass nor a failed assertion.

    Example:
        >>> issubclass(JudgeError, AssertionError)
        False
    """


class MessageError(ValueError):
    """What was given as messages cannot be read; the message names the index and the key.

    Example:
        >>> from agentassert import Capture
        >>> Capture.from_messages([{"role": "robot", "content": "hi"}])
        Traceback (most recent call last):
        agentassert.errors.MessageError: messages[0].role: ...
    """


class StoredCaptureError(ValueError):
    """A file that should hold captures cannot be read; the message names the file and the line.

    Example:
        >>> raise StoredCaptureError("today.jsonl:3: $.name: is missing")
        Traceback (most recent call last):
        agentassert.errors.StoredCaptureError: today.jsonl:3: $.name: is missing
    """


class SpanError(ValueError):
    """What was given as spans cannot be read; the message names the file, the span and the field.

    Example:
        >>> Capture.from_otlp({"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "chat"}]}]}]})
        Traceback (most recent call last):
        agentassert.errors.SpanError: the spans given: span 1 ('chat'): traceId: is missing
    """


class TrackerError(ValueError):
    """What was given as a Rasa tracker cannot be read; the message names the file, the event and the field.

    Example:
        >>> from agentassert.conversations import Conversation
        >>> Conversation.from_rasa_tracker([{"event": "slot", "value": 2}])
        Traceback (most recent call last):
        agentassert.errors.TrackerError: the tracker: $[0].name: of a 'slot' event is missing
    """


class RasaPitfallWarning(UserWarning):
    """A verdict is Rasa's, but hardly what the author of the assertion meant; the message says why.

    Example:
        >>> issubclass(RasaPitfallWarning, CaptureWarning)
        False
    """


class CaptureWarning(UserWarning):
    """The recording is in doubt: events came late, had to be guessed a place, or found none.

    Example:
        >>> issubclass(CaptureWarning, UserWarning)
        True
    """


class UnknownToolWarning(CaptureWarning):
    """A negative assertion, or a decision about an approval, names a tool that was neither offered nor executed: a typing error would pass.

    Example:
        >>> issubclass(UnknownToolWarning, CaptureWarning)
        True
    """


class NothingCheckedWarning(UserWarning):
    """A test opened a capture that nobody looked at, or began a chain and asserted nothing on it, so that it could not fail.

    The pytest plugin warns of it.

    Example:
        >>> issubclass(NothingCheckedWarning, CaptureWarning)
        False
    """


class SharedChecksWarning(UserWarning):
    """Several tests assert on one capture, so that what one of them checked counts as checked in the others, too.

    The pytest plugin warns of it.

    Example:
        >>> issubclass(SharedChecksWarning, CaptureWarning)
        False
    """


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """The error and what it was raised from, by `raise … from` alone, each once.

    Example:
        >>> error = ValueError("no")
        >>> error.__cause__ = KeyError("id")
        >>> list(causes_of(error))
        [ValueError('no'), KeyError('id')]
    """
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        yield cause
        seen.add(id(cause))
        cause = cause.__cause__


def is_error_of(error: BaseException, recorded: BaseException | str | None) -> bool:
    """Whether `error` is the recorded one or was raised from it.

    Example:
        >>> recorded = KeyError("id")
        >>> error = ValueError("no")
        >>> error.__cause__ = recorded
        >>> is_error_of(error, recorded), is_error_of(recorded, error)
        (True, False)
    """
    return any(cause is recorded for cause in causes_of(error))


def carries_soft_failures(error: BaseException) -> bool:
    """Whether failed soft assertions were noted on `error` or a cause of it, so that swallowing it would lose them.

    Example:
        >>> error = ValueError("no")
        >>> note_soft_failures(error, "1 assertion failed")
        >>> carries_soft_failures(error), error.__notes__
        (True, ['1 assertion failed'])
    """
    return any(getattr(cause, _SOFT_FAILURES, False) for cause in causes_of(error))


def note_soft_failures(error: BaseException, text: str) -> None:
    """Add collected soft failures to an exception that is on its way anyway."""
    # Past a `__setattr__` of its own: a frozen exception must not be replaced by one that says so.
    BaseException.__setattr__(error, "__notes__", [*getattr(error, "__notes__", ()), text])
    BaseException.__setattr__(error, _SOFT_FAILURES, True)


_SOFT_FAILURES = "__agentassert_soft_failures__"
