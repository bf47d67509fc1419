"""Strands Agents."""

from __future__ import annotations

import asyncio
import importlib.util
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from strands import Agent, tool
from strands.hooks import AfterToolCallEvent, BeforeToolCallEvent
from strands.multiagent import Swarm

from agentassert.adapters.strands import ADAPTER
from agentassert.adapters.strands.adapter import StrandsAdapter, StrandsTeamsAdapter
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, Edit, HandOff, Kit, Reject, Say, Step, Tool, refuse
from tests.scripted.strands import ScriptedModel, asks_for, says

memory: Any = importlib.import_module("strands.memory") if importlib.util.find_spec("strands.memory") else None
HANDOFF = "handoff_to_agent"


class Hooks:
    """The hooks that an agent of the contract has: Strands leaves it to them which failures end it, and what a person is asked."""

    def __init__(self, tools: Sequence[Tool], retries: int) -> None:
        self.told = {one.function.__name__ for one in tools if one.tells_errors}
        self.gated = {one.function.__name__ for one in tools if one.needs_approval}
        self.retries = retries

    def register_hooks(self, registry: Any, **kwargs: Any) -> None:
        registry.add_callback(BeforeToolCallEvent, self.gate)
        registry.add_callback(AfterToolCallEvent, self.judge)

    def gate(self, event: BeforeToolCallEvent) -> None:
        if event.tool_use["name"] not in self.gated:
            return
        answer = event.interrupt("approval", reason=event.tool_use["input"])
        if answer["decision"] == "reject":
            event.cancel_tool = answer.get("reason") or True
        elif "arguments" in answer:
            event.tool_use = {**event.tool_use, "input": answer["arguments"]}

    def judge(self, event: AfterToolCallEvent) -> None:
        # An agent that handed over would ask its model once more; the state is shared with the agent that goes on.
        event.invocation_state["request_state"]["stop_event_loop"] = event.tool_use["name"] == HANDOFF
        if event.exception is None or event.selected_tool is None or event.tool_use["name"] in self.told:
            return
        if not self.retries:
            raise event.exception
        self.retries -= 1
        event.retry = True


class Shelf:
    """A store of memories that holds these texts."""

    name = "shelf"
    description = max_search_results = extraction = None
    writable = False

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    async def search(self, query: str, options: Any = None) -> list[Any]:
        return [memory.MemoryEntry(text) for text in self.texts]


class StrandsKit(Kit):
    """Agents with function tools; a handoff is one in a swarm."""

    framework = ADAPTER
    title = "Strands Agents"
    adapters = (StrandsTeamsAdapter, StrandsAdapter)
    own_warnings = (r"request_state\['stop_event_loop'\] is deprecated",)

    @property
    def cannot(self) -> Mapping[str, str]:
        cannot = {"stream": "Strands streams in async code alone; elsewhere an agent calls a handler back."}
        if memory is None:
            cannot["retrieval"] = "This release knows no retrievers; a tool that retrieves is a tool execution."
        return cannot

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent | Swarm:
        agent = Agent(
            name=name,
            model=ScriptedModel(*map(_step, script)),
            tools=[tool(one.function) for one in tools],
            hooks=[Hooks(tools, retries)],
            callback_handler=None,
        )
        return Swarm([agent, *handoffs]) if handoffs else agent

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        if heard is not None:
            agent.hooks.add_callback(BeforeToolCallEvent, lambda event: heard.append(event.tool_use["name"]))
        return agent(question)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        return await agent.invoke_async(question)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        parts = agent.stream_async(question)
        try:
            async for part in parts:
                yield part
        finally:
            await parts.aclose()

    def text_of(self, result: Any) -> str:
        if hasattr(result, "node_history"):
            result = result.results[result.node_history[-1].node_id].result
        return "".join(block["text"] for block in result.message["content"])

    def resume(self, agent: Any, result: Any, answer: Answer) -> Any:
        response = _response(answer)
        return agent([{"interruptResponse": {"interruptId": one.id, "response": response}} for one in result.interrupts])

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        if memory is None:
            refuse("retrievers")
        manager = memory.MemoryManager(stores=[Shelf(texts)])
        return lambda query: [entry.content for entry in asyncio.run(manager.search(query))]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Agent, "stream_async")]


def _response(answer: Answer) -> dict[str, Any]:
    match answer:
        case Approve():
            return {"decision": "approve"}
        case Reject(reason):
            return {"decision": "reject", "reason": reason}
        case Edit(arguments):
            return {"decision": "approve", "arguments": arguments}


def _step(step: Step) -> Any:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff(to, call_id):
            return asks_for((HANDOFF, {"agent_name": to, "message": "Over to you."}, call_id))
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())
