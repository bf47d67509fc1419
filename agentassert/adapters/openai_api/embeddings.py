"""Embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentassert.adapters.openai_api.chat import usage_in
from agentassert.adapters.stainless.routes import Answer, Opening


def opening(body: Mapping[str, Any]) -> Opening:
    """What is to be embedded: texts, or token numbers where the program counted tokens itself."""
    given = body.get("input")
    if isinstance(given, list) and not all(isinstance(one, int) for one in given):
        return Opening(inputs=given)
    return Opening(inputs=[given])


def answer(response: Any) -> Answer:
    """What it took."""
    return Answer(usage=usage_in(response))
