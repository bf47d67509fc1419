"""Assertions on how an invocation ended."""

from __future__ import annotations

from typing import Self

from agentassert import render
from agentassert.assertions.base import Chain, said
from agentassert.assertions.given import text_argument
from agentassert.checks import endings
from agentassert.failures import hidden

__tracebackhide__ = hidden


class EndingAssertions(Chain):
    """How an invocation ended. These look at the invocation itself, never at nested ones."""

    def has_succeeded(self) -> Self:
        """Pass when the invocation completed: it did not fail, was not cancelled or blocked, and waits for nobody.

        Raises:
            AgentAssertionError: when it did not.

        Example:
            >>> chain = assert_that(cap).has_succeeded()
        """
        return self._passes(endings.succeeded, said("has_succeeded"), scoped=False)

    def was_cancelled(self) -> Self:
        """Pass when the invocation was cancelled; what happened before can be asserted on from then on.

        Raises:
            AgentAssertionError: when it was not.

        Example:
            >>> chain = assert_that(cap_of_cancelled).was_cancelled()
        """
        return self._passes(endings.was_cancelled, said("was_cancelled"), scoped=False, gated=False, on_pass=self._unlock)

    def was_blocked(self) -> Self:
        """Pass when a guardrail stopped the invocation; what happened before can be asserted on from then on.

        Raises:
            AgentAssertionError: when none did.

        Example:
            >>> try:
            ...     chain = assert_that(cap).was_blocked()
            ... except AssertionError as error:
            ...     print(str(error).splitlines()[1])
            but it completed.
        """
        return self._passes(endings.was_blocked, said("was_blocked"), scoped=False, gated=False, on_pass=self._unlock)

    def has_failed_with(self, *types: type[BaseException]) -> Self:
        """Pass when the invocation failed with such an error; what happened before can be asserted on from then on.

        Args:
            types: exception classes; the error, its causes (`raise … from`) and members of groups are looked at.

        Raises:
            AgentAssertionError: when it did not fail, or with another error.
            TypeError: when a type is no exception class.

        Example:
            >>> chain = assert_that(cap_of_failed).has_failed_with(TimeoutError)
        """
        if not types:
            raise ValueError("has_failed_with needs an exception class; has_failed_with(Exception) takes any failure")
        for one in types:
            if not isinstance(one, type) or not issubclass(one, BaseException):
                raise TypeError(f"has_failed_with: each type must be an exception class, but was {render.value(one)}")
        return self._passes(
            lambda view: endings.failed_with(view, types),
            f"has_failed_with({', '.join(one.__name__ for one in types)})",
            scoped=False,
            gated=False,
            on_pass=self._unlock,
        )

    def has_failed_with_message_containing(self, text: str) -> Self:
        """Pass when the invocation failed and the message of its error, or of a cause, contains `text`, case-sensitively.

        Args:
            text: the part to look for.

        Raises:
            AgentAssertionError: when it did not fail, or with another message.

        Example:
            >>> chain = assert_that(cap_of_failed).has_failed_with_message_containing("no answer")
        """
        text_argument("has_failed_with_message_containing", text, "text")
        return self._passes(
            lambda view: endings.failed_with_message_containing(view, text),
            said("has_failed_with_message_containing", text),
            scoped=False,
            gated=False,
            on_pass=self._unlock,
        )
