"""Frameworks that come in by their spans: what these tell, and what must have been set up so that there are any."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from opentelemetry import trace

from agentassert import recorder
from agentassert.adapters.base import TOOL_FAILURES, Adapter, guarded, needs
from agentassert.adapters.otel import ADAPTER
from agentassert.adapters.patching import wrap_method

_SET_A_PROVIDER = "opentelemetry.trace.set_tracer_provider(opentelemetry.sdk.trace.TracerProvider())"
_WITHOUT_CONTENT = "leaves messages, arguments and results out of them: call agent_framework.observability.enable_instrumentation(enable_sensitive_data=True)"


class SpanFramework(Adapter):
    """A framework of which its spans are recorded, and nothing else: when an agent runs and there will be none, it says so.

    `sees` is what its spans always tell; what else they let one see shows when they do.

    Args:
        title: what people call it.
    """

    title: ClassVar[str]
    detaches = True

    @abstractmethod
    def silence(self, agent: Any) -> str | None:
        """Why the spans of `agent`, which is about to run, tell nothing or less than they could, and what helps."""

    def watch(self, owner: type, name: str) -> None:
        """Look at every call of the method that runs an agent."""
        wrap_method(owner, name, self._watching)

    def _watching(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def run(agent: Any, /, *args: Any, **kwargs: Any) -> Any:
            if recorder.listening():
                self._tell(agent)
            return original(agent, *args, **kwargs)

        return run

    @guarded(ADAPTER)
    def _tell(self, agent: Any) -> None:
        why = self.silence(agent)
        if why is not None:
            recorder.note(f"{self.title} comes in by its spans, and {why}")


class AgentFrameworkAdapter(SpanFramework):
    """Agents, tools, chat and embedding calls, with what the framework calls sensitive data where the user has it on."""

    name = "agent-framework"
    title = "Microsoft Agent Framework"
    distribution = "agent-framework-core"
    tested = ("1.2.2", "1.23.0")
    sees = frozenset({TOOL_FAILURES})

    def install(self) -> None:
        with needs():
            from agent_framework.observability import AgentTelemetryLayer
        self.watch(AgentTelemetryLayer, "run")

    def silence(self, agent: Any) -> str | None:
        from agent_framework.observability import OBSERVABILITY_SETTINGS

        if not OBSERVABILITY_SETTINGS.ENABLED:
            return "its instrumentation is switched off, so nothing of it is recorded: call agent_framework.observability.enable_instrumentation()"
        missing = [without_provider(), None if OBSERVABILITY_SETTINGS.SENSITIVE_DATA_ENABLED else _WITHOUT_CONTENT]
        return ", and ".join(filter(None, missing)) or None


class AutoGenAdapter(SpanFramework):
    """Agents and tools, by their names."""

    name = "autogen"
    title = "AutoGen"
    distribution = "autogen-agentchat"
    tested = ("0.7.1", "0.7.5")
    sees = frozenset({TOOL_FAILURES})

    def install(self) -> None:
        with needs():
            from autogen_agentchat.agents import BaseChatAgent
        self.watch(BaseChatAgent, "run")
        self.watch(BaseChatAgent, "run_stream")

    def silence(self, agent: Any) -> str | None:
        return without_provider()


class PydanticAISpansAdapter(SpanFramework):
    """Pydantic AI as it was before runs took capabilities; its newer releases have an adapter of their own."""

    name = "pydantic_ai_spans"
    title = "Pydantic AI before 1.86"
    distribution = "pydantic-ai-slim"
    tested = ("1.40.0", "1.85.0")
    sees = frozenset({TOOL_FAILURES})

    @classmethod
    def meets_framework(cls) -> bool:
        from pydantic_ai.agent import Agent

        return "capabilities" not in inspect.signature(Agent.iter).parameters

    def install(self) -> None:
        from pydantic_ai.agent import Agent

        self.watch(Agent, "iter")

    def silence(self, agent: Any) -> str | None:
        for_all = type(agent)._instrument_default  # noqa: SLF001  # what `instrument_all` sets, and no method gives
        instrument = for_all if agent.instrument is None else agent.instrument
        if instrument is False:
            return "is not instrumented, so nothing of it is recorded: call pydantic_ai.Agent.instrument_all()"
        return without_provider() if instrument is True else None


def without_provider() -> str | None:
    """Why no span is recorded at all, where nobody has set up the SDK."""
    provider: Any = trace.get_tracer_provider()
    if hasattr(provider, "add_span_processor") and not getattr(provider, "_disabled", False):
        return None
    return f"no OpenTelemetry SDK is set up, so nothing of it is recorded: call {_SET_A_PROVIDER}"
