"""Abstract classes of the SDK that programs implement."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias
from weakref import WeakSet

from agentassert.adapters.patching import wrap_method
from agentassert.adapters.replacing import Replacement, keeper, keeping

Make: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]


class Interface:
    """An abstract class of the SDK, whose methods are wrapped in whichever class defines them.

    Args:
        base: the abstract class.
        methods: how each of its methods is wrapped.
    """

    def __init__(self, base: type, methods: Mapping[str, Make]) -> None:
        self._base = base
        self._methods = methods
        self._wrapped: WeakSet[type] = WeakSet()
        self._lock = threading.Lock()
        self._kept: list[Replacement] | None = None

    def keep(self) -> None:
        """Have what is wrapped later be part of the adapter that is being installed."""
        self._kept = keeper()

    def wrap(self) -> None:
        """Wrap the classes that came since the last time: providers import theirs when they are asked for a model."""
        with self._lock, keeping(self._kept):
            for kind in _subclasses(self._base):
                if kind in self._wrapped:
                    continue
                self._wrapped.add(kind)
                for name, make in self._methods.items():
                    if callable(vars(kind).get(name)):
                        wrap_method(kind, name, make)


def _subclasses(base: type) -> Iterator[type]:
    kind: type
    for kind in base.__subclasses__():
        yield kind
        yield from _subclasses(kind)
