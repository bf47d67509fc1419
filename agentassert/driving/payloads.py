"""What an agent is given: text, or a mapping."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

Payload: TypeAlias = str | Mapping[str, Any]


def decoded(payload: Any) -> Payload:
    """A payload as an agent gets it: text that holds a JSON object as a mapping, any other text as it is.

    Args:
        payload: text or a mapping.

    Raises:
        TypeError: when it is anything else.

    Example:
        >>> decoded('{"a": 4}'), decoded("4"), decoded({"a": 4})
        ({'a': 4}, '4', {'a': 4})
    """
    if isinstance(payload, Mapping):
        return payload
    if not isinstance(payload, str):
        raise TypeError(f"payload must be text or a mapping, but was {payload!r}")
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return payload
    return value if isinstance(value, dict) else payload
