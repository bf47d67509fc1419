"""Moderations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentassert.adapters.stainless.fields import id_of
from agentassert.adapters.stainless.routes import Answer, Opening


def opening(body: Mapping[str, Any]) -> Opening:
    """What is to be judged."""
    given = body.get("input")
    return Opening(inputs=given if isinstance(given, list) else [given])


def answer(response: Any) -> Answer:
    """That there is a judgement; no tokens are reported."""
    return Answer(response_id=id_of(response, "id"))
