"""From events to turns, in one pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, TypeVar

from agentassert.raw_events import RawEvent
from agentassert.turns import Conversation, Stretch, Turn

_UNWINDING: Final = "NEXT:END"
"""The step from which a cancelled flow is led to its end."""

_C = TypeVar("_C", bound=Conversation)


def conversation_of(made: type[_C], events: Iterable[RawEvent], *, id: str | None = None) -> _C:
    """The conversation that these events tell of, of the class `made`."""
    everything = tuple(events)
    starts = [place for place, event in enumerate(everything) if event["event"] == "user"]
    ends = [*starts[1:], len(everything)]
    unwound = unwound_flows(everything)
    return made(
        prior=Stretch(events=everything[: starts[0] if starts else None], unwound=unwound),
        turns=tuple(
            Turn(index=index, events=everything[start:end], first=start, unwound=unwound)
            for index, (start, end) in enumerate(zip(starts, ends, strict=False))
        ),
        id=id,
    )


def unwound_flows(events: Iterable[RawEvent]) -> frozenset[int]:
    """The places at which flows "complete" that were cancelled: they are led to their ends, which is reported like a completion.

    A flow that was started again after it was cancelled may really complete; its unwinding is then told by its step.

    Example:
        >>> cancelled = {"event": "flow_cancelled", "flow_id": "pay"}
        >>> unwound_flows([cancelled, {"event": "flow_completed", "flow_id": "pay", "step_id": "NEXT:END"}])
        frozenset({1})
    """
    found: set[int] = set()
    restarted: dict[Any, bool] = {}
    """Flows that are still to be led to their ends, and whether they were started again meanwhile."""
    for place, event in enumerate(events):
        kind = event["event"]
        if kind == "flow_cancelled":
            restarted[event["flow_id"]] = False
        elif kind == "flow_started" and event["flow_id"] in restarted:
            restarted[event["flow_id"]] = True
        elif kind == "flow_completed" and event["flow_id"] in restarted:
            was_restarted = restarted.pop(event["flow_id"])
            if not was_restarted or event.get("step_id") == _UNWINDING:
                found.add(place)
    return frozenset(found)
