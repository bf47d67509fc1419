"""What is in a suite file, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from agentassert.driving.approving import ApprovalDecision
from agentassert.expressions.expectations import Expectations


@attrs.frozen(kw_only=True)
class Case:
    """One test of a suite, the suite's defaults included.

    Args:
        name: unique in its file.
        line: where it stands in the file.
        payload: what the agent is given, as it is written; `None` when a builder makes it.
        files: names of files below `files/`.
        builder: the module below `builders/` that makes the payload.
        builder_args: what the builder is given; shared by everything that reads it, so copy it before it leaves your hands.
        mocks: the module below `mocks/` that stands in for tools.
        strict_mocks: whether a tool without a mock must not run.
        strict_hook_mocks: the same for hooks.
        strict_middleware_mocks: the same for middleware.
        strict_guardrail_mocks: the same for guardrails.
        approval_decisions: what is decided when tools wait for approval, in the order of the file.
        strict_approval_decisions: whether every request must have a decision, and every decision its request.
        runs: how many times the test is run.
        success_threshold: the percentage of runs that must pass.
        success_confidence: how sure that must be; `None` for the percentage alone.
        timeout_s: seconds that one run may take.
        expectations: what is expected of every run.
    """

    name: str
    line: int
    payload: str | None = None
    files: tuple[str, ...] = ()
    builder: str | None = None
    builder_args: Mapping[str, Any] = attrs.field(factory=dict)
    mocks: str | None = None
    strict_mocks: bool
    strict_hook_mocks: bool
    strict_middleware_mocks: bool
    strict_guardrail_mocks: bool
    approval_decisions: tuple[ApprovalDecision, ...] = ()
    strict_approval_decisions: bool
    runs: int
    success_threshold: int
    success_confidence: float | None = None
    timeout_s: int
    expectations: Expectations

    @property
    def asserted_tools(self) -> frozenset[str]:
        """The tools of which it is expected that they are called, or how often: those that coverage counts."""
        return frozenset((*(call.name for call in self.expectations.tool_calls), *self.expectations.tool_call_order))


@attrs.frozen(kw_only=True)
class Suite:
    """The tests of one agent that stand in one file.

    Args:
        file: where they stand.
        directory: the suites directory that the file was found in; `files/`, `builders/` and `mocks/` are below it.
        agent: the name of the agent.
        cases: the tests, in the order of the file.
    """

    file: Path
    directory: Path
    agent: str
    cases: tuple[Case, ...]

    def file_of(self, name: str) -> Path:
        """Where a file that a test names is."""
        return self.directory / "files" / name

    def builder_of(self, name: str) -> Path:
        """Where the module of a builder is."""
        return self.directory / "builders" / f"{name}.py"

    def mocks_of(self, name: str) -> Path:
        """Where a module of mocks is."""
        return self.directory / "mocks" / f"{name}.py"
