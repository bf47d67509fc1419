"""Which captures of a test lie inside another one, whose tree shows what theirs would.

A conversation that is held with an agent, for example, is a capture with one inside it for each thing said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from agentassert.books import EITHER
from agentassert.plugin.attempts import Opened, unnoticed

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.recording.events import CaptureState


@attrs.frozen
class Shown:
    """A capture that is shown, and not inside another one.

    Args:
        capture: it.
        within: those that lie inside it, each with what the ids of its records lack to those of the same records in `capture`.
    """

    capture: Capture
    within: list[tuple[Capture, int]] = attrs.field(factory=list)

    @property
    def checked(self) -> list[str]:
        """The ids of the tool executions that were checked, in it or in one inside it."""
        inside = (_moved(one, lacks) for capture, lacks in self.within for one in _marked(capture))
        return list(dict.fromkeys((*_marked(self.capture), *inside)))


def shown(opened: Mapping[Capture, Opened | None]) -> list[Shown]:
    """What is to be shown of the captures of a test.

    One that lies inside another has a place of its own if it is in doubt and the other is not for the same reason, or if more was
    recorded in it, because the other was closed before.

    Args:
        opened: the captures in the order opened, each with how; `None`: nobody knows what lies around it.
    """
    found: list[Shown] = []
    homes: dict[CaptureState, Shown] = {}
    for capture, how in list(opened.items()):  # a thread may open another one meanwhile
        home = None if how is None else _home(how.state, homes)
        if how is None or home is None or _has_more_doubts(capture, home[1].capture):
            found.append(Shown(capture))
            if how is not None:
                homes[how.state] = found[-1]
        else:
            state, around = home
            around.within.append((capture, how.state.opened_order - state.opened_order))
    return found


def _home(state: CaptureState, homes: Mapping[CaptureState, Shown]) -> tuple[CaptureState, Shown] | None:
    return next(((one, homes[one]) for one in state.enclosing if one in homes and _outlasts(one, state)), None)


def _outlasts(outer: CaptureState, inner: CaptureState) -> bool:
    if outer.closed_order is None:
        return True
    return inner.closed_order is not None and inner.closed_order < outer.closed_order


def _has_more_doubts(inner: Capture, outer: Capture) -> bool:
    with unnoticed(inner), unnoticed(outer):
        return not set(inner.health.doubts) <= set(outer.health.doubts)


def _marked(capture: Capture) -> list[str]:
    return [execution_id for execution_id, outcomes in capture.books.marks.items() if outcomes == EITHER]


def _moved(execution_id: str, lacks: int) -> str:
    order, point, index = execution_id.partition(".")
    return f"{int(order) + lacks}{point}{index}"
