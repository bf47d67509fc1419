"""Pydantic AI."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_ai import Agent, AgentRunResult, DeferredToolRequests, DeferredToolResults, ModelRetry, ToolApproved, ToolDenied
from pydantic_ai import Tool as NativeTool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelResponse

from agentassert.adapters.pydantic_ai import ADAPTER
from agentassert.adapters.pydantic_ai.adapter import PydanticAIAdapter
from tests.adapters.kits import (
    QUESTION,
    Answer,
    Approve,
    Ask,
    Break,
    Edit,
    HandOff,
    Kit,
    Say,
    Step,
    Tool,
    loop_of_its_own,
    refuse,
    telling,
)
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, says


class Listener(AbstractCapability[Any]):
    """A capability of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    async def before_tool_execute(self, ctx: Any, *, call: Any, tool_def: Any, args: Any) -> Any:
        self.heard.append(call.tool_name)
        return args


class PydanticAIKit(Kit):
    """Agents with function tools; gated ones are deferred."""

    framework = ADAPTER
    title = "Pydantic AI"
    adapters = (PydanticAIAdapter,)

    @property
    def cannot(self) -> Mapping[str, str]:
        reasons = {
            "retry_by_the_framework": "Pydantic AI asks the model to call again, so each attempt is a request of its own.",
            "handoff": "Pydantic AI has no handoffs: agents run in tools, or one after the other.",
            "retrieval": "Pydantic AI knows no retrievers; a tool that retrieves is a tool execution.",
        }
        if self.is_oldest:
            reasons["stream"] = "`run_stream_sync` of 1.86 never ends its run, which stays unfinished."
        return reasons

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent[None, Any]:
        if handoffs:
            refuse("handoffs")
        if retries:
            refuse("retries of its own")
        gated = any(tool.needs_approval for tool in tools)
        return Agent(
            ScriptedModel(*map(_step, script)),
            name=name,
            tools=[*map(_tool, tools)],
            output_type=[str, DeferredToolRequests] if gated else str,
        )

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> AgentRunResult[Any]:
        with loop_of_its_own():
            return agent.run_sync(question, capabilities=None if heard is None else [Listener(heard)])

    async def arun(self, agent: Any, question: str = QUESTION) -> AgentRunResult[Any]:
        return await agent.run(question)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        async with agent.run_stream(question) as result:
            async for text in result.stream_text(debounce_by=None):
                try:
                    yield text
                except GeneratorExit:
                    return  # to leave the block by this error is more than older releases can take

    def stream(self, agent: Any, question: str = QUESTION) -> Iterator[Any]:
        with loop_of_its_own():
            yield from agent.run_stream_sync(question).stream_text(debounce_by=None)

    def text_of(self, result: Any) -> str:
        return str(result.output)

    def resume(self, agent: Any, result: Any, answer: Answer) -> AgentRunResult[Any]:
        decided = {call.tool_call_id: _decision(answer) for call in result.output.approvals}
        with loop_of_its_own():
            return agent.run_sync(
                message_history=result.all_messages(), deferred_tool_results=DeferredToolResults(approvals=decided)
            )

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Agent, "iter")]


def _step(step: Step) -> ModelResponse | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff():
            return refuse("handoffs")
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())


def _tool(tool: Tool) -> NativeTool[None]:
    function = telling(tool.function, _report) if tool.tells_errors else tool.function
    return NativeTool(function, takes_ctx=False, requires_approval=tool.needs_approval)


def _report(error: Exception) -> ModelRetry:
    return ModelRetry(str(error))


def _decision(answer: Answer) -> Any:
    match answer:
        case Approve():
            return True
        case Edit(arguments):
            return ToolApproved(override_args=arguments)
        case _:
            return False if answer.reason is None else ToolDenied(answer.reason)
