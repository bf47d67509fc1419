"""What came of running cases, and the JSON that tells it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any, Final

import attrs

from agentassert.suites.confidence import reaches, wilson_bounds

COMMAND_PLUGIN: Final = "agentassert_command"
"""The pytest plugin of `agentassert test`, which is told how far a test run has come, and what became of its report."""
MOST_SHOWN_RUNS: Final = 3
"""How many failed runs of a case its JSON shows in full."""


class CaseStatus(enum.StrEnum):
    """How a case ended. `ERROR`: runs broke for reasons that are not the agent's, and with them it might have passed."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"


@attrs.frozen(kw_only=True)
class RunResult:
    """One run of a case.

    Args:
        reasons: why it failed, a text each; empty when it passed.
        error: why it broke, for reasons that are not the agent's (no connection to a judge, a hook of ours); such a run neither passed
            nor failed.
        duration: seconds.
        recorded: the tool executions, in lines; `None` when nothing was wrong with what the agent did.
        told: what the JSON tells of a run that did not pass.
    """

    reasons: tuple[str, ...] = ()
    error: str | None = None
    duration: float = 0.0
    recorded: str | None = None
    told: dict[str, Any] = attrs.field(factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing was wrong."""
        return not self.reasons and self.error is None


@attrs.frozen(kw_only=True)
class CaseResult:
    """All runs of a case.

    Args:
        agent: the name of the agent.
        name: the name of the case.
        place: where it stands, as `file:line`.
        runs: the runs, in order.
        threshold: the percentage of runs that must pass.
        confidence: how sure that must be; `None` for the percentage alone.

    Example:
        >>> result = CaseResult(agent="a", name="n", place="a.yaml:3", threshold=80, runs=(RunResult(), RunResult(reasons=("no",))))
        >>> result.status, result.successes
        (<CaseStatus.FAILED: 'failed'>, 1)
    """

    agent: str
    name: str
    place: str
    runs: tuple[RunResult, ...]
    threshold: int
    confidence: float | None = None

    @property
    def successes(self) -> int:
        """How many runs passed."""
        return sum(run.passed for run in self.runs)

    @property
    def errors(self) -> int:
        """How many runs broke."""
        return sum(run.error is not None for run in self.runs)

    @property
    def status(self) -> CaseStatus:
        """Whether enough runs passed."""
        if self._reached(self.successes):
            return CaseStatus.PASSED
        return CaseStatus.ERROR if self.errors and self._reached(self.successes + self.errors) else CaseStatus.FAILED

    def _reached(self, successes: int) -> bool:
        return reaches(successes, len(self.runs), self.threshold, self.confidence)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The Wilson bounds of the rate of passing runs in percent, where a confidence is asked for."""
        if self.confidence is None:
            return None
        lower, upper = wilson_bounds(self.successes, len(self.runs), self.confidence)
        return round(100 * lower, 1), round(100 * upper, 1)

    @property
    def reason(self) -> str | None:
        """Why it did not pass: what was wrong with its runs, each thing once, with how many runs it was; and what the first did."""
        if self.status is CaseStatus.PASSED:
            return None
        counts: dict[str, int] = {}
        for run in self.runs:
            for reason in dict.fromkeys(run.reasons if run.error is None else (f"error: {run.error}",)):
                counts[reason] = counts.get(reason, 0) + 1
        many = len(self.runs) > 1
        lines = [f"{reason} (in {count} of {len(self.runs)} runs)" if many else reason for reason, count in counts.items()]
        if self.interval is not None and self.successes:
            lower, upper = self.interval
            lines.append(f"{self.successes} of {len(self.runs)} runs passed: the rate is between {lower:g} % and {upper:g} %")
        first = next((run.recorded for run in self.runs if run.recorded is not None), None)
        if first is not None:
            lines.append(f"In the first run that failed:\n{first}" if many else first)
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The case in the JSON of `agentassert test --json`.

        Example:
            >>> CaseResult(agent="a", name="n", place="a.yaml:3", threshold=100, runs=(RunResult(),)).to_json()["agent_run_passed"]
            [True]
        """
        told = [run.told for run in self.runs if not run.passed]
        content: dict[str, Any] = {
            "agent_name": self.agent,
            "test_name": self.name,
            "file": self.place,
            "passed": self.status is CaseStatus.PASSED,
            "status": str(self.status),
            "successes": self.successes,
            "errors": self.errors,
            "runs": len(self.runs),
            "success_threshold": self.threshold,
            "failure_reason": self.reason,
            "agent_run_passed": [run.passed for run in self.runs],
        }
        if self.confidence is not None:
            content["success_confidence"] = self.confidence
            content["success_interval"] = list(self.interval or ())
        if self.status is not CaseStatus.PASSED:
            content["failed_runs"] = {"total_failed": len(told), "shown": told[:MOST_SHOWN_RUNS]}
        return content


def overall(cases: Iterable[dict[str, Any]]) -> CaseStatus:
    """How a whole test run ended, by its cases as JSON.

    Example:
        >>> overall([{"status": "passed"}, {"status": "error"}])
        <CaseStatus.ERROR: 'error'>
    """
    seen = {case["status"] for case in cases}
    for status in (CaseStatus.FAILED, CaseStatus.ERROR):
        if status in seen:
            return status
    return CaseStatus.PASSED
