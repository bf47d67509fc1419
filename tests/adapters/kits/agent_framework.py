"""Microsoft Agent Framework, which comes in by its spans."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Final

import agent_framework
from agent_framework import (
    Agent,
    AgentResponse,
    FunctionInvocationContext,
    FunctionMiddleware,
    FunctionTool,
)
from agent_framework import tool as native_tool
from agent_framework.observability import AgentTelemetryLayer

from agentassert.adapters.base import CHAT, REQUESTS, TOOL_FAILURES
from agentassert.adapters.otel.frameworks import AgentFrameworkAdapter
from tests.adapters.kits import QUESTION, Ask, Break, Say, Step, Tool, refuse, telling
from tests.adapters.kits.spans import WITHOUT_APPROVALS, SpansKit, spans_are_recorded
from tests.scripted.agent_framework import Response, ScriptedClient, asks_for, says

RUNS_ON: Final = "A tool's exception never ends an agent of the framework; in later releases its own `MiddlewareFailure` does."
ENDING: Final = getattr(agent_framework, "MiddlewareFailure", None)


class Listener(FunctionMiddleware):
    """Middleware of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Any]) -> None:
        self.heard.append(context.function.name)
        await call_next()


class AgentFrameworkKit(SpansKit):
    """Agents with function tools, with an SDK provider set up and content in the spans: what the user does by hand."""

    framework = AgentFrameworkAdapter.name
    title = "Microsoft Agent Framework"
    adapters = (AgentFrameworkAdapter,)
    sees = frozenset({TOOL_FAILURES, CHAT, REQUESTS})
    cannot: Mapping[str, str] = {
        **WITHOUT_APPROVALS,
        "arguments_of_the_wrong_type": "Arguments that the framework refuses never reach a tool, and have no span.",
        "failure_that_ends_the_agent": RUNS_ON,
        "handoff": "Handoffs are workflows, which come in a package of their own.",
        "retrieval": "The framework's context providers make no spans of what they retrieve.",
        "retry_by_the_framework": "The framework leaves retries to the model.",
        **({} if ENDING else dict.fromkeys(("nested_failure", "failures_reach_the_user_unchanged"), RUNS_ON)),
        "stream": "The framework streams in async code only.",
    }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent[Any]:
        spans_are_recorded()
        if handoffs:
            refuse("handoffs")
        if retries:
            refuse("retries of its own")
        return Agent(ScriptedClient(*map(_step, script)), name=name, tools=[*map(_tool, tools)])

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> AgentResponse[Any]:
        async def run() -> AgentResponse[Any]:
            response: AgentResponse[Any] = await agent.run(question, middleware=None if heard is None else [Listener(heard)])
            return response

        return asyncio.run(run())

    async def arun(self, agent: Any, question: str = QUESTION) -> AgentResponse[Any]:
        response: AgentResponse[Any] = await agent.run(question)
        return response

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        async for update in agent.run(question, stream=True):
            yield update

    def text_of(self, result: Any) -> str:
        return str(result.text)

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(AgentTelemetryLayer, "run")]


def _step(step: Step) -> Response | Exception | Callable[[], Any]:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case Break(error):
            return error
        case _ if callable(step):
            return lambda: _step(step())
        case _:
            return refuse("handoffs")


def _tool(tool: Tool) -> FunctionTool:
    function = tool.function if tool.tells_errors or ENDING is None else telling(tool.function, lambda error: ENDING(str(error)))
    return native_tool(function, approval_mode="always_require" if tool.needs_approval else "never_require")
