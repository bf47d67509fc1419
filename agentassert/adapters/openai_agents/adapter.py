"""Where the SDK is hooked into."""

from __future__ import annotations

import sys

from agentassert import recorder
from agentassert.adapters.base import APPROVALS, CHAT, REQUESTS, TOOL_FAILURES, Adapter, guarded, needs
from agentassert.adapters.driver import Driver
from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.runs import position
from agentassert.recording.events import Event


class OpenAIAgentsAdapter(Adapter):
    """Wraps the two methods that every run goes through, and gives each run hooks of its own.

    The SDK's own traces are not used: they are empty where tracing is disabled, lose our processor when a program sets its own, and
    hold failures as redacted texts. The spans are there all the same, and what is told to them is what the SDK knows of a tool's error.
    """

    name = ADAPTER
    distribution = "openai-agents"
    tested = ("0.10.5", "0.24.0")
    sees = frozenset({TOOL_FAILURES, CHAT, APPROVALS, REQUESTS})

    @classmethod
    def meets_framework(cls) -> bool:
        return hasattr(sys.modules["agents.run"], "Runner")  # `agents` is a likely name for a program's own package

    @classmethod
    def driver(cls) -> Driver:
        from agentassert.adapters.openai_agents.driving import OpenAIAgentsDriver

        return OpenAIAgentsDriver()

    def install(self) -> None:
        with needs():
            # Each from the module that defines it: when the trigger was imported, the package itself may not be complete.
            from agentassert.adapters.openai_agents import patches
        patches.install()
        self.resolver = current_event


@guarded(ADAPTER)
def current_event() -> Event | None:
    """What the running code is part of."""
    place = position.get()
    if place is None:
        return None
    event = place.event
    owner = event.owner
    if owner is not None and owner.ended_order is not None and not recorder.is_open(event):
        return None  # a context that outlived its run and its capture says nothing about what runs in it now
    return event
