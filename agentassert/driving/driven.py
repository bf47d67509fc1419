"""What came of driving an agent once."""

from __future__ import annotations

import warnings

import attrs

from agentassert import render
from agentassert.adapters.driver import PendingApproval
from agentassert.captures import Capture
from agentassert.driving.approving import ApprovalDecision, same_tool
from agentassert.errors import AgentAssertionError, UnknownToolWarning
from agentassert.failures import levels_to_the_test
from agentassert.text.nearest import nearest


@attrs.frozen
class Driven:
    """A run that is over, or that waits for a decision nobody made.

    Args:
        capture: what was recorded.
        unmatched: the requests for approval that no decision fitted; the run stopped there.
        unused: the decisions that nothing asked for.
        mock_problems: what went wrong with mocks, a sentence each: calls that the real tool would have refused, tools that had no mock
            while mocks were strict, mocks of tools that there are not, and real tools that ran in the place of their mocks.
    """

    capture: Capture
    unmatched: tuple[PendingApproval, ...] = ()
    unused: tuple[ApprovalDecision, ...] = ()
    mock_problems: tuple[str, ...] = ()

    def problems(self, *, strict_approvals: bool = False) -> tuple[str, ...]:
        """What must fail a test, whatever it asserts: a sentence each, empty when there is nothing.

        Args:
            strict_approvals: whether requests without a decision, and decisions without a request, are problems.

        Example:
            >>> from agentassert.driving import drive
            >>> drive(lambda payload: payload, "Hi", mocks={"get_prize": returns(7)}).problems()
            ("'get_prize' is mocked, but no tool of this name was offered or executed",)
        """
        if not strict_approvals:
            return self.mock_problems
        unmatched = [f"approval of {_call(one)} was asked for, and no decision fits" for one in self.unmatched]
        unused = [f"nothing asked for the decision {_described(one)}" for one in self.unused]
        return (*self.mock_problems, *unmatched, *unused)

    def hints(self) -> tuple[str, ...]:
        """Why the run may have stopped where it did, a sentence each: decisions that nothing asked for, by almost the right name."""
        waiting = {one.tool for one in self.unmatched}
        misnamed = [one for one in self.unused if not any(same_tool(one.tool, tool) for tool in waiting)]
        near = [(one, nearest(one.tool, waiting)) for one in misnamed]
        return tuple(
            f"nothing asked for the decision {_described(one)}; did you mean {meant[0]!r}, which waits for one?"
            for one, meant in near
            if meant
        )

    def conclude(self, *, strict_approvals: bool = False) -> None:
        """Fail when there are problems; else warn of the hints, which failure messages tell from then on.

        Raises:
            AgentAssertionError: with all problems.
        """
        found = self.problems(strict_approvals=strict_approvals)
        if found:
            names = ", ".join(repr(one.name) for one in self.capture.invocations) or "the agent"
            lines = "\n".join(f"  {problem}" for problem in found)
            raise AgentAssertionError(
                f"Expected the run of {names} to go by its approvals and mocks, but:\n{lines}",
                subject=f"the run of {names}",
                expected="a run that goes by its approvals and mocks",
                actual=found,
            )
        for hint in self.hints():
            self.capture.doubt(hint)
            warnings.warn(UnknownToolWarning(hint), stacklevel=levels_to_the_test())


def _call(pending: PendingApproval) -> str:
    return f"{pending.tool!r} with {render.value(pending.arguments)}"


def _described(decision: ApprovalDecision) -> str:
    condition = "" if decision.params is None else f" where {decision.params}"
    return f"to {decision.decision} {decision.tool!r}{condition}"
