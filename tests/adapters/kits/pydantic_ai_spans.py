"""Pydantic AI without capabilities, as it was up to 1.7x: it comes in by its spans.

In a release that has them, the adapter of its own is kept away for the life of the process that imports this.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from opentelemetry.sdk.trace import Tracer, TracerProvider
from pydantic_ai import Agent, ModelRetry
from pydantic_ai import Tool as NativeTool
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.instrumented import InstrumentationSettings

from agentassert import adapters
from agentassert.adapters.otel.adapter import OpenTelemetryAdapter
from tests.adapters.kits import QUESTION, Ask, Break, Kit, Say, Step, Tool, loop_of_its_own, refuse, telling
from tests.adapters.kits.spans import WITHOUT_APPROVALS
from tests.scripted.pydantic_ai import ScriptedModel, asks_for, says

for trigger in ("pydantic_ai", "pydantic_ai.direct"):
    adapters._BUILT_IN.pop(trigger)

Agent.instrument_all(InstrumentationSettings(tracer_provider=TracerProvider()))  # a provider that nobody else knows

VERSION: Final = tuple(map(int, version("pydantic-ai-slim").split(".")[:2]))
_BEFORE_CAPABILITIES: Final = {
    "cancellation": "In old releases, a tool whose run is cancelled goes on for a while, and is unfinished.",
}
_BEFORE_1_100: Final = {
    "arguments_that_do_not_parse": "A text that is no JSON in a span looks like one that was cut off, which is said.",
    "stream": "`run_stream_sync` of old releases never ends its run, which stays unfinished.",
    "stream_that_is_abandoned": "Old releases read a stream that is abandoned to its end.",
    "unknown_tool": "Old releases write a span for a tool that does not exist, as for one that failed.",
}


class PydanticAISpansKit(Kit):
    """Agents with function tools, instrumented: what the user does by hand."""

    framework = "pydantic_ai"
    title = "Pydantic AI, by its spans"
    adapters = (OpenTelemetryAdapter,)
    cannot: Mapping[str, str] = {
        **WITHOUT_APPROVALS,
        **({} if "capabilities" in inspect.signature(Agent.iter).parameters else _BEFORE_CAPABILITIES),
        **(_BEFORE_1_100 if VERSION < (1, 100) else {}),
        "handoff": "Pydantic AI has no handoffs: agents run in tools, or one after the other.",
        "hooks_of_the_user": "Before there were capabilities, nobody could hook into an agent's tools.",
        "retrieval": "Pydantic AI knows no retrievers; a tool that retrieves is a tool execution.",
        "retry_by_the_framework": "Pydantic AI asks the model to call again, so each attempt is a request of its own.",
    }

    @property
    def versions(self) -> dict[str, str]:
        return {**super().versions, "pydantic-ai-slim": version("pydantic-ai-slim")}

    def agent(
        self, *script: Step, tools: Sequence[Tool] = (), name: str = "support", handoffs: Sequence[Any] = (), retries: int = 0
    ) -> Agent[None, Any]:
        if handoffs:
            refuse("handoffs")
        if retries:
            refuse("retries of its own")
        if any(tool.needs_approval for tool in tools):
            refuse("spans of approvals")
        return Agent(ScriptedModel(*map(_step, script)), name=name, tools=[*map(_tool, tools)])

    def run(self, agent: Any, question: str = QUESTION, heard: list[str] | None = None) -> Any:
        with loop_of_its_own():
            return agent.run_sync(question)

    async def arun(self, agent: Any, question: str = QUESTION) -> Any:
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

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(Tracer, "start_span")]


def _step(step: Step) -> ModelResponse | Exception | Callable[[Any], Any]:
    match step:
        case Ask(requests):
            return asks_for(*requests)
        case Say(text, tokens):
            return says(text, tokens=tokens)
        case Break(error):
            return error
        case _ if callable(step):
            return lambda _: _step(step())
        case _:
            return refuse("handoffs")


def _tool(tool: Tool) -> NativeTool[None]:
    function = telling(tool.function, lambda error: ModelRetry(str(error))) if tool.tells_errors else tool.function
    return NativeTool(function, takes_ctx=False)
