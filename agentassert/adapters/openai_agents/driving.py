"""Running agents of the SDK."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents import Agent, Runner, RunState

from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.adapters.openai_agents.doubles import install_doubles
from agentassert.jsonlike import decode


class OpenAIAgentsDriver(Driver):
    """Runs agents with `Runner.run`."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, Agent)

    def tools_of(self, agent: Any) -> list[str] | None:
        return None if agent.mcp_servers else [str(tool.name) for tool in agent.tools]

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        names: list[str] = []
        for one in _in_reach_of(agent, set()):
            own = None if one is None else self.tools_of(one)
            if own is None:
                return None
            names += own
        return names

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        return _pause(await self._result(agent, as_text(payload)))

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        state = pause.state.to_state()
        for answer in answers:
            _decide(state, answer)
        return _pause(await self._result(agent, state))

    async def _result(self, agent: Any, given: Any) -> Any:
        return await Runner.run(agent, given)

    def for_conversation(self) -> Driver:
        return OpenAIAgentsConversation()

    def install_doubles(self) -> None:
        install_doubles()


class OpenAIAgentsConversation(OpenAIAgentsDriver):
    """Gives the agent what was said before, as `result.to_input_list()` has it."""

    def __init__(self) -> None:
        self._history: list[Any] = []

    async def _result(self, agent: Any, given: Any) -> Any:
        told = [*self._history, {"role": "user", "content": given}] if isinstance(given, str) else given
        result = await super()._result(agent, told)
        self._history = result.to_input_list()
        return result


def _in_reach_of(agent: Any, seen: set[int]) -> Iterator[Any]:
    """The agent and those that it hands over to or has for tools; `None` for one that a handoff hides."""
    if id(agent) in seen:
        return
    seen.add(id(agent))
    yield agent
    instances = [getattr(tool, "_agent_instance", None) for tool in agent.tools]
    for one in (*map(_target_of, agent.handoffs), *(instance for instance in instances if instance is not None)):
        if one is None:
            yield None
        else:
            yield from _in_reach_of(one, seen)


def _target_of(handoff: Any) -> Any:
    if isinstance(handoff, Agent):
        return handoff
    reference = getattr(handoff, "_agent_ref", None)
    return None if reference is None else reference()


def _pause(result: Any) -> Pause | None:
    if not result.interruptions:
        return None
    pending = [PendingApproval(str(item.name), _parsed(item.arguments), item.call_id, item) for item in result.interruptions]
    return Pause(tuple(pending), result)


def _decide(state: RunState[Any], answer: Answer) -> None:
    if answer.response is not None:
        raise ValueError(f"the OpenAI Agents SDK takes no response to the approval of {answer.pending.tool!r}; leave it out")
    if answer.approves:
        state.approve(answer.pending.key)
    elif "rejection_message" in inspect.signature(state.reject).parameters:  # older releases take no reason
        state.reject(answer.pending.key, rejection_message=answer.words)
    else:
        state.reject(answer.pending.key)


def _parsed(arguments: Any) -> Any:
    return decode(arguments) if arguments else {}
