"""Servers of MCP in this very process, and clients that are connected to them, for whichever version is installed."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Final

HAS_CLIENT: Final = importlib.util.find_spec("mcp.client.client") is not None
"""Whether this is mcp 2, which has a client above its session, and whose servers in the process run in the context of each call."""

if HAS_CLIENT:
    from mcp.server.mcpserver import MCPServer as Server
    from mcp.server.mcpserver.exceptions import ToolError
else:
    from mcp.server.fastmcp import FastMCP as Server
    from mcp.server.fastmcp.exceptions import ToolError
    from mcp.server.fastmcp.server import Settings

    Settings.model_rebuild(force=True)  # or each server would warn of a reference that mcp 1 leaves unresolved

__all__ = ["HAS_CLIENT", "Server", "ToolError", "connected", "provide"]


def provide(server: Any, tools: tuple[Callable[..., Any], ...], resources: Mapping[str, str | bytes]) -> Any:
    """Give a server these tools, and these resources by address."""
    for tool in tools:
        server.tool()(tool)
    for address, content in resources.items():
        server.resource(address, mime_type="text/plain" if isinstance(content, str) else "image/png")(_giving(content))
    return server


def _giving(content: str | bytes) -> Callable[[], str | bytes]:
    def read() -> str | bytes:
        return content

    return read


@asynccontextmanager
async def connected(
    *tools: Callable[..., Any], resources: Mapping[str, str | bytes] | None = None, **options: Any
) -> AsyncIterator[Any]:
    """A client of a server that has these tools and resources, which in mcp 1 is the session itself; `options` are the client's."""
    server = provide(Server("bookings"), tools, resources or {})
    if HAS_CLIENT:
        from mcp import Client

        async with Client(server, **options) as client:
            yield client
    else:
        from mcp.shared.memory import create_connected_server_and_client_session

        async with create_connected_server_and_client_session(server._mcp_server, **options) as session:
            yield session
