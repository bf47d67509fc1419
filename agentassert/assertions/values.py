"""Chains over plain values: assertpy's, failing the way ours do."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from assertpy.assertpy import AssertionBuilder

from agentassert import render
from agentassert.assertions.conversation import ConversationAssertion
from agentassert.assertions.invocation import InvocationAssertion
from agentassert.assertions.misuse import Guarded
from agentassert.assertions.soft import collected
from agentassert.errors import AgentAssertionError, UnknownNameError
from agentassert.failures import hidden

__tracebackhide__ = hidden

_LONGEST: Final = 2_000
"""Characters of a message; assertpy shows both values in full."""
_OURS: Final = frozenset(name for name in dir(InvocationAssertion) if not name.startswith("_"))
_OF_CONVERSATIONS: Final = frozenset(name for name in dir(ConversationAssertion) if not name.startswith("_")) - _OURS


class ValueAssertion(Guarded, AssertionBuilder):  # type: ignore[misc]  # assertpy is not typed
    """An assertpy chain whose failures are `AgentAssertionError` and take part in our soft assertions."""

    def __agentassert_begin__(self, when_dropped: Callable[[], object]) -> None:
        super().__agentassert_begin__(when_dropped)
        self.__class__ = _Begun  # pyright: ignore[reportAttributeAccessIssue]

    def error(self, msg: str) -> ValueAssertion:
        """Fail; assertpy calls this for every failed assertion."""
        shown = render.error(msg, limit=_LONGEST)
        described = f"[{self.description}] {shown}" if self.description else shown
        failure = AgentAssertionError(described, subject=self.description or "the value", actual=self.val)
        if not collected(failure):
            raise failure
        return self

    def builder(self, val: Any, description: str = "", kind: str | None = None, expected: Any = None, logger: Any = None) -> Any:
        """Go on with another value; assertpy calls this when it navigates."""
        return ValueAssertion(val, description, kind, expected, logger)

    def __getattr__(self, name: str) -> Any:
        if name in _OURS:
            raise UnknownNameError(
                f"{name} is an assertion on a captured run, but this is a chain over {type(self.val).__name__}: pass the capture, "
                f"as in assert_that(cap).{name}(…)",
                name=name,
            )
        if name in _OF_CONVERSATIONS:
            raise UnknownNameError(
                f"{name} is an assertion on a conversation, but this is a chain over {type(self.val).__name__}: pass the conversation, "
                f"or a turn of it, as in assert_that(conversation.turn(0)).{name}(…)",
                name=name,
            )
        try:
            return AssertionBuilder.__getattr__(self, name)
        except AttributeError as error:
            raise UnknownNameError(str(error), name=name) from None


class _Begun(ValueAssertion):
    """A chain of which nothing has been asked so far; from the first assertion on it is as any other."""

    __agentassert_checked__ = False

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and name != "described_as":
            self.__class__ = ValueAssertion  # pyright: ignore[reportAttributeAccessIssue]
        return ValueAssertion.__getattribute__(self, name)


class _Ignored(ValueAssertion):
    """What follows a failed navigation in a soft block: whatever is asserted is ignored."""

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("_"):
            return super().__getattribute__(name)
        return functools.partial(_itself, self)


def _itself(chain: _Ignored, *_: Any, **__: Any) -> _Ignored:
    return chain


def value_assertion(value: Any, description: str = "") -> ValueAssertion:
    """A chain over `value`, whose messages begin with `[description]`."""
    return ValueAssertion(value, description)


def ignored_value() -> ValueAssertion:
    """A chain that ignores whatever is asserted."""
    return _Ignored(None)
