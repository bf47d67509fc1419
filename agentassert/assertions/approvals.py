"""Assertions on what people decided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from agentassert import render
from agentassert.assertions.base import Chain, said
from agentassert.assertions.given import text_argument
from agentassert.checks import approvals
from agentassert.checks.arguments import compile_arguments
from agentassert.failures import hidden

__tracebackhide__ = hidden


class ApprovalAssertions(Chain):
    """What people were asked about an invocation's tools, and what they decided."""

    def has_approval_requested(
        self, tool: str, arguments: Mapping[str, Any] | Callable[[dict[str, Any]], Any] | None = None
    ) -> Self:
        """Pass when a human was asked about the tool, whatever was decided.

        Args:
            tool: the tool's name.
            arguments: what it was about to be called with, matched like `has_tool_executed_with`.

        Raises:
            AgentAssertionError: when nobody was asked.

        Example:
            >>> chain = assert_that(cap).has_approval_requested("cancel_booking", {"booking_number": "MS-777"})
        """
        text_argument("has_approval_requested", tool, "tool")
        matcher = None if arguments is None else compile_arguments(arguments)
        described = "" if arguments is None else f" with {render.value(arguments)}"
        shown = said("has_approval_requested", tool, *(() if arguments is None else (arguments,)))
        return self._passes(lambda view: approvals.asked_for(view, tool, matcher, described), shown)

    def has_tool_approved(self, tool: str) -> Self:
        """Pass when a human approved the tool, as it was asked or edited.

        Args:
            tool: the tool's name.

        Raises:
            AgentAssertionError: when nobody did.

        Example:
            >>> chain = assert_that(cap).has_tool_approved("cancel_booking")
        """
        text_argument("has_tool_approved", tool, "tool")
        return self._passes(lambda view: approvals.approved(view, tool), said("has_tool_approved", tool))

    def has_tool_rejected(self, tool: str) -> Self:
        """Pass when a human rejected the tool.

        Args:
            tool: the tool's name.

        Raises:
            AgentAssertionError: when nobody did.

        Example:
            >>> chain = assert_that(cap).has_tool_rejected("refund")
        """
        text_argument("has_tool_rejected", tool, "tool")
        return self._passes(lambda view: approvals.rejected(view, tool), said("has_tool_rejected", tool))

    def has_no_pending_approvals(self) -> Self:
        """Pass when every approval that was asked for was decided.

        Raises:
            AgentAssertionError: when one waits.
            NotRecordedError: when an adapter that recorded here cannot see approvals.

        Example:
            >>> chain = assert_that(cap).has_no_pending_approvals()
        """
        return self._passes(approvals.none_pending, said("has_no_pending_approvals"))
