"""The runs of agents, from their beginning over any number of suspensions to their end."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from contextvars import ContextVar
from typing import Any, Final

from agentassert import recorder
from agentassert.adapters.base import guarded
from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.adapters.pydantic_ai.messages import calls_in, last_response
from agentassert.recording.events import InvocationEvent, ToolEvent

UNNAMED: Final = "agent"
"""What Pydantic AI calls an agent without a name."""

running: ContextVar[Run | None] = ContextVar("agentassert_pydantic_ai_run", default=None)
"""The run that the running code is part of."""


class Run:
    """One invocation, over any number of runs in Pydantic AI's sense.

    Attributes:
        asked: the call ids of the approvals that it waits for.
        deferred: by their call ids, the tools that began, and whose results come from elsewhere.
    """

    __slots__ = ("asked", "deferred", "event")

    def __init__(self, event: InvocationEvent) -> None:
        self.event = event
        self.asked: set[str] = set()
        self.deferred: dict[str, ToolEvent] = {}


def begin(agent: Any, prompt: Any) -> Run | None:
    """An agent starts to work; `None` where no capture listens."""
    event = recorder.start_invocation(str(agent.name or UNNAMED), adapter=ADAPTER, input=prompt)
    return None if event is None else Run(event)


@guarded(ADAPTER)
def complete(run: Run, output: Any) -> None:
    """A run came to its end."""
    run.event.complete(output)


class Waiting:
    """The runs that wait for a decision or a result: of those that only a call id tells apart, the last one goes on."""

    def __init__(self) -> None:
        self._runs: dict[Hashable, Run] = {}
        self._lock = threading.Lock()

    def put(self, run: Run, history: Sequence[Any]) -> None:
        """Keep a run until it goes on; those whose captures are closed are let go."""
        with self._lock:
            self._runs = {key: one for key, one in self._runs.items() if recorder.is_open(one.event)}
            self._runs[_key(history)] = run

    def take(self, history: Sequence[Any]) -> Run | None:
        """The run that goes on, if it waited in the captures that listen now; in other captures it is an invocation of its own."""
        with self._lock:
            key = _key(history)
            run = self._runs.get(key)
            if run is None or not recorder.listens(run.event):
                return None
            del self._runs[key]
            return run


def _key(history: Sequence[Any]) -> Hashable:
    """What a history has in common with that of the run it continues, also when it was stored meanwhile."""
    response = last_response(history)
    if response is None:
        return None
    return getattr(response, "run_id", None), tuple(call.tool_call_id for call in calls_in(response))
