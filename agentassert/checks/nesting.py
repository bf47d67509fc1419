"""Invocations that an invocation's work started."""

from __future__ import annotations

from collections.abc import Sequence

from agentassert.checks.view import NO_MARKS, Marks, View
from agentassert.errors import AmbiguousError
from agentassert.failures import Failure, counted
from agentassert.records import Invocation


def nested_named(invocation: Invocation, name: str) -> tuple[Invocation, ...]:
    """The nested invocations of that name, at any depth."""
    return tuple(one for one in invocation.with_nested()[1:] if one.name == name)


def has_nested(view: View, name: str) -> Failure | Marks:
    """At least one nested invocation of that name."""
    found = nested_named(view.root, name)
    return NO_MARKS if found else Failure(expected=f"to have a nested invocation {name!r}", found=_there(view.root), wanted=name)


def has_nested_times(view: View, name: str, times: int) -> Failure | Marks:
    """So many nested invocations of that name."""
    found = nested_named(view.root, name)
    if len(found) == times:
        return NO_MARKS
    return Failure(
        expected=f"to have {counted(times, 'nested invocation')} {name!r}",
        found=f"but there {'is' if len(found) == 1 else 'are'} {len(found) or 'none'}",
        wanted=times,
        actual=len(found),
    )


def only_nested(view: View, name: str) -> Failure | Invocation:
    """The only nested invocation of that name."""
    found = nested_named(view.root, name)
    if len(found) == 1:
        return found[0]
    expected = f"to have one nested invocation {name!r}"
    if not found:
        return Failure(expected=expected, found=_there(view.root), wanted=name)
    return Failure(
        expected=expected,
        found=f"but there are {len(found)}",
        advice="Use has_nested_invocation_satisfying(name, requirement), or assert_that(…) one of `nested_invocations`.",
        kind=AmbiguousError,
    )


def _there(invocation: Invocation) -> str:
    names = ", ".join(sorted({repr(one.name) for one in invocation.with_nested()[1:]}))
    return f"but its nested invocations are {names}" if names else "but it has none"


def none_satisfies(view: View, name: str, reasons: Sequence[str | None]) -> Failure:
    """No nested invocation of that name does what a requirement asks for."""
    expected = f"to have a nested invocation {name!r} that satisfies the requirement"
    if not reasons:
        return Failure(expected=expected, found=_there(view.root), wanted=name)
    details = [
        f"{number}. {line}" if position == 0 else f"   {line}"
        for number, reason in enumerate(reasons, 1)
        for position, line in enumerate((reason or "it was not accepted").splitlines())
    ]
    found = f"but none of {len(reasons)} does" if len(reasons) > 1 else "but the only one does not"
    return Failure(expected=expected, found=found, details=tuple(details))
