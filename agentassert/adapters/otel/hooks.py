"""Hooking into a class whose method implements one of an interface that it inherits from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentassert.adapters.base import HookMissingError
from agentassert.adapters.patching import wrap_method


def wrap_own(owner: type, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Like :func:`~agentassert.adapters.patching.wrap_method`, for a method that the class itself defines.

    Raises:
        HookMissingError: when it does not: what it inherits is the interface alone.
    """
    if name not in vars(owner):
        raise HookMissingError(f"{owner.__module__}.{owner.__qualname__} has no method {name!r}")
    wrap_method(owner, name, make)
