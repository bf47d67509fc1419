"""How an invocation ended, and whether anything may be asserted about it at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agentassert import render
from agentassert.checks.view import NO_MARKS, Marks, View
from agentassert.errors import NotRecordedError
from agentassert.failures import Failure
from agentassert.records import Invocation, Status
from agentassert.stored.recorded_errors import is_instance, members, message_of


def succeeded(view: View) -> Failure | Marks:
    """It completed."""
    return _has_status(view, Status.COMPLETED, "to have succeeded")


def was_cancelled(view: View) -> Failure | Marks:
    """It was cancelled."""
    return _has_status(view, Status.CANCELLED, "to have been cancelled")


def was_blocked(view: View) -> Failure | Marks:
    """A guardrail stopped it."""
    return _has_status(view, Status.BLOCKED, "to have been blocked by a guardrail")


def failed_with(view: View, types: tuple[type[BaseException], ...]) -> Failure | Marks:
    """Its error, one of the error's causes, or a member of a group among them is of that type."""
    expected = f"to have failed with {' or '.join(one.__name__ for one in types)}"
    error = view.root.error
    if _has_failed(view.root) and isinstance(error, str):
        advice = "Use has_failed_with_message_containing(text)."
        found = f"but of its error only the text was recorded: {render.error(error)}"
        return Failure(expected=expected, found=found, advice=advice, kind=NotRecordedError, actual=error)
    return _error_that(view, expected, lambda error: is_instance(error, types))


def failed_with_message_containing(view: View, text: str) -> Failure | Marks:
    """The message of one of these contains the text, case-sensitively."""
    expected = f"to have failed with a message containing {text!r}"
    return _error_that(view, expected, lambda error: text in (error if isinstance(error, str) else message_of(error)))


def gate(invocation: Invocation, unlocked: bool) -> Failure | None:
    """Why nothing may be asserted about what happened in it, or `None`."""
    status = invocation.status
    if status is Status.UNFINISHED:
        return Failure(
            expected="to be over before anything is asserted about it",
            found="but it has not finished",
            advice="Wait for its result inside the block, or give the capture more time: capture(wait=seconds); "
            "in a coroutine by `async with capture(…)`, since a plain `with` cannot wait there.",
        )
    if unlocked or status not in _UNLOCKED_BY:
        return None
    return Failure(
        expected="to have completed",
        found=f"but it {_ended(invocation)}",
        advice=f"If that is what the test expects, say so first: {_UNLOCKED_BY[status]}; then assert on what happened before.",
    )


_UNLOCKED_BY = {
    Status.FAILED: "has_failed_with(…) or has_failed_with_message_containing(…)",
    Status.CANCELLED: "was_cancelled()",
    Status.BLOCKED: "was_blocked()",
}


def _has_status(view: View, status: Status, expected: str) -> Failure | Marks:
    if view.root.status is status:
        return NO_MARKS
    return Failure(expected=expected, found=f"but it {_ended(view.root)}", actual=view.root.status)


def _error_that(view: View, expected: str, fits: Callable[[BaseException | str], bool]) -> Failure | Marks:
    root = view.root
    if not _has_failed(root):
        return Failure(expected=expected, found=f"but it {_ended(root)}", actual=root.status)
    if root.error is None:
        return Failure(
            expected=expected, found=f"but it {_ended(root)}, with an error that was not recorded", kind=NotRecordedError
        )
    errors = list(_errors(root.error))
    if any(map(fits, errors)):
        return NO_MARKS
    details = tuple(map(render.error, errors[1:]))
    return Failure(expected=expected, found=f"but it {_ended(root)}", details=details, actual=root.error)


def _has_failed(invocation: Invocation) -> bool:
    return invocation.status in (Status.FAILED, Status.BLOCKED)


def _errors(error: BaseException | str) -> Iterator[BaseException | str]:
    """The error, its causes and the members of groups, each once."""
    waiting: list[BaseException | str] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseException):
            if one.__cause__ is not None:
                waiting.append(one.__cause__)
            waiting.extend(members(one))


def _ended(invocation: Invocation) -> str:
    words = {
        Status.COMPLETED: "completed",
        Status.FAILED: "failed",
        Status.CANCELLED: "was cancelled",
        Status.BLOCKED: "was blocked",
        Status.AWAITING_APPROVAL: "awaits an approval",
        Status.UNFINISHED: "has not finished",
    }[invocation.status]
    return words if invocation.error is None else f"{words} with {render.error(invocation.error)}"
