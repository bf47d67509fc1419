"""Signatures of callables, some of which have none."""

from __future__ import annotations

import inspect
from typing import Any


def signature_of(function: Any) -> inspect.Signature | None:
    """The signature of a callable; `None` for a builtin without one.

    Example:
        >>> signature_of(lambda article: 5)
        <Signature (article)>
        >>> signature_of(iter) is None
        True
    """
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None
