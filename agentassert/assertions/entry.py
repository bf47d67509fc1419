"""`assert_that`: the one entry to every assertion."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar, overload

from agentassert import watching
from agentassert.captures import Capture
from agentassert.capturing import CaptureBlock
from agentassert.records import Invocation

if TYPE_CHECKING:
    from agentassert.assertions.conversation import ConversationAssertion
    from agentassert.assertions.invocation import InvocationAssertion
    from agentassert.assertions.misuse import Guarded
    from agentassert.assertions.values import ValueAssertion
    from agentassert.turns import Conversation, Turn

_Chain = TypeVar("_Chain", bound="Guarded")


@overload
def assert_that(  # pyright: ignore[reportOverlappingOverload]  # of two chains the one that knows more
    subject: Capture | Invocation, /
) -> InvocationAssertion: ...


@overload
def assert_that(  # pyright: ignore[reportOverlappingOverload]  # likewise
    subject: Conversation | Turn, /
) -> ConversationAssertion: ...


@overload
def assert_that(subject: Any, /) -> ValueAssertion: ...


def assert_that(subject: Any, /) -> InvocationAssertion | ConversationAssertion | ValueAssertion:
    """Begin a chain of assertions.

    Args:
        subject: a capture, whose only top-level invocation is asserted on; an invocation; a conversation, or a turn of one; or any
            other value, which gives an assertpy chain, so that one import serves a whole test.

    Returns:
        The chain.

    Raises:
        TypeError: for an invocation that belongs to no capture, and for a capture block that was not entered.

    Example:
        >>> chain = assert_that(cap).has_tool_executed("get_booking")
        >>> chain = assert_that([1, 2]).contains(2)
    """
    if isinstance(subject, Capture):
        return _on_invocation(subject, None)
    if isinstance(subject, Invocation):
        if not isinstance(subject.home, Capture):
            raise TypeError(f"invocation {subject.name!r} belongs to no capture: take it from `cap.invocations`")
        return _on_invocation(subject.home, subject.id)
    if isinstance(subject, CaptureBlock):
        raise TypeError("this is the block itself: write `with capture() as cap:` and pass `cap`")
    if _is_of_conversation(subject):
        from agentassert.assertions.conversation import ConversationAssertion

        return _begun(ConversationAssertion(subject))
    from agentassert.assertions.values import value_assertion

    return _begun(value_assertion(subject))


def _on_invocation(capture: Capture, invocation_id: str | None) -> InvocationAssertion:
    from agentassert.assertions.invocation import InvocationAssertion  # a file of tests that is only collected asserts nothing

    return _begun(InvocationAssertion(capture, invocation_id), capture)


def _begun(chain: _Chain, capture: Capture | None = None) -> _Chain:
    watching.chain_begun(chain, capture)
    return chain


def _is_of_conversation(subject: Any) -> bool:
    turns = sys.modules.get("agentassert.turns")  # where nobody has loaded it, there are no conversations
    return turns is not None and isinstance(subject, (turns.Conversation, turns.Turn))
