"""Haystack."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from haystack import Document, Pipeline
from haystack.components.agents import Agent
from haystack.components.retrievers import FilterRetriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.tools import create_tool_from_function

from agentassert.adapters.haystack import ADAPTER
from agentassert.adapters.haystack.adapter import HaystackAdapter, HaystackPipelinesAdapter, HaystackToolsAdapter
from tests.adapters.haystack_parts import IS_OLD, gates
from tests.adapters.kits import QUESTION, Answer, Approve, Ask, Break, Edit, HandOff, Kit, Reject, Say, Step, Tool, refuse
from tests.scripted.haystack import ScriptedChatGenerator, asks_for, says

PARSED = "Haystack's calls hold arguments as mappings; its generators drop what does not parse."
BLOCKING = "Haystack asks while the agent runs, so that a decision is always made in the run that asks."

CANNOT = {
    "arguments_as_json_text": PARSED,
    "arguments_that_do_not_parse": PARSED,
    "arguments_of_the_wrong_type": "Haystack calls a function with the types that the model sent.",
    "retry_by_the_framework": "Haystack runs a tool once for each request.",
    "stream": "Haystack streams to a callback; outside async code a run returns when it is over.",
    "handoff": "Haystack knows no handoffs; an agent asks another one as a tool.",
    "approval_given_in_another_capture": BLOCKING,
    "approval_refused_in_another_capture": BLOCKING,
    "approval_whose_request_nobody_recorded": BLOCKING,
}
SYNC_TOOLS = "Before Haystack 3, tools are functions that are not async."
WITHOUT_ASYNC_TOOLS = {"parallel_tools": SYNC_TOOLS, "cancellation": SYNC_TOOLS}


class Desk:
    """A person who is asked in another thread than the one that answers."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.answered = threading.Event()
        self.answer: Answer = Approve()

    def __call__(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """Wait for the answer."""
        self.asked.set()
        self.answered.wait(10)
        match self.answer:
            case Approve():
                return "confirm", None, None
            case Reject(reason):
                return "reject", reason, None
            case Edit(other):
                return "modify", None, other


class Waiting:
    """A run in a thread of its own, until it asks."""

    def __init__(self, agent: Agent, question: str) -> None:
        self.desk = agent.desk
        self.result: Any = None
        self.thread = threading.Thread(target=self._run, args=(agent, question), daemon=True)
        self.thread.start()
        self.desk.asked.wait(10)

    def _run(self, agent: Agent, question: str) -> None:
        self.result = agent.run(messages=[ChatMessage.from_user(question)])

    def go_on(self, answer: Answer) -> Any:
        """Answer whatever it asks."""
        self.desk.answer = answer
        self.desk.answered.set()
        self.thread.join(10)
        return self.result


class HaystackKit(Kit):
    """Agents with function tools, named by a pipeline that holds them."""

    framework = ADAPTER
    title = "Haystack"
    adapters = (HaystackPipelinesAdapter, HaystackToolsAdapter, HaystackAdapter)
    awaits_tools = False

    @property
    def cannot(self) -> Mapping[str, str]:
        return {**CANNOT, **(WITHOUT_ASYNC_TOOLS if IS_OLD else {})}

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent:
        if retries:
            refuse("retries of its own")
        if handoffs:
            refuse("handoffs")
        desk = Desk()
        gated = [tool.function.__name__ for tool in tools if tool.needs_approval]
        agent = Agent(
            chat_generator=ScriptedChatGenerator(*map(_step, script)),
            tools=[_tool(tool) for tool in tools],
            raise_on_tool_invocation_failure=not any(tool.tells_errors for tool in tools),
            **gates(gated, desk),
        )
        Pipeline().add_component(name, agent)
        agent.desk = desk if gated else None
        return agent

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        if agent.desk is not None:
            return Waiting(agent, question)
        hear = None if heard is None else _hearing(heard)
        return agent.run(messages=[ChatMessage.from_user(question)], streaming_callback=hear)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        return await agent.run_async(messages=[ChatMessage.from_user(question)])

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        chunks: asyncio.Queue[Any] = asyncio.Queue()

        async def hear(chunk: Any) -> None:
            await chunks.put(chunk)

        async def run() -> None:
            try:
                await agent.run_async(messages=[ChatMessage.from_user(question)], streaming_callback=hear)
            finally:
                chunks.put_nowait(None)

        running = asyncio.create_task(run())
        try:
            while (chunk := await chunks.get()) is not None:
                yield chunk
            await running
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running

    def text_of(self, result: Any) -> str:
        return str(result["last_message"].text)

    def resume(self, agent: Any, result: Any, answer: Answer) -> Any:
        return result.go_on(answer)

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        store = InMemoryDocumentStore()
        store.write_documents([Document(content=text) for text in texts])
        retriever = FilterRetriever(store)
        return lambda query: [document.content for document in retriever.run()["documents"]]

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Agent, "run")]  # what is in the place of `run_async` must be a coroutine function, or no agent can be made


def _tool(tool: Tool) -> Any:
    if inspect.iscoroutinefunction(tool.function) and IS_OLD:
        refuse("async tools")
    return create_tool_from_function(tool.function)


def _hearing(heard: list[str]) -> Callable[[Any], None]:
    def hear(chunk: Any) -> None:
        if chunk.tool_call_result is not None:
            heard.append(chunk.tool_call_result.origin.tool_name)

    return hear


def _step(step: Step) -> Any:
    match step:
        case Ask(requests):
            if any(isinstance(one.arguments, str) for one in requests):
                refuse("arguments as text")
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff():
            refuse("handoffs")
        case Break(error):
            return error
    return lambda _: _step(step())
