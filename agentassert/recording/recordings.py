"""Where a capture's records come from: events that are recorded, or what was stored."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Final, Protocol

import attrs

from agentassert.recording import events

if TYPE_CHECKING:
    from agentassert.captures import Capture
    from agentassert.recording.building import Built
    from agentassert.stored.captures import StoredCapture

_IF_NOTHING_RAN: Final = "Was the agent run inside the block, and is its framework supported, or decorated with `record`?"
_IF_NOTHING_WAS_STORED: Final = "It was stored without one: look at what was captured, before it is stored."


@attrs.frozen
class Health:
    """How far a recording can be trusted.

    Args:
        late: events that came after their capture was closed, or after their invocation had ended; they are not recorded.
        adopted: events without a known place, given to the only open captures.
        unattributed: events of which nobody could say to which of several open captures they belong; they are not recorded.
        notes: doubts in words, such as an untested framework version or a tool name that nobody offered.
        faults: errors of this library's own hooks, which make every assertion on the capture fail.

    Example:
        >>> with capture() as cap:
        ...     pass
        >>> cap.health.doubts
        ()
    """

    late: int = 0
    adopted: int = 0
    unattributed: int = 0
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def doubts(self) -> tuple[str, ...]:
        """Everything that is doubtful, a sentence each; empty when nothing is."""
        counted = (
            (self.late, "dropped, because they came after their capture or their invocation had ended"),
            (self.adopted, "given to the only open capture, because nothing said where they belong"),
            (
                self.unattributed,
                "not recorded, because several captures were open side by side and nothing said where they belong",
            ),
        )
        return (*(f"events {what}: {count}" for count, what in counted if count), *self.notes, *self.faults)


class Recording(Protocol):
    """Where a capture's records come from."""

    name: str | None
    error: BaseException | str | None
    if_empty: str
    """What to look at when there is no invocation."""

    @property
    def is_open(self) -> bool:
        """Whether more may be recorded."""
        ...

    def built(self) -> Built:
        """The records as they are now; the same object as long as nothing changed."""
        ...

    def health(self) -> Health:
        """How far they can be trusted."""
        ...

    def visibility(self) -> Mapping[str, frozenset[str]]:
        """What each adapter is able to see."""
        ...

    def decorated_tools(self) -> Collection[str]:
        """Names of the tools whose functions would be seen when they run."""
        ...


class Live:
    """Records built from events when they are read."""

    def __init__(self, state: events.CaptureState, *, if_empty: str = _IF_NOTHING_RAN) -> None:
        self.state = state
        self.if_empty = if_empty
        self.name = state.name
        self.error: BaseException | str | None = None
        self.home: Capture | None = None
        self._built: tuple[tuple[int, int | None], Built] | None = None

    @property
    def is_open(self) -> bool:
        return self.state.closed_order is None

    def built(self) -> Built:
        now = self.state.last_order, self.state.closed_order
        if self._built is None or self._built[0] != now:
            from agentassert.recording.building import build  # of no use to a program that records, and reads nothing

            error = self.error if isinstance(self.error, BaseException) else None
            self._built = now, build(self.state, home=self.home, error=error)
        return self._built[1]

    def health(self) -> Health:
        from agentassert import render

        state = self.state
        faults = tuple(f"the {name} adapter broke: {render.error(error)}" for name, error in state.faults)
        return Health(state.late, state.adopted, state.unattributed, tuple(state.notes), faults)

    def visibility(self) -> Mapping[str, frozenset[str]]:
        return self.state.visibility

    def decorated_tools(self) -> Collection[str]:
        from agentassert.doubles.functions import known

        return known


class Loaded:
    """Records that were stored."""

    def __init__(self, stored: StoredCapture, *, if_empty: str = _IF_NOTHING_WAS_STORED) -> None:
        self._stored = stored
        self.if_empty = if_empty
        self.is_open = False
        self.name = stored.name
        self.error = stored.error
        from agentassert.recording.building import Built

        self._built = Built(stored.invocations, stored.strays)

    def belong_to(self, home: Capture) -> None:
        ids: set[str] = set()
        for top in (*self._stored.invocations, *((self._stored.strays,) if self._stored.strays is not None else ())):
            for one in top.with_nested():
                if one.id in ids:
                    from agentassert import render

                    raise ValueError(f"$.invocations: the id {render.value(one.id)} stands for several invocations")
                ids.add(one.id)
                object.__setattr__(one, "home", home)  # they were made for this capture a moment ago; nobody has seen them yet

    def built(self) -> Built:
        return self._built

    def health(self) -> Health:
        stored = self._stored
        return Health(
            late=stored.late,
            adopted=stored.adopted,
            unattributed=stored.unattributed,
            notes=stored.notes,
            faults=stored.faults,
        )

    def visibility(self) -> Mapping[str, frozenset[str]]:
        return self._stored.visibility

    def decorated_tools(self) -> Collection[str]:
        return ()
