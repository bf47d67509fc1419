"""Running agents, swarms and graphs of Strands."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from weakref import WeakKeyDictionary

from strands.agent.agent import Agent
from strands.agent.state import AgentState
from strands.multiagent.base import MultiAgentBase
from strands.types.tools import AgentTool

from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.adapters.patching import wrap_family
from agentassert.adapters.strands import tools

_before: Final[WeakKeyDictionary[Agent, tuple[Any, Any]]] = WeakKeyDictionary()
"""The messages and the state that agents had before a run that may still go on."""


class StrandsDriver(Driver):
    """Runs agents, each time as if it were the first: an agent keeps its conversation itself, so what a run added to it is undone."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, (Agent, MultiAgentBase))

    def tools_of(self, agent: Any) -> list[str] | None:
        return list(agent.tool_names) if isinstance(agent, Agent) else []

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        return [name for one in _agents_in(agent) for name in one.tool_names]

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        self._prepare(agent)
        return await self._go_on(agent, as_text(payload))

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        return await self._go_on(agent, [_response(answer) for answer in answers])

    def for_conversation(self) -> Driver:
        return StrandsConversation()

    def install_doubles(self) -> None:
        _install_doubles()

    async def _go_on(self, agent: Any, prompt: Any) -> Pause | None:
        try:
            result = await agent.invoke_async(prompt)
        except BaseException:
            self._clean_up(agent)
            raise
        if result.interrupts:
            return Pause(tuple(_pending(agent, one) for one in result.interrupts), None)
        self._clean_up(agent)
        return None

    def _prepare(self, agent: Any) -> None:
        """Undo what a run left behind that was never answered, and remember how things stand."""
        self._clean_up(agent)
        for one in _agents_in(agent):
            _before[one] = copy.deepcopy(one.messages), one.state.get()

    def _clean_up(self, agent: Any) -> None:
        for one in _agents_in(agent):
            if one in _before:
                one.messages[:], state = _before.pop(one)
                one.state = AgentState(state)
        for one in (agent, *_agents_in(agent)):
            if hasattr(one, "_interrupt_state"):
                one._interrupt_state.deactivate()  # noqa: SLF001


class StrandsConversation(StrandsDriver):
    """Goes on with the conversation that the agent keeps, which began empty."""

    def __init__(self) -> None:
        self._has_begun = False

    def _prepare(self, agent: Any) -> None:
        if not isinstance(agent, Agent):
            raise NotImplementedError("swarms and graphs of Strands begin anew with each task, so they hold no conversation")
        if not self._has_begun:
            self._has_begun = True
            super()._prepare(agent)

    def _clean_up(self, agent: Any) -> None:
        """What is said stays until another driver runs the agent."""


@functools.cache
def _install_doubles() -> None:
    """Have doubles looked for also where nothing is captured."""
    wrap_family(AgentTool, {"stream": tools.running})


def _agents_in(agent: Any) -> Iterator[Agent]:
    """The agents that work in it: itself, the members of a team, and those that they have for tools."""
    if isinstance(agent, Agent):
        yield agent
        for tool in agent.tool_registry.registry.values():
            yield from _agents_in(getattr(tool, "agent", None))
    elif isinstance(agent, MultiAgentBase):
        for node in getattr(agent, "nodes", {}).values():
            yield from _agents_in(node.executor)


def _pending(agent: Any, interrupt: Any) -> PendingApproval:
    """What an interrupt asks: about the request of a tool whose id is in its own, the innermost where agents run agents."""
    asked = [(interrupt.id.rfind(f":{use['toolUseId']}:"), use) for one in _agents_in(agent) for use in _requests_of(one)]
    place, use = max(reversed(asked), key=lambda one: one[0], default=(-1, None))
    if use is None or place < 0:
        return PendingApproval(interrupt.name, interrupt.reason, None, interrupt.id)
    return PendingApproval(use["name"], use["input"], use["toolUseId"], interrupt.id)


def _requests_of(agent: Agent) -> list[Any]:
    if not agent._interrupt_state.activated:  # noqa: SLF001
        return []
    last = next((message for message in reversed(agent.messages) if message["role"] == "assistant"), None)
    return [block["toolUse"] for block in (last or {}).get("content", ()) if "toolUse" in block]


def _response(answer: Answer) -> dict[str, Any]:
    """In the words of Strands' own hooks, unless the decision has others: JSON as its value, other text as it is."""
    told: Any = "y" if answer.approves else "n"
    if answer.response is not None:
        try:
            told = json.loads(answer.response)
        except ValueError:
            told = answer.response
    return {"interruptResponse": {"interruptId": answer.pending.key, "response": told}}
