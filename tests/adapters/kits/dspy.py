"""DSPy."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import dspy
from dspy.adapters.types.tool import Tool as DSPyTool
from dspy.utils.callback import BaseCallback

from agentassert.adapters.dspy import ADAPTER
from agentassert.adapters.dspy.adapter import DSPyAdapter
from tests.adapters.kits import QUESTION, Ask, Break, HandOff, Kit, Say, Step, Tool, refuse
from tests.adapters.kits.loops import APPROVALS
from tests.scripted.dspy import ScriptedLM, calls

OWN_WARNINGS = (r"Custom BaseLM|.*BaseLM", r".*ReActV2", r".*deprecated", r".*experimental")
PLAIN = dspy.ChatAdapter(use_json_adapter_fallback=False)
"""Without a second request, in another format, for each that fails."""

HAS_ASYNC_AGENTS = hasattr(dspy.ReActV2, "aforward")
"""Since 3.4; before, async code has such an agent run in a thread."""
_TELLS = "Agents of DSPy tell their model of every failure of a tool; none ends an agent."

_THREADS = "Before 3.4, async code has such agents run in threads, which nobody cancels."


class Listener(BaseCallback):
    """A callback of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    def on_tool_start(self, call_id: str, instance: Any, inputs: Any) -> None:
        if instance.name != "submit":
            self.heard.append(instance.name)


class DSPyKit(Kit):
    """`ReActV2` agents, which are named by their signatures."""

    framework = ADAPTER
    title = "DSPy"
    adapters = (DSPyAdapter,)
    awaits_tools = HAS_ASYNC_AGENTS
    own_warnings = OWN_WARNINGS

    cannot: Mapping[str, str] = {  # as the base has it
        "arguments_that_do_not_parse": "DSPy parses the answer of a model as a whole: there is no request where it cannot.",
        "failure_that_ends_the_agent": _TELLS,
        "nested_failure": _TELLS,
        "failures_reach_the_user_unchanged": _TELLS,
        "parallel_tools": "Agents of DSPy run the tools of one answer one after the other.",
        "retry_by_the_framework": "DSPy runs no tool again by itself.",
        "handoff": "Agents of DSPy are called as tools, and answer to who called them.",
        **dict.fromkeys(APPROVALS, "DSPy knows no approvals."),
        **({} if HAS_ASYNC_AGENTS else dict.fromkeys(("cancellation", "stream_that_is_abandoned"), _THREADS)),
    }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Any:
        if retries:
            refuse("retries of its own")
        if handoffs:
            refuse("handoffs")
        if any(tool.needs_approval for tool in tools):
            refuse("approvals")
        if not HAS_ASYNC_AGENTS and any(inspect.iscoroutinefunction(tool.function) for tool in tools):
            refuse("agents that await their tools")
        signature = dspy.make_signature("question -> answer", signature_name=name)
        agent = dspy.ReActV2(signature, tools=[DSPyTool(tool.function) for tool in tools])
        agent.set_lm(ScriptedLM(*map(_step, script)))
        return agent

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        callbacks = [] if heard is None else [Listener(heard)]
        with dspy.context(adapter=PLAIN, callbacks=callbacks, allow_tool_async_sync_conversion=True):
            return agent(question=question)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        with dspy.context(adapter=PLAIN, allow_tool_async_sync_conversion=True):
            return await (agent.acall if HAS_ASYNC_AGENTS else dspy.asyncify(agent))(question=question)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        parts: asyncio.Queue[Any] = asyncio.Queue()

        async def read() -> None:
            # In a task of its own: closed, a stream of DSPy leaves a cancel scope behind, which cancels the task that read it.
            with dspy.context(adapter=PLAIN, allow_tool_async_sync_conversion=True):
                async for part in dspy.streamify(agent, is_async_program=HAS_ASYNC_AGENTS)(question=question):
                    await parts.put(part)
            await parts.put(None)

        reading = asyncio.create_task(read())
        try:
            while (part := await parts.get()) is not None:
                yield part
        finally:
            reading.cancel()
            await asyncio.wait([reading])

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        with dspy.context(adapter=PLAIN):
            yield from dspy.streamify(agent, async_streaming=False)(question=question)

    def text_of(self, result: Any) -> str:
        return str(result.answer)

    def retriever(self, *texts: str) -> Callable[[str], list[str]]:
        def search(query: str, k: int) -> list[Any]:
            return [SimpleNamespace(long_text=text) for text in texts[:k]]

        def find(query: str) -> list[str]:
            with dspy.context(rm=search):
                return list(dspy.Retrieve(k=len(texts))(query).passages)

        return find

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(dspy.Module, "__call__"), (dspy.Module, "acall")]


def _step(step: Step) -> Any:
    if isinstance(step, Ask):
        return calls(*((one.name, one.arguments, one.call_id) for one in step.requests))
    if isinstance(step, Say):
        return calls(("submit", {"answer": step.text}, None)), step.tokens
    if isinstance(step, Break):
        return step.error
    if isinstance(step, HandOff):
        refuse("handoffs")
    return lambda: _step(step())
