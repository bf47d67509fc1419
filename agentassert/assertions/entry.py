"""`assert_that`: the one entry to every assertion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

from agentassert.assertions.invocation import InvocationAssertion
from agentassert.captures import Capture
from agentassert.capturing import CaptureBlock
from agentassert.records import Invocation

if TYPE_CHECKING:
    from agentassert.assertions.values import ValueAssertion


@overload
def assert_that(  # pyright: ignore[reportOverlappingOverload]  # of two chains the one that knows more
    subject: Capture | Invocation, /
) -> InvocationAssertion: ...


@overload
def assert_that(subject: Any, /) -> ValueAssertion: ...


def assert_that(subject: Any, /) -> InvocationAssertion | ValueAssertion:
    """Begin a chain of assertions.

    Args:
        subject: a capture, whose only top-level invocation is asserted on; an invocation; or any other value, which gives an
            assertpy chain, so that one import serves a whole test.

    Returns:
        The chain.

    Raises:
        TypeError: for an invocation that belongs to no capture, and for a capture block that was not entered.

    Example:
        >>> chain = assert_that(cap).has_tool_executed("get_booking")
        >>> chain = assert_that([1, 2]).contains(2)
    """
    if isinstance(subject, Capture):
        return InvocationAssertion(subject, None)
    if isinstance(subject, Invocation):
        if not isinstance(subject.home, Capture):
            raise TypeError(f"invocation {subject.name!r} belongs to no capture: take it from `cap.invocations`")
        return InvocationAssertion(subject.home, subject.id)
    if isinstance(subject, CaptureBlock):
        raise TypeError("this is the block itself: write `with capture() as cap:` and pass `cap`")
    from agentassert.assertions.values import value_assertion

    return value_assertion(subject)
