"""What providers answer beside what a script is about: embeddings, moderations, counted tokens, lists of models."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import struct
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, TypeAlias

from agentassert.scripted.requests import ScriptedRequest

Embed: TypeAlias = Callable[[str], Sequence[float]]
Moderate: TypeAlias = Callable[[str], Collection[str]]

MODEL: Final = "scripted-1"
_DIMENSIONS: Final = 64
_CATEGORIES: Final = (
    *("harassment", "harassment/threatening", "hate", "hate/threatening", "illicit", "illicit/violent", "self-harm"),
    *("self-harm/instructions", "self-harm/intent", "sexual", "sexual/minors", "violence", "violence/graphic"),
)


def embeddings(request: ScriptedRequest, embed: Embed | None) -> dict[str, Any]:
    """The embeddings of the texts of a request.

    Raises:
        TypeError, ValueError: when `embed` gives no vector.
    """
    texts = _texts(request.body["input"])
    vectors = [words_vector(text, request.body.get("dimensions") or _DIMENSIONS) for text in texts]
    if embed is not None:
        vectors = [_vector(embed(text), text) for text in texts]
    packed = request.body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _packed(vector) if packed else vector}
        for index, vector in enumerate(vectors)
    ]
    tokens = sum(_tokens(text) for text in texts)
    return {"object": "list", "data": data, "model": request.model, "usage": {"prompt_tokens": tokens, "total_tokens": tokens}}


def words_vector(text: str, dimensions: int) -> list[float]:
    """A vector of length 1 that is the same for the same words, and the nearer to another the more words the two share.

    Example:
        >>> near, far = words_vector("Cancel a booking", 64), words_vector("Opening hours", 64)
        >>> wanted = words_vector("cancel my booking", 64)
        >>> math.sumprod(wanted, near) > math.sumprod(wanted, far) if hasattr(math, "sumprod") else True
        True
    """
    vector = [0.0] * dimensions
    for word in re.findall(r"\w+", text.lower()) or [""]:
        vector[int.from_bytes(hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=4).digest()) % dimensions] += 1.0
    length = math.hypot(*vector)
    return [component / length for component in vector]


def moderations(request: ScriptedRequest, moderate: Moderate | None) -> dict[str, Any]:
    """What the texts of a request are flagged for: nothing, or the categories that `moderate` gives.

    Raises:
        TypeError, ValueError: when `moderate` gives no categories.
    """
    results = [
        _moderated(set() if moderate is None else _categories(moderate(text), text)) for text in _texts(request.body["input"])
    ]
    return {"id": "modr_1", "model": request.model or "omni-moderation-latest", "results": results}


def token_count(request: ScriptedRequest) -> dict[str, Any]:
    """About how many tokens the messages of a request have: their words."""
    return {"input_tokens": sum(_tokens(str(message["content"])) for message in request.messages)}


def models(*, anthropic: bool) -> dict[str, Any]:
    """The models that there are."""
    if anthropic:
        about = {"id": MODEL, "type": "model", "display_name": MODEL, "created_at": "2026-01-01T00:00:00Z"}
        return {"data": [about], "has_more": False, "first_id": MODEL, "last_id": MODEL}
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "created": 0, "owned_by": "agentassert"}]}


def _texts(given: str | list[Any]) -> list[str]:
    """Texts; numbers of tokens, which some clients send instead, count as words."""
    if isinstance(given, str):
        return [given]
    if all(isinstance(one, int) for one in given):
        return [" ".join(map(str, given))]
    return [_one_text(one) for one in given]


def _one_text(one: Any) -> str:
    if isinstance(one, list):
        return " ".join(map(str, one))
    if isinstance(one, dict):
        return str(one.get("text", ""))
    return str(one)


def _tokens(text: str) -> int:
    return len(text.split())


def _vector(given: Any, text: str) -> list[float]:
    vector = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else []
    if not vector or not all(isinstance(component, (int, float)) and math.isfinite(component) for component in vector):
        raise TypeError(f"embeddings must give a list of numbers for {text!r}, but gave {given!r}")
    return [float(component) for component in vector]


def _packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


def _categories(given: Any, text: str) -> set[str]:
    if isinstance(given, str) or not isinstance(given, Collection):
        raise TypeError(f"moderations must give a list of categories for {text!r}, but gave {given!r}")
    unknown = sorted(map(str, set(given) - set(_CATEGORIES)))
    if unknown:
        raise ValueError(f"moderations gave {unknown!r} for {text!r}, which are none of {', '.join(_CATEGORIES)}")
    return set(given)


def _moderated(categories: set[str]) -> dict[str, Any]:
    return {
        "flagged": bool(categories),
        "categories": {name: name in categories for name in _CATEGORIES},
        "category_scores": {name: float(name in categories) for name in _CATEGORIES},
        "category_applied_input_types": {name: ["text"] if name in categories else [] for name in _CATEGORIES},
    }
