"""Keeping errors of our own away from the program, in the name of the SDK's adapter."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from agentassert.adapters.base import guarded


class OfAdapter(Protocol):
    """What works for one SDK."""

    adapter: str
    """The name of the adapter."""


_S = TypeVar("_S", bound=OfAdapter)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def kept(step: Callable[Concatenate[_S, _P], _R]) -> Callable[Concatenate[_S, _P], _R | None]:
    """Keep the errors of a method away from the program; it gives `None` where it broke."""

    @functools.wraps(step)
    def safely(self: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> _R | None:
        safe: Callable[..., _R | None] = _safe(self.adapter, step)
        return safe(self, *args, **kwargs)

    return safely


@functools.cache
def _safe(adapter: str, step: Callable[..., Any]) -> Callable[..., Any]:
    return guarded(adapter)(step)
