"""AutoGen, which comes in by its spans."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Final

from autogen_agentchat.agents import AssistantAgent, BaseChatAgent
from autogen_agentchat.base import TaskResult
from autogen_core import EVENT_LOGGER_NAME
from autogen_core.logging import ToolCallEvent
from autogen_core.tools import FunctionTool

from agentassert.adapters.otel.frameworks import AutoGenAdapter
from tests.adapters.kits import QUESTION, Ask, Break, Say, Step, Tool, refuse
from tests.adapters.kits.spans import WITHOUT_APPROVALS, SpansKit, spans_are_recorded
from tests.scripted.autogen import CreateResult, ScriptedClient, asks_for, says

_ARGUMENTS: Final = "AutoGen's spans of tools have no arguments."
_RESULTS: Final = "AutoGen's spans of tools have no results."
_OUTPUTS: Final = "AutoGen's spans of agents have neither input nor output."
_MODEL_CALLS: Final = "AutoGen makes no spans of model calls; those over the SDKs of OpenAI and Anthropic come in by these."
_RUNS_ON: Final = "A tool's exception never ends an agent of AutoGen: the model is told."


class AutoGenKit(SpansKit):
    """Assistant agents with function tools, and an SDK provider set up: what the user does by hand."""

    framework = AutoGenAdapter.name
    title = "AutoGen"
    adapters = (AutoGenAdapter,)
    cannot: Mapping[str, str] = {
        **WITHOUT_APPROVALS,
        **dict.fromkeys(
            (
                "nested_arguments",
                "arguments_as_json_text",
                "arguments_that_a_tool_changes",
                "arguments_of_the_wrong_type",
                "reused_call_ids",
            ),
            _ARGUMENTS,
        ),
        **dict.fromkeys(("results", "parallel_tools"), _RESULTS),
        **dict.fromkeys(
            (
                "input_and_output",
                "failure_that_the_model_is_told",
                "run",
                "run_async",
                "stream_async",
                "several_runs",
                "thread",
                "pool",
                "captures_in_threads",
                "captures_in_tasks",
                "captures_in_captures",
                "late_work",
                "outside_the_block",
                "nested_agents_side_by_side",
            ),
            _OUTPUTS,
        ),
        **dict.fromkeys(
            (
                "arguments_that_do_not_parse",
                "several_turns",
                "unknown_tool",
                "model_calls",
                "token_usage",
                "finish_reason",
                "model_error",
                "model_error_after_a_tool",
                "nested_agent",
                "fault_at_a_model_call",
                "fault_at_an_end",
                "instrumentation_before_ours",
            ),
            _MODEL_CALLS,
        ),
        **dict.fromkeys(("failure_that_ends_the_agent", "nested_failure", "failures_reach_the_user_unchanged"), _RUNS_ON),
        "cancellation": "AutoGen leaves the tool of an agent that is cancelled behind; it is unfinished.",
        "handoff": "AutoGen's handoffs go through a team, whose agents are invocations side by side.",
        "retrieval": "AutoGen makes no spans of what an agent's memory retrieves.",
        "retry_by_the_framework": "AutoGen leaves retries to the model.",
        "stream": "AutoGen streams in async code only.",
    }

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> AssistantAgent:
        spans_are_recorded()
        if handoffs:
            refuse("handoffs outside a team")
        if retries:
            refuse("retries of its own")
        if any(tool.needs_approval for tool in tools):
            refuse("approvals of tools")
        model = ScriptedClient(*map(_step, script))
        return AssistantAgent(name, model, tools=[*map(_tool, tools)], max_tool_iterations=len(script) or 1)

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> TaskResult:
        with nullcontext() if heard is None else listening(heard):
            return asyncio.run(agent.run(task=question))

    async def arun(self, agent: Any, question: str = QUESTION) -> TaskResult:
        result: TaskResult = await agent.run(task=question)
        return result

    async def astream(self, agent: Any, question: str = QUESTION) -> AsyncIterator[Any]:
        messages = agent.run_stream(task=question)
        try:
            async for message in messages:
                yield message
        finally:
            await messages.aclose()

    def text_of(self, result: Any) -> str:
        return str(result.messages[-1].content)

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(BaseChatAgent, "run"), (BaseChatAgent, "run_stream")]


class Listener(logging.Handler):
    """A handler of the framework's event log, of the user's own."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self.heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        if isinstance(record.msg, ToolCallEvent):
            self.heard.append(record.msg.kwargs["tool_name"])


@contextmanager
def listening(heard: list[str]) -> Iterator[None]:
    """Hear of tools by the event log."""
    log, listener = logging.getLogger(EVENT_LOGGER_NAME), Listener(heard)
    level = log.level
    log.addHandler(listener)
    log.setLevel(logging.INFO)
    try:
        yield
    finally:
        log.removeHandler(listener)
        log.setLevel(level)


def _step(step: Step) -> CreateResult | Exception | Callable[[], Any]:
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
            return refuse("handoffs outside a team")


def _tool(tool: Tool) -> FunctionTool:
    return FunctionTool(tool.function, description=tool.function.__doc__ or "")
