"""What the tests of both SDKs share: every way to call one, blocking and asynchronous."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

from tests.scripted.loopback import Reply, serving


async def exhaust(stream: Any) -> list[Any]:
    """Everything that a stream gives."""
    return [one async for one in stream]


@contextmanager
def talking(kind: Callable[..., Any], *replies: Reply, path: str = "", **options: Any):
    """A client of that kind, blocking or asynchronous, of a provider that gives these replies; both are closed afterwards."""
    with serving(*replies) as provider:
        client = kind(api_key="k", base_url=f"{provider.url}{path}", **options)
        try:
            yield client, provider
        finally:
            if not inspect.iscoroutinefunction(client.close):
                client.close()


def run(client: Any, call: Callable[[Any], Any]) -> Any:
    """Make a call; an asynchronous one in an event loop of its own, in which the client is closed, too."""
    if not inspect.iscoroutinefunction(client.close):
        return call(client)

    async def main() -> Any:
        try:
            return await call(client)
        finally:
            await client.close()

    return asyncio.run(main())
