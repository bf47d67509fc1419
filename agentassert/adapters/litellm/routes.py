"""What LiteLLM's functions are given and give back: OpenAI's formats, whatever provider is asked, and Cohere's for reranking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import attrs

from agentassert.adapters.openai_api import chat, completions, embeddings, moderations, responses
from agentassert.adapters.stainless.fields import field, id_of, listed, usage_of
from agentassert.adapters.stainless.routes import Answer, Opening, Route
from agentassert.records import EmbeddingModelCall, ModerationModelCall, ScoringModelCall


def _counted(read: Callable[[Any], Answer]) -> Callable[[Any], Answer]:
    """LiteLLM puts zeros where a provider reports no usage."""

    def answer(response: Any) -> Answer:
        said, usage = read(response), None
        if said.usage is not None and any((said.usage.input_tokens, said.usage.output_tokens, said.usage.total_tokens)):
            usage = said.usage
        return attrs.evolve(said, usage=usage)

    return answer


def _reranking(body: Mapping[str, Any]) -> Opening:
    return Opening(inputs=[body.get("query"), *listed(body, "documents")])


def _reranked(response: Any) -> Answer:
    tokens = field(field(response, "meta"), "tokens")
    return Answer(
        usage=usage_of(field(tokens, "input_tokens"), field(tokens, "output_tokens")),
        response_id=id_of(response, "id"),
    )


@attrs.frozen
class Function:
    """What one function does, in each of its forms.

    Args:
        route: how its calls are read.
        positions: the names of the arguments that may be given by position.
    """

    route: Route
    positions: tuple[str, ...]

    def body(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """What it is called with, by name."""
        return {**dict(zip(self.positions, args, strict=False)), **kwargs}


def _forms(functions: Mapping[str, Function]) -> dict[str, Function]:
    """Those for async code too, whose names begin with an `a`."""
    return {form: function for name, function in functions.items() for form in (name, f"a{name}")}


_CHAT: Final = Route(chat.opening, _counted(chat.answer), chat.Chunks)
_TEXT: Final = Route(completions.opening, _counted(completions.answer), completions.Chunks)
_RESPONSES: Final = Route(responses.opening, _counted(responses.answer), responses.Events)
_EMBEDDING: Final = Route(embeddings.opening, _counted(embeddings.answer), kind=EmbeddingModelCall)
_SCORING: Final = Route(_reranking, _reranked, kind=ScoringModelCall)
_MODERATION: Final = Route(moderations.opening, moderations.answer, kind=ModerationModelCall)

FUNCTIONS: Final[Mapping[str, Function]] = _forms(
    {
        "completion": Function(_CHAT, ("model", "messages")),
        "text_completion": Function(_TEXT, ("prompt", "model")),
        "responses": Function(_RESPONSES, ("input", "model")),
        "embedding": Function(_EMBEDDING, ("model", "input")),
        "rerank": Function(_SCORING, ("model", "query", "documents")),
    }
) | {"amoderation": Function(_MODERATION, ("input", "model"))}
"""By name. The `moderation` that is not asynchronous is one call of OpenAI's SDK, and nothing else."""

ROUTED: Final[Mapping[str, Function]] = _forms(
    {
        "completion": Function(_CHAT, ("self", "model", "messages")),
        "text_completion": Function(_TEXT, ("self", "model", "prompt")),
        "responses": Function(_RESPONSES, ("self", "model")),
        "embedding": Function(_EMBEDDING, ("self", "model", "input")),
        "rerank": Function(_SCORING, ("self", "model")),
        "moderation": Function(_MODERATION, ("self", "model")),
    }
)
"""The methods of the router."""
