"""What a span stands for, by either convention and by the names of those who follow none."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Final

from agentassert.telemetry.attributes import structured, text
from agentassert.telemetry.spans import Span


class Role(enum.Enum):
    """What a span may stand for.

    Example:
        >>> role_of(Span("1", "2", None, "execute_tool look", attributes={"gen_ai.operation.name": "execute_tool"}))
        <Role.TOOL: 3>
    """

    AGENT = 1
    WORKFLOW = 2
    """Work around agents: a run of its own only where it holds more than one agent's."""
    TOOL = 3
    CHAT = 4
    EMBEDDING = 5
    SCORING = 6
    RETRIEVAL = 7
    CHAIN = 8
    """A part of some work: a run only where it is the whole of it."""
    NOTHING = 9
    UNKNOWN = 10
    """Its attributes do not tell yet."""


_OPERATIONS: Final[Mapping[str, Role]] = {
    "chat": Role.CHAT,
    "generate_content": Role.CHAT,
    "text_completion": Role.CHAT,
    "embeddings": Role.EMBEDDING,
    "retrieval": Role.RETRIEVAL,
    "execute_tool": Role.TOOL,
    "invoke_agent": Role.AGENT,
    "invoke_workflow": Role.WORKFLOW,
}
_KINDS: Final[Mapping[str, Role]] = {
    "AGENT": Role.AGENT,
    "CHAIN": Role.CHAIN,
    "TOOL": Role.TOOL,
    "LLM": Role.CHAT,
    "EMBEDDING": Role.EMBEDDING,
    "RERANKER": Role.SCORING,
    "RETRIEVER": Role.RETRIEVAL,
}
_OPENLLMETRY_KINDS: Final[Mapping[str, Role]] = {
    "agent": Role.AGENT,
    "workflow": Role.WORKFLOW,
    "task": Role.CHAIN,
    "tool": Role.TOOL,
}
_OPENLLMETRY_REQUESTS: Final[Mapping[str, Role]] = {
    "chat": Role.CHAT,
    "completion": Role.CHAT,
    "embedding": Role.EMBEDDING,
    "rerank": Role.SCORING,
}
_PYDANTIC_AI_NAMES: Final[Mapping[str, Role]] = {"agent run": Role.AGENT, "running tool": Role.TOOL}


def role_of(span: Span) -> Role | None:
    """What the span stands for as far as its attributes tell; `None` when they do not tell yet.

    Example:
        >>> role_of(Span("1", "2", None, "GET /")) is None
        True
    """
    attributes = span.attributes
    if "(merged)" in span.name or attributes.get("logfire.span_type") == "pending_span":
        return Role.NOTHING  # a copy of other spans; a span that says that another one began
    operation = text(attributes, "gen_ai.operation.name")
    kind = text(attributes, "openinference.span.kind")
    if operation is not None and operation in _OPERATIONS:
        return _OPERATIONS[operation]
    if kind is not None:
        return _of_kind(span, kind.upper())
    if operation is not None:
        return Role.NOTHING
    return _of_older_names(span)


def tool_in_name(span: Span) -> str | None:
    """The tool that a span's own name speaks of, as the conventions have it."""
    head, _, name = span.name.partition(" ")
    return name if head == "execute_tool" and name else None


def _of_kind(span: Span, kind: str) -> Role:
    role = _KINDS.get(kind, Role.NOTHING)
    attributes = span.attributes
    if role is Role.TOOL and span.name.startswith("handoff") and text(attributes, "tool.name") is None:
        return Role.NOTHING  # as the OpenAI Agents SDK hands over: no tool ran
    if role is Role.CHAIN and _is_graph(span):
        role = Role.AGENT
    # Without a name of its own it may be the whole of a run, which stands around the agent's own span.
    return Role.WORKFLOW if role is Role.AGENT and text(attributes, "agent.name", "graph.node.id") is None else role


def _is_graph(span: Span) -> bool:
    """Whether a chain of LangChain is a compiled graph, rather than one of its nodes."""
    metadata = structured(span.attributes, "metadata")
    return span.name == "LangGraph" or (isinstance(metadata, Mapping) and metadata.get("lc_agent_name") == span.name)


def _of_older_names(span: Span) -> Role | None:
    attributes = span.attributes
    kind = text(attributes, "traceloop.span.kind")
    if kind is not None:
        return _OPENLLMETRY_KINDS.get(kind, Role.NOTHING)
    request = text(attributes, "llm.request.type")
    if request is not None:
        return _OPENLLMETRY_REQUESTS.get(request, Role.NOTHING)
    return _PYDANTIC_AI_NAMES.get(span.name) if text(attributes, "agent_name", "gen_ai.tool.name") is not None else None
