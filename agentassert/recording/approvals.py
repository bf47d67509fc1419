"""From decisions as they came to approvals: what was waited for and then decided is one."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable
from typing import TypeAlias

import attrs

from agentassert.recording.events import ApprovalEvent
from agentassert.recording.joining import Requested
from agentassert.recording.requests import key_of, parsed_arguments
from agentassert.records import Approval, Decision

_Sign: TypeAlias = tuple[str, str, str]


def approvals_of(events: Iterable[ApprovalEvent], requested: Requested) -> tuple[Approval, ...]:
    """A decision settles the pending approval it is about: by call id, else by tool and arguments, else (an edit) by tool."""
    approvals: list[Approval] = []
    pending = _Pending()
    for event in events:
        call_id = requested.call_id_of(event.call_id, event.tool, event.order)
        arguments = parsed_arguments(event.arguments)
        asked = Approval(tool=event.tool, arguments=arguments, decision=event.decision, reason=event.reason, call_id=call_id)
        place = None if event.decision is Decision.PENDING else pending.take(asked)
        if place is not None:
            approvals[place] = attrs.evolve(approvals[place], decision=event.decision, reason=event.reason)
            continue
        if event.decision is Decision.PENDING:
            pending.add(len(approvals), asked)
        approvals.append(asked)
    return tuple(approvals)


class _Pending:
    """The places of the approvals that wait, first asked first, found by what a decision may name."""

    def __init__(self) -> None:
        self._of_tool: defaultdict[str, dict[int, None]] = defaultdict(dict)
        self._by_sign: defaultdict[_Sign, deque[int]] = defaultdict(deque)

    def add(self, place: int, asked: Approval) -> None:
        self._of_tool[asked.tool][place] = None
        for sign in _signs(asked):
            self._by_sign[sign].append(place)

    def take(self, decided: Approval) -> int | None:
        waiting = self._of_tool[decided.tool]
        for sign in _signs(decided):
            places = self._by_sign[sign]
            while places and places[0] not in waiting:  # taken by another sign
                places.popleft()
            if places:
                del waiting[places[0]]
                return places.popleft()
        if decided.decision is not Decision.EDIT or not waiting:
            return None
        place = next(iter(waiting))
        del waiting[place]
        return place


def _signs(approval: Approval) -> list[_Sign]:
    by_id = [] if approval.call_id is None else [(approval.tool, "id", approval.call_id)]
    return [*by_id, (approval.tool, "arguments", key_of(approval.arguments))]
