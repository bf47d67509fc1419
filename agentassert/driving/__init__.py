"""Running an agent on a payload, with its approvals answered and its tools replaced where a test says so.

`run`, `run_async`, `mocked_tools`, `ApprovalDecision`, `returns`, `fails` and `delays` are public names of `agentassert`. What
reports on many runs (suites) uses the rest: `drive`, whose result holds the problems that `run` raises, `resolve` and `tools_of`.
"""

from __future__ import annotations

from agentassert.adapters.driver import PendingApproval
from agentassert.doubles.sets import Doubles, Resolver
from agentassert.driving.approving import ApprovalDecision
from agentassert.driving.driven import Driven
from agentassert.driving.mocking import mocked_tools
from agentassert.driving.resolving import resolve
from agentassert.driving.running import drive, drive_async, run, run_async
from agentassert.driving.targets import tools_of

__all__ = [
    "ApprovalDecision",
    "Doubles",
    "Driven",
    "PendingApproval",
    "Resolver",
    "drive",
    "drive_async",
    "mocked_tools",
    "resolve",
    "run",
    "run_async",
    "tools_of",
]
