"""The agents that wait for a human, until they are resumed: in the same captures, in others, or never."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.langchain.approvals import Interrupted
from agentassert.adapters.langchain.runs import AgentRun, GraphStart, Key

_REMEMBERED: Final = 1_000


class _Suspension:
    """What one saver keeps of a run that waits for a human; its agent is let go once no capture of it is open."""

    __slots__ = ("_kind", "_saver", "agent", "waiting")

    def __init__(self, agent: AgentRun) -> None:
        self.agent: AgentRun | None = agent
        self.waiting = list(agent.waiting)
        self._saver = None if agent.start is None or agent.around is not None else agent.start.saver
        self._kind = None if self._saver is None else type(self._saver())

    def is_kept_by(self, saver: Any) -> bool:
        """Whether it is in this very saver; what is suspended inside another run is known by that run alone."""
        return self._saver is None or self._saver() is saver

    def may_be_kept_by(self, saver: Any) -> bool:
        """Whether it may be in this saver: several of a kind may stand for one database, but memory is of one object only."""
        return self._kind is type(saver) and all(kind.__name__ != "InMemorySaver" for kind in type(saver).__mro__)

    def let_go(self) -> bool:
        """Forget an agent that can no longer go on; whether there is nothing left to remember."""
        if self.agent is not None and not recorder.is_open(self.agent.event):
            self.agent = None
        return self.agent is None and not self.waiting


class Suspended:
    """The agents that wait for a human, and what for: by thread and name, which savers that know nothing of each other may share."""

    def __init__(self) -> None:
        self._kept: dict[Key, list[_Suspension]] = {}
        self._lock = threading.Lock()

    def put(self, agent: AgentRun) -> None:
        """Keep an agent until it goes on, in place of what waited on its thread in the same captures."""
        if agent.key is None:
            return
        suspension = _Suspension(agent)
        saver = None if agent.start is None else agent.start.saver()
        with self._lock:
            replaced = [one for one in self._kept.get(agent.key, ()) if one.is_kept_by(saver) and _in_captures_of(agent, one)]
            self._drop(one for one in self._all() if one in replaced or one.let_go())
            self._kept.setdefault(agent.key, []).append(suspension)
            self._drop(list(self._all())[:-_REMEMBERED])

    def take(self, key: Key | None, start: GraphStart) -> AgentRun | None:
        """The agent that goes on, if it waited in the captures that listen now; in other captures it is an invocation of its own."""
        saver = start.saver()
        with self._lock:
            kept = self._kept.get(key or (), ())
            here = [one for one in kept if one.agent is not None and recorder.listens(one.agent.event)]
            found = [one for one in here if one.is_kept_by(saver)] or [one for one in here if one.may_be_kept_by(saver)]
            if len(found) == 1:
                self._drop(found)
                return found[0].agent
        if found:
            recorder.note(_several(start))
        return None

    def take_waiting(self, key: Key | None, start: GraphStart) -> list[Interrupted]:
        """What a thread waits for where no capture of that time is open; what one that is open waits for stays there."""
        saver = start.saver()
        with self._lock:
            kept = [one for one in self._kept.get(key or (), ()) if one.is_kept_by(saver)]
            self._drop(one for one in kept if one.let_go() or one.agent is None)
            return kept[-1].waiting if kept else []

    def forget(self, key: Key | None, start: GraphStart) -> None:
        """Drop what waits on a thread that is given something new, by which LangGraph drops its interrupts; not what another capture sees wait."""
        saver = start.saver()
        with self._lock:
            kept = [one for one in self._kept.get(key or (), ()) if one.is_kept_by(saver)]
            self._drop([one for one in kept if one.let_go() or one.agent is None or recorder.listens(one.agent.event)])

    def find(self, interrupt_id: str) -> Interrupted | None:
        """What an interrupt asks, as long as nobody has answered it."""
        with self._lock:
            waiting = [one for suspension in self._all() for one in suspension.waiting]
        return next((one for one in reversed(waiting) if one.id == interrupt_id), None)

    def _all(self) -> Iterator[_Suspension]:
        return itertools.chain.from_iterable(self._kept.values())

    def _drop(self, dropped: Iterable[_Suspension]) -> None:
        gone = set(dropped)
        if gone:
            kept = {key: [one for one in ones if one not in gone] for key, ones in self._kept.items()}
            self._kept = {key: ones for key, ones in kept.items() if ones}


def _in_captures_of(agent: AgentRun, suspension: _Suspension) -> bool:
    return suspension.agent is not None and suspension.agent.event.captures == agent.event.captures


def _several(start: GraphStart) -> str:
    return (
        f"several invocations of {start.name!r} wait on thread {start.thread!r}, and nothing says which of them was resumed: "
        "the resumption is an invocation of its own; give the agents names or the threads ids that differ"
    )
