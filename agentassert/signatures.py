"""Signatures and names of callables, some of which have none."""

from __future__ import annotations

import functools
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


def name_of(function: Any) -> str:
    """The name of a callable, also under `functools.partial`; that of its class where it has none.

    Example:
        >>> name_of(functools.partial(print, "article"))
        'print'
    """
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", None) or type(function).__name__)
