"""Assertions in the language of the suites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from agentassert import render
from agentassert.assertions.base import Chain, said
from agentassert.books import Written
from agentassert.checks.view import Marks, View
from agentassert.failures import Failure, hidden

if TYPE_CHECKING:
    from agentassert.expressions import Expectations

__tracebackhide__ = hidden


class ExpressionAssertions(Chain):
    """What a test suite asks of an invocation, asked in Python. These look at one invocation alone, so they need no scope."""

    def satisfies(self, expression: str, context: Mapping[str, Any] | None = None) -> Self:
        """Pass when the invocation satisfies an expression about its result.

        One that looks at neither `status` nor `error` also asks that the invocation completed. One that does, and passes, lets the
        assertions that follow look at what happened, however it ended.

        Args:
            expression: a condition on `output`, `output_text`, `error`, `status` and `context`.
            context: what it reads as `context`.

        Raises:
            AgentAssertionError: when it does not.
            NotRecordedError: when that depends on what was not recorded.
            ValueError: when the expression cannot be read.

        Example:
            >>> chain = assert_that(cap).satisfies('status == "completed" and "Cancelled" in output')
            >>> chain = assert_that(cap_of_failed).satisfies('"no answer" in error')
        """
        from agentassert.expressions import RESULT_NAMES, Expectations, Expression

        shown = said("satisfies", expression, *(() if context is None else (context,)))
        return self._examined(Expectations(result=Expression.parse(expression, RESULT_NAMES)), context, shown)

    def meets(
        self,
        *,
        expected_result: str | None = None,
        expected_tool_calls: Sequence[str | Mapping[str, str]] | None = None,
        expected_tool_call_order: Sequence[str] | None = None,
        expected_no_tool_calls: Sequence[str] | None = None,
        expected_child_agents: Mapping[str, Mapping[str, Any]] | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> Self:
        """Pass when the invocation meets every expectation, written as in a test suite; the failure tells all that it does not meet.

        Marks the executions that the expectations are about. What counts is that a tool was called, not how its execution ended.

        Args:
            expected_result: an expression, as :meth:`satisfies` takes it; without one the invocation must have completed.
            expected_tool_calls: names of tools, or mappings from one name to an expression on `params`, `result`, `invocations` and
                `context`.
            expected_tool_call_order: names of tools, in the order in which they started; others may lie between.
            expected_no_tool_calls: names of tools that were not called.
            expected_child_agents: for the names of triggered agents what is expected of them: any of these, `expected_payload` and
                `expected_triggered`.
            context: what expressions read as `context`.

        Raises:
            AgentAssertionError: when it does not.
            NotRecordedError: when that depends on what was not recorded.
            ValueError: when nothing is expected, or an expectation cannot be read.

        Example:
            >>> chain = assert_that(cap).meets(
            ...     expected_tool_calls=["get_booking", {"cancel_booking": 'params.booking_number == "MS-777" and invocations == 1'}],
            ...     expected_no_tool_calls=["delete_account"],
            ... )
            >>> chain = assert_that(cap_of_team).meets(expected_child_agents={"researcher": {"expected_tool_calls": ["search"]}})
        """
        from agentassert.expressions import Expectations

        given = {
            "expected_result": expected_result,
            "expected_tool_calls": expected_tool_calls,
            "expected_tool_call_order": expected_tool_call_order,
            "expected_no_tool_calls": expected_no_tool_calls,
            "expected_child_agents": expected_child_agents,
        }
        given = {name: value for name, value in given.items() if value is not None}
        if not given:
            raise ValueError("meets: nothing is expected; give expected_result, expected_tool_calls or another expectation")
        shown = ", ".join(f"{name}={render.value(value)}" for name, value in given.items())
        return self._examined(Expectations.parse(given), context, f"meets({shown})")

    def _examined(self, expectations: Expectations, context: Mapping[str, Any] | None, shown: Written) -> Self:
        from agentassert.expressions.findings import overall
        from agentassert.expressions.tool_names import unknown_names
        from agentassert.expressions.unmet import context_of, examined

        if context is not None and not isinstance(context, Mapping):
            raise TypeError(f"context must be a mapping, but was {render.value(context)} ({type(context).__name__})")
        values = context_of(context)
        misspelt: list[str] = []

        def check(view: View) -> Failure | Marks:
            around = self._view_of((view.root,), with_strays=True)
            misspelt.extend(unknown_names(around, expectations.tool_names))
            return overall(examined(around, expectations, values))

        result = expectations.result
        unlocks = result is not None and result.mentions("status", "error")
        return self._passes(
            check,
            shown,
            scoped=False,
            gated=False,
            on_pass=self._unlock if unlocks else None,
            names=misspelt,
            negative=True,
        )
