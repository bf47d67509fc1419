"""What is wrong with what was recorded, case by case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

import attrs

from agentassert.captures import Capture
from agentassert.checks.messages import said_by_user
from agentassert.checks.values import equal
from agentassert.driving.payloads import decoded
from agentassert.errors import AdapterError, StoredCaptureError
from agentassert.records import Invocation
from agentassert.storing.pieces import Piece
from agentassert.storing.reading import capture_of
from agentassert.suites.known_tools import KnownTools
from agentassert.suites.python_files import described
from agentassert.suites.stored.choosing import Choice, Chosen, Request
from agentassert.suites.verdicts import recorded, unmet_by

_NOTHING_KNOWN: Final = KnownTools()
_NOTHING_THERE: Final = "no invocation was recorded, so no case was applied"


@attrs.frozen(kw_only=True)
class Verdict:
    """A case that an invocation does not pass.

    Args:
        case: its place among those chosen.
        place: where the invocation was recorded, as `file:line`.
        invocation: the name of the agent.
        reasons: why it does not pass, a text each.
        recorded: its tool executions, in lines.
        error: why nobody can say whether it passes: a hook of this library broke.
    """

    case: int
    place: str
    invocation: str
    reasons: tuple[str, ...] = ()
    recorded: str | None = None
    error: str | None = None


@attrs.define
class Report:
    """What came of some pieces.

    Args:
        captures: how many were read.
        passed: how many invocations passed each case.
        verdicts: those that did not.
        strangers: agents that no case is for, and how many invocations each of them had.
        problems: what could not be read, in a line each.
        doubts: of captures whose recording is in doubt, where they stand and why.
    """

    captures: int = 0
    passed: Counter[int] = attrs.field(factory=Counter)
    verdicts: list[Verdict] = attrs.field(factory=list)
    strangers: Counter[str] = attrs.field(factory=Counter)
    problems: list[str] = attrs.field(factory=list)
    doubts: list[str] = attrs.field(factory=list)


class Examiner:
    """Applies the cases that were chosen.

    Args:
        request: how.
        choice: the cases.
    """

    def __init__(self, request: Request, choice: Choice) -> None:
        self._request = request
        self._cases = choice.cases
        self._of_agent = choice.of_agent()

    def examine(self, pieces: Iterable[Piece]) -> Report:
        """Read each piece, and apply every case to each invocation in it that is of its agent."""
        report = Report()
        for piece in pieces:
            try:
                capture = capture_of(piece)
            except StoredCaptureError as error:
                report.problems.append(str(error))
                continue
            report.captures += 1
            doubts = [*capture.health.doubts, *(() if capture.invocations else (_NOTHING_THERE,))]
            if doubts:
                # Where a doubt passes nothing, what no case is applied to must not pass for having been checked.
                told = report.problems if self._request.refuse_doubt and not capture.invocations else report.doubts
                told.append(f"{piece.place}: {'; '.join(doubts)}")
            for invocation in capture.invocations:
                self._look_at(self._named(invocation, capture), capture, piece.place, report)
        return report

    def _named(self, invocation: Invocation, capture: Capture) -> Invocation:
        """An invocation that names no agent, under the name of the one whose work it is said to be."""
        agent = self._request.agent
        is_nobodys = invocation.implicit and capture.name is None
        return attrs.evolve(invocation, name=agent) if is_nobodys and agent is not None else invocation

    def _look_at(self, invocation: Invocation, capture: Capture, place: str, report: Report) -> None:
        cases = self._of_agent.get(invocation.name)
        if cases is None:
            report.strangers[invocation.name] += 1
            return
        told = f"{place} (invocation {invocation.id})" if len(capture.invocations) > 1 else place
        for index in cases:
            chosen = self._cases[index]
            if self._request.match_payload and not was_given(invocation, chosen.case.payload):
                continue
            verdict = self._in_doubt(index, invocation, capture, told) or _verdict(index, chosen, invocation, capture, told)
            if verdict is None:
                report.passed[index] += 1
            else:
                report.verdicts.append(verdict)

    def _in_doubt(self, index: int, invocation: Invocation, capture: Capture, place: str) -> Verdict | None:
        health = capture.health
        if not self._request.refuse_doubt or not health.doubts or health.faults:
            return None
        reason = f"The recording cannot be relied on: {'; '.join(health.doubts)}"
        return Verdict(case=index, place=place, invocation=invocation.name, reasons=(reason,))


def _verdict(index: int, chosen: Chosen, invocation: Invocation, capture: Capture, place: str) -> Verdict | None:
    expectations = chosen.case.expectations
    told: dict[str, Any] = {"case": index, "place": place, "invocation": invocation.name}
    try:
        reasons = tuple(unmet_by(invocation, capture, expectations, {}, _NOTHING_KNOWN))
        return Verdict(**told, reasons=reasons, recorded=recorded(invocation, expectations)) if reasons else None
    except AdapterError as broken:
        return Verdict(**told, error=str(broken))
    except Exception as broken:  # what cannot be judged says nothing about the agent, and must not hide the others
        return Verdict(**told, error=described(broken))


def was_given(invocation: Invocation, payload: str | None) -> bool:
    """Whether an agent was given this payload: as it is, as the object that it is the JSON of, or as what the user said last.

    Example:
        >>> was_given(Invocation(id="1", name="a", input={"messages": [("user", "Hi")]}), "Hi")
        True
        >>> was_given(Invocation(id="1", name="a", input={"id": 7.0}), '{"id": 7}')
        True
    """
    given = invocation.input
    if given is None and invocation.own_chat_model_calls:
        given = invocation.own_chat_model_calls[0].messages
    return payload is not None and (equal(decoded(payload), given) or said_by_user(given) == payload)
