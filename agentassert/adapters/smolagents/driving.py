"""Running agents of smolagents."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from smolagents.agents import MultiStepAgent

from agentassert.adapters.driver import Answer, Driver, Pause, as_text
from agentassert.adapters.smolagents import tools
from agentassert.adapters.smolagents.messages import FINAL_ANSWER


class SmolagentsDriver(Driver):
    """Runs agents with `run`, in a thread, since it is no coroutine."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, MultiStepAgent)

    def tools_of(self, agent: Any) -> list[str] | None:
        return [name for name in (*agent.tools, *agent.managed_agents) if name != FINAL_ANSWER]

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        names = self.tools_of(agent) or []
        for managed in agent.managed_agents.values():
            names += self.tools_in_reach_of(managed) or []
        return names

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        await asyncio.to_thread(agent.run, as_text(payload), reset=self._resets())
        return None

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        raise NotImplementedError("agents of smolagents wait for nobody")

    def _resets(self) -> bool:
        return True

    def for_conversation(self) -> Driver:
        return SmolagentsConversation()

    def install_doubles(self) -> None:
        _install_doubles()


class SmolagentsConversation(SmolagentsDriver):
    """Lets the agent keep its memory from one run to the next."""

    def __init__(self) -> None:
        self._is_new = True

    def _resets(self) -> bool:
        was_new, self._is_new = self._is_new, False
        return was_new


@functools.cache
def _install_doubles() -> None:
    tools.install()
