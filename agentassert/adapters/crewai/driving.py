"""Running agents, crews and flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crewai import Agent, Crew, Flow
from crewai.utilities.string_utils import sanitize_tool_name

from agentassert.adapters.crewai.doubles import install_doubles
from agentassert.adapters.driver import Answer, Driver, Pause, as_text


class CrewAIDriver(Driver):
    """Runs agents by what a user says, crews and flows by their inputs."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, (Agent, Crew, Flow))

    def tools_of(self, agent: Any) -> list[str] | None:
        if isinstance(agent, Flow):
            return None
        parts = [agent] if isinstance(agent, Agent) else [*agent.agents, *agent.tasks]
        if any(getattr(part, "mcps", None) or getattr(part, "apps", None) for part in parts):
            return None  # they are asked for when the agent runs
        return list(dict.fromkeys(sanitize_tool_name(tool.name) for part in parts for tool in part.tools or ()))

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        if isinstance(agent, Agent):
            await agent.kickoff_async(as_text(payload))
            return None
        result = await agent.kickoff_async(inputs=_inputs(agent, payload))
        if hasattr(result, "__aiter__"):
            async for _ in result:
                pass
        return None

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        raise NotImplementedError("CrewAI asks people at the terminal: its runs do not stop for an answer")

    def for_conversation(self) -> Driver:
        return CrewAIConversation()

    def install_doubles(self) -> None:
        install_doubles()


class CrewAIConversation(CrewAIDriver):
    """Tells an agent what was said before; crews and flows run on inputs, and keep nothing of each other."""

    def __init__(self) -> None:
        self._said: list[Any] = []

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        if not isinstance(agent, Agent):
            raise NotImplementedError("a crew or a flow of CrewAI cannot go on with a conversation; an agent can")
        self._said.append({"role": "user", "content": as_text(payload)})
        answer = await agent.kickoff_async([*self._said])
        self._said.append({"role": "assistant", "content": answer.raw})
        return None


def _inputs(agent: Crew | Flow[Any], payload: str | Mapping[str, Any]) -> dict[str, Any]:
    """A mapping as it is; a text is the one input that a crew's tasks and agents have a place for."""
    if isinstance(payload, Mapping):
        return dict(payload)
    places = sorted(agent.fetch_inputs()) if isinstance(agent, Crew) else []
    if len(places) != 1:
        known = f" It has {', '.join(places)}." if places else ""
        raise TypeError(f"a text is for agents, and for crews with exactly one input; pass a mapping of inputs.{known}")
    return {places[0]: payload}
