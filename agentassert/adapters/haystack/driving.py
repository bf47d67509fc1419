"""Running agents and pipelines of Haystack."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args, get_origin

from haystack.core.pipeline.base import PipelineBase
from haystack.dataclasses import ChatMessage
from haystack.tools.tool import Tool
from haystack.tools.toolset import Toolset

from agentassert.adapters.base import holding
from agentassert.adapters.driver import Answer, Driver, Pause, as_text
from agentassert.adapters.haystack.runs import called


class HaystackDriver(Driver):
    """Runs agents on a user's message, and pipelines on their inputs; who stands in for a person is asked while they run."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, PipelineBase) or _is_agent(agent)

    def tools_of(self, agent: Any) -> list[str] | None:
        names: list[str] = []
        for one in _agents_in(agent):
            own = _names_in(one.tools)
            if own is None:
                return None
            names += own
        return names

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        with holding(called, name):
            await (self._run_agent if _is_agent(agent) else _run_pipeline)(agent, payload)
        return None

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        raise NotImplementedError("an agent of Haystack asks while it runs")

    async def _run_agent(self, agent: Any, payload: str | Mapping[str, Any]) -> Any:
        return await agent.run_async(**_inputs_of(agent, payload))

    def for_conversation(self) -> Driver:
        return HaystackConversation()

    def install_doubles(self) -> None:
        from agentassert.adapters.haystack.tools import install_doubles

        install_doubles()


class HaystackConversation(HaystackDriver):
    """Gives an agent what was said before, but for what it says itself at the beginning of each run."""

    def __init__(self) -> None:
        self._said: list[ChatMessage] = []

    async def _run_agent(self, agent: Any, payload: str | Mapping[str, Any]) -> Any:
        inputs = _inputs_of(agent, payload)
        result = await agent.run_async(**{**inputs, "messages": [*self._said, *inputs["messages"]]})
        self._said = [one for one in result["messages"] if one.role.value != "system"]
        return result


def _is_agent(agent: Any) -> bool:
    from haystack.components.agents.agent import Agent

    return isinstance(agent, Agent)


def _agents_in(agent: Any) -> Iterator[Any]:
    """The agent, or those that are components of the pipeline."""
    parts = [agent] if _is_agent(agent) else [part for _, part in agent.walk()]
    return (part for part in parts if _is_agent(part))


def _names_in(tools: Any) -> list[str] | None:
    """The names of tools; `None` where only a run can tell, such as those of an MCP server."""
    names: list[str] = []
    for one in [tools] if isinstance(tools, Toolset) else tools or ():
        if isinstance(one, Tool):
            names.append(one.name)
        elif type(one) is Toolset:
            names += [tool.name for tool in one]
        else:
            return None
    return names


def _inputs_of(agent: Any, payload: str | Mapping[str, Any]) -> dict[str, Any]:
    """What an agent is run with: a mapping of its own inputs as they are, anything else as what the user says."""
    inputs = agent.__haystack_input__
    if isinstance(payload, Mapping) and payload and all(inputs.get(name) is not None for name in payload):
        said = payload.get("messages", [])
        return {**payload, "messages": [ChatMessage.from_user(said)] if isinstance(said, str) else said}
    return {"messages": [ChatMessage.from_user(as_text(payload))]}


async def _run_pipeline(pipeline: Any, payload: str | Mapping[str, Any]) -> None:
    data = payload if isinstance(payload, Mapping) else _only_input(pipeline, payload)
    if hasattr(pipeline, "run_async"):
        await pipeline.run_async(data)
    else:  # before Haystack 3
        await asyncio.to_thread(pipeline.run, data)


def _only_input(pipeline: Any, said: str) -> dict[str, Any]:
    """Where a text belongs: to the only input that the pipeline needs."""
    needed = [
        (part, name, one["type"])
        for part, inputs in pipeline.inputs().items()
        for name, one in inputs.items()
        if one["is_mandatory"]
    ]
    if len(needed) != 1:
        names = ", ".join(f"{part}.{name}" for part, name, _ in needed) or "none"
        raise ValueError(f"a pipeline that needs one input can be given a text, but this one needs {names}; give it a mapping")
    ((part, name, kind),) = needed
    takes_messages = get_origin(kind) is list and ChatMessage in get_args(kind)
    return {part: {name: [ChatMessage.from_user(said)] if takes_messages else said}}
