"""Which spans tell of an agent's work, and which of them say nothing new because an adapter of its own records the same."""

from __future__ import annotations

from typing import Final

from agentassert import adapters
from agentassert.telemetry.frameworks import OPENTELEMETRY, framework_of
from agentassert.telemetry.roles import Role, role_of
from agentassert.telemetry.spans import Span

# By instrumentation scope, each with all that lies below it: `a.b` covers `a.b.c`, not `a.bc`.
_COVERED_BY: Final = {
    "com.anthropic.sdk": "anthropic",
    "crewai": "crewai",
    "fastmcp": "mcp",
    "gcp.vertex.agent": "google-adk",
    "haystack": "haystack",
    "litellm": "litellm",
    "llamaindex.opentelemetry.tracer": "llama-index",
    "mcp-python-sdk": "mcp",
    "openinference.instrumentation.agno": "agno",
    "openinference.instrumentation.anthropic": "anthropic",
    "openinference.instrumentation.claude_agent_sdk": "claude-agent-sdk",
    "openinference.instrumentation.crewai": "crewai",
    "openinference.instrumentation.dspy": "dspy",
    "openinference.instrumentation.google_adk": "google-adk",
    "openinference.instrumentation.haystack": "haystack",
    "openinference.instrumentation.langchain": "langchain",
    "openinference.instrumentation.litellm": "litellm",
    "openinference.instrumentation.llama_index": "llama-index",
    "openinference.instrumentation.openai": "openai",
    "openinference.instrumentation.openai_agents": "openai-agents",
    "openinference.instrumentation.pydantic_ai": "pydantic_ai",
    "openinference.instrumentation.smolagents": "smolagents",
    "opentelemetry.instrumentation.agno": "agno",
    "opentelemetry.instrumentation.anthropic": "anthropic",
    "opentelemetry.instrumentation.crewai": "crewai",
    "opentelemetry.instrumentation.genai.anthropic": "anthropic",
    "opentelemetry.instrumentation.genai.langchain": "langchain",
    "opentelemetry.instrumentation.genai.openai": "openai",
    "opentelemetry.instrumentation.genai.openai_agents": "openai-agents",
    "opentelemetry.instrumentation.haystack": "haystack",
    "opentelemetry.instrumentation.langchain": "langchain",
    "opentelemetry.instrumentation.litellm": "litellm",
    "opentelemetry.instrumentation.llamaindex": "llama-index",
    "opentelemetry.instrumentation.mcp": "mcp",
    "opentelemetry.instrumentation.openai": "openai",
    "opentelemetry.instrumentation.openai_agents": "openai-agents",
    "opentelemetry.instrumentation.openai_v2": "openai",
    "pydantic-ai": "pydantic_ai",
    "strands.telemetry.tracer": "strands",
}


def is_covered(scope: str) -> bool:
    """Whether an adapter that is at work records what the spans of `scope` say: one whose hooks were missing does not."""
    while scope:
        adapter = _COVERED_BY.get(scope)
        if adapter is not None:
            return adapters.is_on(adapter)
        scope = scope.rpartition(".")[0]
    return False


def is_telling(span: Span) -> bool:
    """Whether a span tells of an agent's work, by what is known as it starts."""
    return framework_of(span) != OPENTELEMETRY or role_of(span) not in (None, Role.NOTHING)
