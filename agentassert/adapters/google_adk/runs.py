"""The runs that go on, and the agents that work in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from agentassert import recorder
from agentassert.adapters.base import guarded, holding, inside
from agentassert.adapters.google_adk import ADAPTER
from agentassert.recording.events import InvocationEvent, ModelCallEvent


class Asked(NamedTuple):
    """What a confirmation is asked for."""

    tool: str
    arguments: Any
    call_id: str | None


class Work:
    """One agent at work, over any number of suspensions.

    Attributes:
        output: what it has answered so far.
        call: its last request to a model, whose tool requests get their ids only when ADK has made an event of the response.
        asked: what it waits for, by the ids of ADK's own requests.
        is_suspended: whether it has stopped to wait.
    """

    __slots__ = ("asked", "call", "event", "is_suspended", "name", "output", "run")

    def __init__(self, name: str, event: InvocationEvent, run: Run | None) -> None:
        self.name = name
        self.event = event
        self.run: Run = Run(self) if run is None else run
        self.output: Any = None
        self.call: ModelCallEvent | None = None
        self.asked: dict[str, Asked] = {}
        self.is_suspended = False

    def suspend(self) -> None:
        """It waits for a human."""
        self.is_suspended = True
        self.event.suspend()

    def resume(self) -> None:
        """It goes on."""
        self.is_suspended = False
        self.event.resume()


class Run:
    """One run of a runner.

    Attributes:
        root: the work of the runner's own agent.
        is_rooted: whether that agent has begun.
        works: by the names of the agents, the last work of each.
        transfers: by the name of the agent that is to go on, the work that it was transferred from.
    """

    __slots__ = ("is_rooted", "root", "transfers", "works")

    def __init__(self, root: Work) -> None:
        self.root = root
        self.is_rooted = False
        self.works: dict[str, Work] = {root.name: root}
        self.transfers: dict[str, Work] = {}

    @property
    def event(self) -> InvocationEvent:
        """The invocation of the runner's own agent."""
        return self.root.event

    @property
    def asked(self) -> set[str]:
        """What the run waits for."""
        return {key for work in self.works.values() for key in work.asked}


position: ContextVar[Work | None] = ContextVar("agentassert_google_adk_work", default=None)
"""The work that the running code is part of."""


@contextmanager
def within(work: Work) -> Iterator[None]:
    """What happens inside is part of the work; a generator enters it anew for each of its parts."""
    work.event.advanced()
    with inside(work.event), holding(position, work):
        yield


@guarded(ADAPTER)
def stop(work: Work, error: BaseException) -> None:
    """An error ends the work, or it is cancelled, or its stream is left."""
    recorder.end_by(work.event, error)
