"""Async generators, whose parts come about inside something, and which are left in between."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager
from typing import Any


async def driven(parts: Any, inside: Callable[[], AbstractContextManager[None]]) -> AsyncGenerator[Any, None]:
    """All of `parts`, each of which comes about inside the context, while nothing between them does."""
    try:
        while True:
            with inside():
                try:
                    part = await anext(parts)
                except StopAsyncIteration:
                    return
            yield part
    finally:
        with inside():
            await parts.aclose()
