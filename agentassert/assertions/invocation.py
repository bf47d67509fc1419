"""The chain over one invocation."""

from __future__ import annotations

from agentassert.assertions.approvals import ApprovalAssertions
from agentassert.assertions.endings import EndingAssertions
from agentassert.assertions.expressions import ExpressionAssertions
from agentassert.assertions.judging import JudgingAssertions
from agentassert.assertions.navigation import NavigationAssertions
from agentassert.assertions.nested import NestedAssertions
from agentassert.assertions.scopes import ScopeChoice
from agentassert.assertions.snapshots import SnapshotAssertions
from agentassert.assertions.tools import ToolAssertions
from agentassert.assertions.usage import UsageAssertions


class InvocationAssertion(
    ScopeChoice,
    ToolAssertions,
    EndingAssertions,
    UsageAssertions,
    ApprovalAssertions,
    NestedAssertions,
    ExpressionAssertions,
    JudgingAssertions,
    SnapshotAssertions,
    NavigationAssertions,
):
    """Assertions on one invocation, or on a whole capture. Made by `assert_that`.

    Every method returns the chain, so that assertions follow one another; navigation returns another chain. Which checks passed,
    and what is still unchecked, is what its `repr` says.

    Example:
        >>> chain = assert_that(cap).has_tool_executed("get_booking")
        >>> chain = chain.has_tool_executed_with("cancel_booking", {"booking_number": "MS-777"})
        >>> chain = chain.has_tool_execution_failed("notify").has_no_more_tool_executions()
    """
