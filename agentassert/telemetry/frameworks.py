"""Who wrote a span, in the words by which records name frameworks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agentassert.telemetry.attributes import structured, text
from agentassert.telemetry.spans import Span

OPENTELEMETRY: Final = "opentelemetry"
"""Where nobody says more."""

_INSTRUMENTATIONS: Final = (
    "opentelemetry.instrumentation.genai.",
    "opentelemetry.instrumentation.",
    "openinference.instrumentation.",
)
_ANTHROPIC: Final = "com.anthropic.sdk"
"""The scope of the spans that the SDK writes itself; the platform follows after a dot."""
_SCOPES: Final[Mapping[str, str]] = {
    "agent_framework": "agent-framework",
    "autogen-core": "autogen",
    "crewai": "crewai",
    "fastmcp": "mcp",
    "gcp.vertex.agent": "google-adk",
    "litellm": "litellm",
    "mcp-python-sdk": "mcp",
    "pydantic-ai": "pydantic_ai",
    "strands.telemetry.tracer": "strands",
}
_SYSTEMS: Final[Mapping[str, str]] = {
    "autogen": "autogen",
    "gcp.vertex.agent": "google-adk",
    "microsoft.agent_framework": "agent-framework",
    "strands-agents": "strands",
}
_MARKS: Final[Mapping[str, str]] = {
    "mcp.method.name": "mcp",
    "model_request_parameters": "pydantic_ai",
    "pydantic_ai.all_messages": "pydantic_ai",
}
_LANGCHAIN_MARKS: Final = ("lc_agent_name", "langgraph_node", "ls_integration")


def framework_of(span: Span) -> str:
    """The framework whose work the span tells of.

    Example:
        >>> framework_of(Span("1", "2", None, "x", scope="openinference.instrumentation.openai_agents"))
        'openai-agents'
        >>> framework_of(Span("1", "2", None, "x", attributes={"gen_ai.system": "autogen"}))
        'autogen'
        >>> framework_of(Span("1", "2", None, "x", scope="shop.tracing"))
        'opentelemetry'
    """
    if span.scope.startswith(_ANTHROPIC):
        return "anthropic"
    for prefix in _INSTRUMENTATIONS:
        if span.scope.startswith(prefix):
            return span.scope[len(prefix) :].partition(".")[0].replace("_", "-")
    return _SCOPES.get(span.scope) or _by_attributes(span)


def writer_of(span: Span) -> str:
    """What tells spans of one library from those of another, also where a dump has dropped the scope."""
    return span.scope or ("openinference" if "openinference.span.kind" in span.attributes else OPENTELEMETRY)


def _by_attributes(span: Span) -> str:
    system = text(span.attributes, "gen_ai.provider.name", "gen_ai.system")
    if system is not None and system in _SYSTEMS:
        return _SYSTEMS[system]
    metadata = structured(span.attributes, "metadata")
    if isinstance(metadata, Mapping) and any(mark in metadata for mark in _LANGCHAIN_MARKS):
        return "langchain"
    return next((framework for mark, framework in _MARKS.items() if mark in span.attributes), OPENTELEMETRY)
