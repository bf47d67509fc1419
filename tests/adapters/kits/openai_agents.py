"""The OpenAI Agents SDK."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from agents import Agent, FunctionTool, RunHooks, Runner, RunResult, function_tool, set_trace_processors
from agents.run import AgentRunner
from agents.run_internal import tool_planning
from agents.run_state import RunState

from agentassert.adapters.openai_agents import ADAPTER
from agentassert.adapters.openai_agents.adapter import OpenAIAgentsAdapter
from tests.adapters.kits import (
    QUESTION,
    Answer,
    Approve,
    Ask,
    Break,
    HandOff,
    Kit,
    Reject,
    Say,
    Step,
    Tool,
    loop_of_its_own,
    refuse,
)
from tests.scripted.openai_agents import Answer as Response
from tests.scripted.openai_agents import ScriptedModel, asks_for, hands_off_to, says

REFUSES_REUSED_CALL_IDS = hasattr(tool_planning, "_dedupe_processed_response_invocations")
TAKES_A_REASON = "rejection_message" in inspect.signature(RunState.reject).parameters

set_trace_processors([])  # or traces would be sent to OpenAI wherever its key is set


class Listener(RunHooks[Any]):
    """Hooks of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        self.heard = heard

    async def on_tool_start(self, context: Any, agent: Any, tool: Any) -> None:
        self.heard.append(tool.name)


class OpenAIAgentsKit(Kit):
    """Agents that `Runner` runs."""

    framework = ADAPTER
    title = "OpenAI Agents SDK"
    adapters = (OpenAIAgentsAdapter,)

    @property
    def cannot(self) -> Mapping[str, str]:
        reasons = {
            "finish_reason": "The SDK's model responses carry no finish reason.",
            "stream": "The SDK streams in async code only.",
            "retry_by_the_framework": "The SDK leaves retries to the model.",
            "retrieval": "The SDK knows no retrievers; a function tool that retrieves is a tool execution.",
            "approval_with_other_arguments": "The SDK's approvals take no other arguments.",
        }
        if REFUSES_REUSED_CALL_IDS:
            reasons["reused_call_ids"] = "The SDK ends a run whose model uses a call id again."
        if not TAKES_A_REASON:
            reasons["approval_refused_with_a_reason"] = "Before 0.12 the SDK takes no reason for a refusal."
        return reasons

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent[Any]:
        if retries:
            refuse("retries of its own")
        return Agent(name, model=ScriptedModel(*map(_step, script)), tools=[*map(_tool, tools)], handoffs=list(handoffs))

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> RunResult:
        with loop_of_its_own():
            return Runner.run_sync(agent, question, hooks=None if heard is None else Listener(heard))

    async def arun(self, agent: Any, question: str = QUESTION) -> RunResult:
        return await Runner.run(agent, question)

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        events = Runner.run_streamed(agent, question).stream_events()
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()

    def text_of(self, result: Any) -> str:
        return str(result.final_output)

    def resume(self, agent: Any, result: Any, answer: Answer) -> RunResult:
        state = result.to_state()
        for item in result.interruptions:
            match answer:
                case Approve():
                    state.approve(item)
                case Reject(None):
                    state.reject(item)
                case Reject(reason):
                    _reject(state, item, reason)
                case _:
                    refuse("approvals with other arguments")
        with loop_of_its_own():
            return Runner.run_sync(agent, state)

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(AgentRunner, "run"), (AgentRunner, "run_streamed")]


def _step(step: Step) -> Response | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case HandOff(to, call_id):
            return hands_off_to(to, call_id)
        case Break(error):
            return error
        case _:
            return lambda _: _step(step())


def _tool(tool: Tool) -> FunctionTool:
    told = {} if tool.tells_errors else {"failure_error_function": None}
    return function_tool(tool.function, strict_mode=False, needs_approval=tool.needs_approval, **told)


def _reject(state: Any, item: Any, reason: str) -> None:
    if not TAKES_A_REASON:
        refuse("reasons for refusals")
    state.reject(item, rejection_message=reason)
