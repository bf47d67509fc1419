"""Reading what is written in an assertion; each refusal names the assertion, the value and what was meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Never

from agentassert import render
from agentassert.text.nearest import did_you_mean


def refuse(kind: str, problem: str) -> Never:
    """Raise that an assertion is not well-formed."""
    raise ValueError(f"{kind}: {problem}")


def fields(kind: str, body: Any, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """A mapping with no keys but these."""
    known = (*required, *optional)
    if not isinstance(body, Mapping):
        refuse(kind, f"must be a mapping with {', '.join(map(repr, known))}, but was {render.value(body)}")
    for key in body:
        if key not in known:
            meant = did_you_mean(str(key), known)
            refuse(kind, f"has the unknown key {key!r}" + (f"; {meant}" if meant else ""))
    for key in required:
        if key not in body:
            refuse(kind, f"{key!r} is missing")
    return body


def text(kind: str, value: Any, what: str | None = None) -> str:
    """A text that is not empty."""
    named = "" if what is None else f"{what!r} "
    if not isinstance(value, str):
        refuse(kind, f"{named}must be a text, but was {render.value(value)}")
    if not value.strip():
        refuse(kind, f"{named}must not be empty")
    return value


def optional_text(kind: str, body: Mapping[str, Any], what: str) -> str | None:
    """Likewise, where it may be left out."""
    return text(kind, body[what], what) if what in body else None


def listed(kind: str, value: Any, what: str, *, fewest: int = 1) -> list[Any]:
    """A list of at least so many."""
    if not isinstance(value, (list, tuple)):
        refuse(kind, f"{what} must be a list, but was {render.value(value)}")
    if len(value) < fewest:
        refuse(kind, f"{what} must have {fewest} or more entries, but has {len(value)}")
    return list(value)


def flag(kind: str, value: Any, what: str) -> bool:
    """`true` or `false`."""
    if not isinstance(value, bool):
        refuse(kind, f"{what!r} must be true or false, but was {render.value(value)}")
    return value
