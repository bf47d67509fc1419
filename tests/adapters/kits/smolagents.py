"""Smolagents."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import typing
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final
from weakref import WeakSet

from smolagents import ToolCallingAgent, tool
from smolagents.agents import MultiStepAgent
from smolagents.memory import ActionStep
from smolagents.models import ChatMessage
from smolagents.monitoring import LogLevel

from agentassert.adapters.smolagents import ADAPTER
from agentassert.adapters.smolagents.adapter import SmolagentsAdapter
from tests.adapters.kits import QUESTION, Ask, Break, HandOff, Kit, Say, Step, Tool, refuse
from tests.adapters.kits.loops import APPROVALS
from tests.scripted.smolagents import ScriptedModel, answers, asks_for

_awaited: Final[WeakSet[Future[Any]]] = WeakSet()
"""What tools wait for in their threads."""


class SmolagentsKit(Kit):
    """Agents that call tools. An error of a tool ends one by a callback of the step: smolagents itself tells the model of it."""

    framework = ADAPTER
    title = "smolagents"
    adapters = (SmolagentsAdapter,)
    awaits_tools = False

    @property
    def cannot(self) -> Mapping[str, str]:
        return {
            "arguments_that_do_not_parse": "smolagents gives arguments that are no JSON to the tool, as its only argument.",
            "retry_by_the_framework": "smolagents runs no tool again by itself.",
            "cancellation": "smolagents works in threads, which nobody cancels: `interrupt()` ends a run before its next step.",
            "handoff": "Agents of smolagents call each other like tools, and answer to who called them.",
            "retrieval": "smolagents knows no retrievers; a tool that retrieves is a tool execution.",
            **dict.fromkeys(APPROVALS, "smolagents knows no approvals."),
        }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> ToolCallingAgent:
        if handoffs:
            refuse("handoffs")
        if retries:
            refuse("retries of its own")
        if any(one.needs_approval for one in tools):
            refuse("approvals")
        ends, turn = list[Exception](), asyncio.Lock()

        def end_by_errors(step: ActionStep, agent: Any = None) -> None:
            if ends:
                raise ends[0]

        return ToolCallingAgent(
            tools=[_tool(one, ends, turn) for one in tools],
            model=ScriptedModel(*map(_step, script)),
            name=name,
            description=name,
            step_callbacks=[end_by_errors],
            verbosity_level=LogLevel.OFF,
        )

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        if heard is not None:
            agent.step_callbacks.register(ActionStep, lambda step: heard.extend(_names(step)))
        return agent.run(question)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
        try:
            return await asyncio.to_thread(agent.run, question)
        except asyncio.CancelledError:
            agent.interrupt()
            for awaited in list(_awaited):
                awaited.cancel()
            raise

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        parts = agent.run(question, stream=True)
        try:
            for part in parts:
                yield part
        finally:
            with contextlib.suppress(RuntimeError):  # of a step that is left: it yields once more
                parts.close()

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        yield from agent.run(question, stream=True)

    def text_of(self, result: Any) -> str:
        return str(result)

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(MultiStepAgent, "run")]


def _names(step: ActionStep) -> list[str]:
    return [call.name for call in step.tool_calls or () if call.name != "final_answer"]


def _tool(one: Tool, ends: list[Exception], turn: asyncio.Lock) -> Any:
    """The tool that `@tool` makes of a function, which has to describe its arguments, and must be no coroutine function."""
    function = one.function
    loop = asyncio.get_running_loop() if inspect.iscoroutinefunction(function) else None

    async def in_turn(*args: Any, **kwargs: Any) -> Any:
        result = await function(*args, **kwargs)
        async with turn:  # the threads that wait for two tools must not change their order
            await asyncio.sleep(0.05)
        return result

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return run(*args, **kwargs)
        except Exception as error:
            if not one.tells_errors:
                ends.append(error)
            raise

    def run(*args: Any, **kwargs: Any) -> Any:
        if loop is None:
            return function(*args, **kwargs)
        awaited = asyncio.run_coroutine_threadsafe(in_turn(*args, **kwargs), loop)
        _awaited.add(awaited)
        return awaited.result()

    hints, described = typing.get_type_hints(function), typing.cast("Any", call)
    described.__name__, described.__annotations__ = function.__name__, hints
    described.__signature__ = inspect.signature(function)
    arguments = [f"    {name}: What it says." for name in hints if name != "return"]
    described.__doc__ = "\n".join([str(function.__doc__), "", "Args:", *arguments])
    return tool(described)


def _step(step: Step) -> ChatMessage | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return answers(text, tokens=tokens)
        case Break(error):
            return error
        case HandOff():
            refuse("handoffs")
    return lambda _: _step(step())
