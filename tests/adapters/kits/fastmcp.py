"""A hand-written agent that calls tools through fastmcp's client."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastmcp import Client, FastMCP

from agentassert.adapters.mcp.adapter import FastMCPAdapter, MCPAdapter
from tests.adapters.kits.mcp import MCPKit
from tests.scripted.mcp import provide

CALL_TOOL = "call_tool_mcp"


class FastMCPKit(MCPKit):
    """The same loop, over the client of fastmcp and a server of its own."""

    title = "fastmcp"
    adapters = (MCPAdapter, FastMCPAdapter)

    @property
    def hooked(self) -> Sequence[tuple[type, str]]:
        return [(next(kind for kind in Client.__mro__ if CALL_TOOL in vars(kind)), CALL_TOOL)]

    @asynccontextmanager
    async def connected(self, *functions: Callable[..., Any], resources: Mapping[str, str] | None = None) -> AsyncIterator[Any]:
        async with Client(provide(FastMCP("bookings"), functions, resources or {})) as client:
            yield client

    async def text_at(self, client: Any, address: str) -> str:
        contents = await client.read_resource(address)
        return str(contents[0].text)

    async def called(self, client: Any, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        result = await client.call_tool(name, arguments, raise_on_error=False)
        return "\n".join(block.text for block in result.content), result.is_error
