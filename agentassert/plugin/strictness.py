"""`@pytest.mark.agentassert(all_checked=True)`: a test checks every tool execution, or it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agentassert import settings
from agentassert.books import Tentative
from agentassert.errors import AgentAssertionError
from agentassert.plugin.attempts import Attempt, unnoticed
from agentassert.plugin.marks import wanted_by

if TYPE_CHECKING:
    from agentassert.captures import Capture


def check(attempt: Attempt) -> None:
    """Fail a test that must check every tool execution in its captures, and did not.

    Raises:
        pytest.fail.Exception: naming the executions.
    """
    if not attempt.opened or not isinstance(attempt.item, pytest.Function):
        return
    asked = wanted_by(attempt.item).all_checked
    if not (settings.above(attempt.item.path.parent).all_checked if asked is None else asked):
        return
    whose = "tool.agentassert.all_checked" if asked is None else "all_checked"
    wrong = [text for one in attempt.of_test if (text := _unchecked(one, whose)) is not None]
    if wrong:
        attempt.fail("\n\n".join(wrong))


def _unchecked(capture: Capture, whose: str) -> str | None:
    from agentassert.assertions.invocation import InvocationAssertion

    with unnoticed(capture):
        if not capture.invocations and capture.strays is None:
            return None
        chain = InvocationAssertion(capture, None).described_as(whose).whole_capture()
        try:
            with Tentative():  # the plugin's question is none of the test's checks
                chain.has_no_more_tool_executions()
        except AgentAssertionError as error:
            return str(error)
        return None
