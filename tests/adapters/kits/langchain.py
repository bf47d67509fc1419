"""LangChain and LangGraph."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from importlib.metadata import version
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, ToolRetryMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.pregel import Pregel
from langgraph.types import Command

from agentassert.adapters.langchain.adapter import LangChainAdapter, LangGraphAdapter
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, Edit, HandOff, Kit, Say, Step, Tool, telling
from tests.scripted.langchain import ScriptedChatModel, asks_for, says

THREAD: Any = {"configurable": {"thread_id": "1"}}


class Shelf(BaseRetriever):
    """A retriever that finds what it was given."""

    texts: tuple[str, ...] = ()

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [Document(text) for text in self.texts]


class Listener(BaseCallbackHandler):
    """A handler of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    def on_tool_start(self, serialized: Any, input_str: str, **_: Any) -> None:
        self.heard.append(serialized["name"])


class LangChainKit(Kit):
    """Agents of `create_agent`; one that hands off is a node of a graph, beside the agents that it hands off to."""

    framework = "langchain"
    title = "LangChain and LangGraph"
    adapters = (LangChainAdapter, LangGraphAdapter)
    awaits_tools = False

    @property
    def versions(self) -> dict[str, str]:
        return {"langchain": version("langchain"), **super().versions}

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Any:
        gated = {tool.function.__name__: True for tool in tools if tool.needs_approval}
        asking = [HumanInTheLoopMiddleware(interrupt_on=gated)] if gated else []
        retrying = [ToolRetryMiddleware(max_retries=retries, initial_delay=0, jitter=False)] if retries else []
        built = create_agent(
            ScriptedChatModel(*map(_step, script)),
            [*map(_tool, tools), *map(_transfer_to, handoffs)],
            name=name,
            middleware=[*asking, *retrying],
            checkpointer=InMemorySaver() if gated else None,
        )
        return _desk(built, handoffs) if handoffs else built

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        hooks = {} if heard is None else {"callbacks": [Listener(heard)]}
        return agent.invoke(_given(question), THREAD | hooks)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        return await agent.ainvoke(_given(question), THREAD)

    def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        return agent.astream(_given(question), THREAD, stream_mode="messages")

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        return agent.stream(_given(question), THREAD, stream_mode="messages")

    def text_of(self, result: Any) -> str:
        return result["messages"][-1].text

    def resume(self, agent: Any, result: Any, answer: Answer) -> Any:
        waiting = [one for raised in result["__interrupt__"] for one in raised.value["action_requests"]]
        decisions = [_decision(answer, one["name"]) for one in waiting]
        return agent.invoke(Command(resume={"decisions": decisions}), THREAD)

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        shelf = Shelf(texts=texts)
        return lambda query: [document.page_content for document in shelf.invoke(query)]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Pregel, "stream"), (Pregel, "astream")]


def _given(question: str) -> Any:
    return {"messages": [("user", question)]}


def _step(step: Step) -> AIMessage | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            return asks_for(*((one.name, _parsed(one.arguments), one.call_id) for one in requests))
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff(to, call_id):
            return asks_for((f"transfer_to_{to}", {}, call_id))
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())


def _parsed(arguments: dict[str, Any] | str) -> dict[str, Any] | str:
    """As the chat models of the providers do: text that does not parse stays text."""
    if isinstance(arguments, str):
        try:
            return json.loads(arguments)
        except ValueError:
            return arguments
    return arguments


def _tool(tool: Tool) -> StructuredTool:
    function = telling(tool.function, _report) if tool.tells_errors else tool.function
    given = {"coroutine": function} if inspect.iscoroutinefunction(function) else {"func": function}
    return StructuredTool.from_function(**given, handle_tool_error=tool.tells_errors)


def _report(error: Exception) -> ToolException:
    return ToolException(str(error))


def _transfer_to(agent: Any) -> StructuredTool:
    def transfer() -> Command:
        """Hand off."""
        return Command(goto=agent.name, graph=Command.PARENT, update={"messages": [("ai", f"over to {agent.name}")]})

    return StructuredTool.from_function(transfer, name=f"transfer_to_{agent.name}")


def _desk(agent: Any, handoffs: Sequence[Any]) -> Any:
    desk = StateGraph(MessagesState)
    desk.add_node(agent.name, agent, destinations=tuple(one.name for one in handoffs))
    for one in handoffs:
        desk.add_node(one.name, one)
    desk.add_edge(START, agent.name)
    return desk.compile(name="desk")


def _decision(answer: Answer, tool: str) -> dict[str, Any]:
    match answer:
        case Approve():
            return {"type": "approve"}
        case Edit(arguments):
            return {"type": "edit", "edited_action": {"name": tool, "args": arguments}}
        case _:
            return {"type": "reject"} | ({} if answer.reason is None else {"message": answer.reason})
