"""Generators whose parts come about inside something, and which are left in between."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import AbstractContextManager
from typing import Any


def stepped(parts: Any, inside: Callable[[], AbstractContextManager[None]]) -> Generator[Any, None, Any]:
    """All of `parts`, each of which comes about inside the context, while nothing between them does; returns what they return."""
    source = iter(parts)
    try:
        while True:
            with inside():
                try:
                    part = next(source)
                except StopIteration as stopped:
                    return stopped.value
            yield part
    finally:
        if hasattr(source, "close"):
            with inside():
                source.close()


async def driven(parts: Any, inside: Callable[[], AbstractContextManager[None]]) -> AsyncGenerator[Any, None]:
    """The same of what is iterated asynchronously."""
    source = aiter(parts)
    try:
        while True:
            with inside():
                try:
                    part = await anext(source)
                except StopAsyncIteration:
                    return
            yield part
    finally:
        if hasattr(source, "aclose"):
            with inside():
                await source.aclose()
