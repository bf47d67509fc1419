"""What a span tells about a request to a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import attrs

from agentassert.telemetry.attributes import Attributes, count, structured, text
from agentassert.telemetry.faults import error_of, has_failed
from agentassert.telemetry.messages import are_cut_off, finish_reason_in, received, requests_in, sent, text_of
from agentassert.telemetry.roles import Role
from agentassert.telemetry.spans import Span
from agentassert.token_usage import TokenUsage

_MODELS: Final = (
    "gen_ai.request.model",
    "llm.request.model_name",
    "llm.model_name",
    "embedding.model_name",
    "reranker.model_name",
    "gen_ai.response.model",
)
_INPUT_TOKENS: Final = (
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.prompt_tokens",
    "llm.token_count.prompt",
    "llm.usage.prompt_tokens",
)
_OUTPUT_TOKENS: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
    "llm.usage.completion_tokens",
)
_TOTAL_TOKENS: Final = ("gen_ai.usage.total_tokens", "llm.token_count.total", "llm.usage.total_tokens")


@attrs.frozen
class CallFacts:
    """What is known of a model call; `None` where the span does not say.

    Args:
        model: as requested.
        inputs: messages, or the texts that the model worked on.
        tools_offered: names of the tools that the request offered.
        text: of the response.
        requests: the tool executions that the response asks for; `None` when the content was not captured.
        finish_reason: the provider's word.
        usage: the tokens.
        response_id: by which the provider knows the response.
        error: why it failed, if it did.
        cut_off: whether its messages were too long for whoever wrote the span.
    """

    model: str | None = None
    inputs: Sequence[Any] | None = None
    tools_offered: Sequence[str] | None = None
    text: str | None = None
    requests: Sequence[Mapping[str, Any]] | None = None
    finish_reason: str | None = None
    usage: TokenUsage | None = None
    response_id: str | None = None
    error: BaseException | str | None = None
    cut_off: bool = False

    @property
    def answer(self) -> tuple[Any, ...] | None:
        """What two spans of the same call agree in, where there is enough to tell."""
        if not self.text and not self.requests:
            return None
        asked = tuple((one["name"], one["call_id"]) for one in self.requests or ())
        return self.text or "", asked


def call_facts(span: Span, role: Role) -> CallFacts:
    """What the span tells.

    Example:
        >>> attributes = {"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 3, "gen_ai.usage.output_tokens": 1}
        >>> facts = call_facts(Span("1", "2", None, "chat m", attributes=attributes), Role.CHAT)
        >>> facts.model, facts.usage.total_tokens, facts.requests
        ('m', 4, None)
    """
    attributes = span.attributes
    answer = received(span) if role is Role.CHAT else None
    return CallFacts(
        model=text(attributes, *_MODELS),
        inputs=_inputs(span, role),
        tools_offered=offered(attributes) if role is Role.CHAT else None,
        text=None if answer is None else text_of(answer),
        requests=None if answer is None else requests_in(answer),
        finish_reason=_finish_reason(attributes) or (finish_reason_in(answer) if answer else None),
        usage=_usage(attributes),
        response_id=text(attributes, "gen_ai.response.id"),
        error=error_of(span) if has_failed(span) else None,
        cut_off=are_cut_off(span),
    )


def _inputs(span: Span, role: Role) -> Sequence[Any] | None:
    attributes = span.attributes
    if role is Role.CHAT:
        return sent(span)
    if role is Role.EMBEDDING:
        found = _contents(structured(attributes, "embedding.embeddings"), "embedding", "text")
        return found or _texts(structured(attributes, "gen_ai.input.messages", "gen_ai.prompt", "input.value"))
    documents = _contents(structured(attributes, "reranker.input_documents"), "document", "content")
    query = text(attributes, "reranker.query")
    return [*([] if query is None else [query]), *documents]


def _contents(items: Any, kind: str, name: str) -> list[str]:
    inner = [item.get(kind) for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []
    return [one[name] for one in inner if isinstance(one, Mapping) and isinstance(one.get(name), str)]


def _texts(given: Any) -> list[Any] | None:
    return None if given is None else given if isinstance(given, list) else [given]


def offered(attributes: Attributes) -> Sequence[str] | None:
    """The names of the tools that a request offered, or that an agent offers with each of its own."""
    definitions = structured(attributes, "gen_ai.tool.definitions", "llm.tools", "llm.request.functions")
    if definitions is None:
        parameters = structured(attributes, "model_request_parameters")  # Pydantic AI's, before it wrote the definitions
        definitions = parameters.get("function_tools") if isinstance(parameters, Mapping) else None
    if not isinstance(definitions, list):
        return None
    names = [_name_of(one) for one in definitions]
    return [one for one in names if one is not None]


def _name_of(definition: Any) -> str | None:
    while isinstance(definition, Mapping):
        name = definition.get("name")
        if isinstance(name, str):
            return name
        inner = structured(definition, "tool", "json_schema", "function", "toolSpec")
        if inner is None:
            return None
        definition = inner
    return None


def _finish_reason(attributes: Attributes) -> str | None:
    reasons = structured(attributes, "gen_ai.response.finish_reasons")
    if isinstance(reasons, (list, tuple)) and reasons:
        return str(reasons[0])
    return text(attributes, "llm.finish_reason", "gen_ai.response.finish_reason")


def _usage(attributes: Attributes) -> TokenUsage | None:
    read, written = count(attributes, *_INPUT_TOKENS), count(attributes, *_OUTPUT_TOKENS)
    total = count(attributes, *_TOTAL_TOKENS)
    if not (read or written or total):
        return None  # zeros alone are what writers fill in where a provider reports nothing
    return TokenUsage(input_tokens=read, output_tokens=written, total_tokens=total)
