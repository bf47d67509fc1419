"""Running LangGraph's graphs and LangChain's runnables."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.runnables import Runnable

from agentassert.adapters.driver import Answer, Driver, Pause, PendingApproval, as_text
from agentassert.adapters.langchain.answers import resume_value
from agentassert.adapters.langchain.approvals import Question, questions_in
from agentassert.adapters.langchain.callbacks import HANDLER
from agentassert.adapters.langchain.doubles import install_doubles
from agentassert.adapters.langchain.runs import UNNAMED

_INTERRUPTS: Final = "__interrupt__"
_MESSAGES: Final = "messages"
_AGENT_NODES: Final = ("__start__", "agent", "model", "tools")
"""Those of the agent's own; the nodes of middlewares have a dot in their names."""


class RunnableDriver(Driver):
    """Runs what is no graph: a prompt piped into a model, a model alone."""

    def drives(self, agent: Any) -> bool:
        return isinstance(agent, Runnable) and not _is_graph(agent)

    def tools_of(self, agent: Any) -> list[str] | None:
        return None

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        await agent.ainvoke(payload, {} if name is None else {"run_name": name})
        return None

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        raise NotImplementedError("a runnable that is no graph never waits")

    def install_doubles(self) -> None:
        install_doubles()


class GraphDriver(Driver):
    """Runs compiled graphs, `create_agent`'s among them, each run on a thread of its own."""

    def drives(self, agent: Any) -> bool:
        return _is_graph(agent)

    def tools_of(self, agent: Any) -> list[str] | None:
        found = [names for names in map(_tools_in, agent.nodes.values()) if names is not None]
        if not found and not _is_agent(agent):
            return None  # its nodes may well call tools, which only a run tells
        return sorted({name for names in found for name in names})

    def tools_in_reach_of(self, agent: Any) -> list[str] | None:
        return self.tools_of(agent) if _is_agent(agent) else None

    async def start(self, agent: Any, payload: str | Mapping[str, Any], *, name: str | None) -> Pause | None:
        config: dict[str, Any] = {"configurable": {"thread_id": self._thread()}}
        if name is not None:
            config["run_name"] = name
        return await self._run(agent, self._input(agent, payload), config)

    async def resume(self, agent: Any, pause: Pause, answers: Sequence[Answer]) -> Pause | None:
        from langgraph.types import Command

        config, interrupts = pause.state
        if not _remembers(agent):
            raise ValueError(
                f"the graph {_name_of(agent)!r} has no checkpointer, so it cannot go on after an approval: "
                "compile it with checkpointer=InMemorySaver()"
            )
        by_interrupt = {
            interrupt.id: resume_value(interrupt.value, [one for one in answers if one.pending.key == interrupt.id])
            for interrupt in interrupts
        }
        only = next(iter(by_interrupt.values())) if len(by_interrupt) == 1 else by_interrupt
        return await self._run(agent, Command(resume=only), config)

    async def _run(self, agent: Any, given: Any, config: dict[str, Any]) -> Pause | None:
        output = await self._output(agent, given, config)
        interrupts = output.get(_INTERRUPTS) if isinstance(output, Mapping) else None
        if not interrupts:
            return None
        pending = [one for interrupt in interrupts for one in _pending(interrupt, _name_of(agent))]
        return Pause(tuple(pending), (config, tuple(interrupts)))

    async def _output(self, agent: Any, given: Any, config: dict[str, Any]) -> Any:
        if await _saves_async(agent, config):
            return await agent.ainvoke(given, config)
        return await asyncio.to_thread(agent.invoke, given, config)

    def for_conversation(self) -> Driver:
        return GraphConversation()

    def install_doubles(self) -> None:
        install_doubles()

    def _thread(self) -> str:
        return str(uuid.uuid4())

    def _input(self, agent: Any, payload: str | Mapping[str, Any]) -> Any:
        return _input_of(agent, payload)


class GraphConversation(GraphDriver):
    """Keeps one thread; a graph without a checkpointer gets the messages of the turns before back."""

    def __init__(self) -> None:
        self._kept: Final = str(uuid.uuid4())
        self._messages: list[Any] = []

    def _thread(self) -> str:
        return self._kept

    def _input(self, agent: Any, payload: str | Mapping[str, Any]) -> Any:
        given = super()._input(agent, payload)
        if _remembers(agent):
            return given
        if not isinstance(given, Mapping) or _MESSAGES not in given:
            raise ValueError(
                f"the graph {_name_of(agent)!r} has no checkpointer and takes no messages, so it remembers nothing of a conversation: "
                "compile it with checkpointer=InMemorySaver()"
            )
        return {**given, _MESSAGES: [*self._messages, *given[_MESSAGES]]}

    async def _output(self, agent: Any, given: Any, config: dict[str, Any]) -> Any:
        output = await super()._output(agent, given, config)
        messages = output.get(_MESSAGES) if isinstance(output, Mapping) else None
        self._messages = list(messages) if isinstance(messages, Sequence) else []
        return output


def _remembers(graph: Any) -> bool:
    """Whether a checkpointer keeps its state from run to run."""
    return getattr(graph, "checkpointer", None) not in (None, False)


def _is_graph(agent: Any) -> bool:
    from langgraph.pregel import Pregel

    return isinstance(agent, Pregel)


def _is_agent(graph: Any) -> bool:
    """Whether all its nodes are those of an agent as `create_agent` builds it, in which nothing but its tool node calls tools."""
    return all(name in _AGENT_NODES or "." in name for name in graph.nodes)


def _name_of(graph: Any) -> str:
    """The name of a graph, as its invocations have it."""
    return str(graph.name or UNNAMED)


def _pending(interrupt: Any, graph: str) -> list[PendingApproval]:
    # A run that no checkpointer keeps cannot go on, so the adapter does not remember what it waits for.
    questions = HANDLER.agents.questions_of(str(interrupt.id)) or questions_in(interrupt.value, Question(graph))
    return [PendingApproval(one.tool, one.arguments, one.call_id, interrupt.id) for one in questions]


async def _saves_async(agent: Any, config: Any) -> bool:
    """Whether its checkpointer can be used from an event loop, which those for synchronous databases refuse."""
    saver: Any = getattr(agent, "checkpointer", None)
    if not hasattr(saver, "aget_tuple"):
        return True
    try:
        await saver.aget_tuple(config)
    except NotImplementedError:
        return False
    return True


def _input_of(agent: Any, payload: str | Mapping[str, Any]) -> Any:
    """The state that a graph begins with; what is no state goes into a message, where the graph takes messages."""
    fields = _fields_of(agent)
    if fields is None or (isinstance(payload, Mapping) and (_MESSAGES not in fields or (payload and fields.issuperset(payload)))):
        return payload
    if _MESSAGES not in fields:
        raise ValueError(
            f"the graph {_name_of(agent)!r} takes a mapping with {', '.join(sorted(fields))}, but the payload is {payload!r}"
        )
    return {_MESSAGES: [{"role": "user", "content": as_text(payload)}]}


def _fields_of(agent: Any) -> set[str] | None:
    builder = getattr(agent, "builder", None)
    schemas: Mapping[Any, Mapping[str, Any]] = getattr(builder, "schemas", {})
    fields = schemas.get(getattr(builder, "input_schema", None))
    return None if fields is None or set(fields) == {"__root__"} else set(fields)


def _tools_in(node: Any) -> list[str] | None:
    bound = getattr(node, "bound", None)
    if _is_graph(bound):
        return GraphDriver().tools_of(bound)
    tools = getattr(bound, "tools_by_name", None)
    return list(tools) if isinstance(tools, Mapping) else None
