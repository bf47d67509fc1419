"""What an examination came to: the expectations that are not met, and what is checked if all are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from agentassert.checks.view import NO_MARKS, Marks
from agentassert.errors import AgentAssertionError
from agentassert.failures import Failure


@attrs.frozen(eq=False)
class Findings:
    """What of several expectations is not met.

    Args:
        failures: one for each that is not.
        marks: what is checked when there is none.
    """

    failures: tuple[Failure, ...] = ()
    marks: Marks = NO_MARKS

    @classmethod
    def of(cls, verdicts: Iterable[Failure | Marks]) -> Findings:
        """The findings that single verdicts add up to."""
        failures: list[Failure] = []
        marks: dict[str, int] = {}
        for verdict in verdicts:
            if isinstance(verdict, Failure):
                failures.append(verdict)
            else:
                marks.update(verdict)
        return cls(tuple(failures), marks)

    @property
    def kind(self) -> type[AgentAssertionError]:
        """The class of the error: what is unmet for certain comes before what nobody can decide."""
        kinds = [one.kind for one in self.failures]
        return AgentAssertionError if AgentAssertionError in kinds else kinds[0]


def overall(findings: Findings) -> Failure | Marks:
    """The verdict on everything: the only failure, or all of them as one."""
    failures = findings.failures
    if not failures:
        return findings.marks
    if len(failures) == 1:
        return failures[0]
    return Failure(
        expected="to meet everything that is expected",
        found=f"but {len(failures)} expectations are not met",
        details=told(failures),
        kind=findings.kind,
        differences=tuple(f"{one.expected}, {one.found}" for one in failures),
        important=tuple(execution_id for one in failures for execution_id in one.important),
    )


def told(failures: Sequence[Failure]) -> tuple[str, ...]:
    """Failures as lines, each with its details below it."""
    lines: list[str] = []
    for one in failures:
        lines.append(f"{one.expected}, {one.found}")
        lines += [f"    {line}" for line in (*one.details, *(() if one.advice is None else (one.advice,)))]
    return tuple(lines)
