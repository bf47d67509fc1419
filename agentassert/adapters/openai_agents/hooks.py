"""The hooks of a run: ours, around the user's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.agent import Agent
from agents.items import ModelResponse
from agents.lifecycle import RunHooks
from agents.run_context import RunContextWrapper
from agents.tool import Tool

from agentassert.adapters.base import guarded
from agentassert.adapters.openai_agents import ADAPTER, models, tools
from agentassert.adapters.openai_agents.runs import Run


class Hooks(RunHooks[Any]):
    """Records, and calls the user's hooks: before, where a thing starts, since an error of theirs keeps it from starting."""

    def __init__(self, run: Run, theirs: RunHooks[Any] | None) -> None:
        self._run = run
        self._theirs: RunHooks[Any] = RunHooks() if theirs is None else theirs

    async def on_llm_start(
        self, context: RunContextWrapper[Any], agent: Agent[Any], system_prompt: str | None, input_items: list[Any]
    ) -> None:
        await self._theirs.on_llm_start(context, agent, system_prompt, input_items)
        models.start(self._run, agent, system_prompt, input_items)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse) -> None:
        models.end(self._run, response)
        await self._theirs.on_llm_end(context, agent, response)

    async def on_tool_start(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool) -> None:
        await self._theirs.on_tool_start(context, agent, tool)
        tools.start(self._run, tool)

    async def on_tool_end(self, context: RunContextWrapper[Any], agent: Agent[Any], tool: Tool, result: Any) -> None:
        tools.end(self._run, tool, result)
        await self._theirs.on_tool_end(context, agent, tool, result)

    async def on_handoff(self, context: RunContextWrapper[Any], from_agent: Agent[Any], to_agent: Agent[Any]) -> None:
        _hand_off(self._run, to_agent)
        await self._theirs.on_handoff(context=context, from_agent=from_agent, to_agent=to_agent)


@guarded(ADAPTER)
def _hand_off(run: Run, agent: Agent[Any]) -> None:
    run.hand_off(agent)


def _passing_on(name: str) -> Callable[..., Any]:
    async def hook(self: Hooks, *args: Any, **kwargs: Any) -> None:
        await getattr(self._theirs, name)(*args, **kwargs)

    return hook


# What does not concern us is the user's all the same, and so is what a later release adds.
for _name in dir(RunHooks):
    if _name.startswith("on_") and _name not in vars(Hooks):
        setattr(Hooks, _name, _passing_on(_name))
