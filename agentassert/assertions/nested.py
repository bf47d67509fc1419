"""Assertions on nested invocations, and the way from a chain to theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from agentassert.assertions.base import Chain, said
from agentassert.assertions.given import callback_argument, count_argument, text_argument
from agentassert.checks import nesting
from agentassert.checks.callbacks import holds
from agentassert.checks.view import NO_MARKS, Marks, View
from agentassert.failures import Failure, hidden

if TYPE_CHECKING:
    from agentassert.assertions.invocation import InvocationAssertion

__tracebackhide__ = hidden


class NestedAssertions(Chain):
    """Invocations below this one, at any depth. None of these needs a scope."""

    def has_nested_invocation(self, name: str) -> Self:
        """Pass when an invocation of that name was started by the work of this one, at any depth.

        Args:
            name: the nested agent's name.

        Raises:
            AgentAssertionError: when none was.

        Example:
            >>> chain = assert_that(cap_of_team).has_nested_invocation("researcher")
        """
        text_argument("has_nested_invocation", name)
        return self._passes(lambda view: nesting.has_nested(view, name), said("has_nested_invocation", name), scoped=False)

    def has_nested_invocation_times(self, name: str, n: int) -> Self:
        """Pass when there are `n` nested invocations of that name, at any depth.

        Args:
            name: the nested agent's name.
            n: how many.

        Raises:
            AgentAssertionError: when there are more or less.

        Example:
            >>> chain = assert_that(cap_of_team).has_nested_invocation_times("researcher", 1)
        """
        text_argument("has_nested_invocation_times", name)
        count_argument("has_nested_invocation_times", n)
        shown = said("has_nested_invocation_times", name, n)
        return self._passes(lambda view: nesting.has_nested_times(view, name, n), shown, scoped=False)

    def has_nested_invocation_satisfying(self, name: str, requirement: Callable[[InvocationAssertion], Any]) -> Self:
        """Pass when the chain of one nested invocation of that name satisfies the requirement.

        Args:
            name: the nested agent's name.
            requirement: a function of a chain, run once for each candidate; what it checked on one that fails is not marked.

        Raises:
            AgentAssertionError: when none does, saying for each why not.

        Example:
            >>> chain = assert_that(cap_of_team).has_nested_invocation_satisfying(
            ...     "researcher", lambda nested: nested.has_tool_executed("search")
            ... )
        """
        method = "has_nested_invocation_satisfying"
        text_argument(method, name)
        callback_argument(method, requirement)

        def check(view: View) -> Failure | Marks:
            candidates = nesting.nested_named(view.root, name)
            verdicts = [holds(requirement, self._chain_of(one.id)) for one in candidates]
            if any(verdict.matched for verdict in verdicts):
                return NO_MARKS
            return nesting.none_satisfies(view, name, [verdict.reason for verdict in verdicts])

        return self._passes(check, f"{method}({name!r}, …)", scoped=False)

    def nested_invocation(self, name: str) -> InvocationAssertion:
        """The chain of the only nested invocation of that name, at any depth; it shares the books, and has no scope yet.

        Args:
            name: the nested agent's name.

        Raises:
            AgentAssertionError: when there is none.
            AmbiguousError: when there are several.

        Example:
            >>> chain = assert_that(cap_of_team).nested_invocation("researcher").has_tool_executed("search")
        """
        text_argument("nested_invocation", name)
        found = self._navigates(lambda view: nesting.only_nested(view, name), scoped=False)
        chain = self._chain_of(self._invocation_id if found is None else found.id, dead=found is None)
        chain.__agentassert_checked__ = True
        return chain

    def _chain_of(self, invocation_id: str | None, *, dead: bool = False) -> InvocationAssertion:
        from agentassert.assertions.invocation import InvocationAssertion

        return InvocationAssertion(self._capture, invocation_id, description=self._description, dead=dead)
