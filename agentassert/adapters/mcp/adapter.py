"""Where the clients of MCP are hooked into."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final

from agentassert.adapters.base import SOURCES, TOOL_FAILURES, Adapter, needs
from agentassert.adapters.mcp import ADAPTER
from agentassert.adapters.patching import wrap_method

_SEES: Final = frozenset({TOOL_FAILURES, SOURCES})


def _fastmcp() -> str:
    """The distribution that is installed: the slim one holds the code, the other one what a server needs besides."""
    try:
        version("fastmcp")
    except PackageNotFoundError:
        return "fastmcp-slim"
    return "fastmcp"


class MCPAdapter(Adapter):
    """Wraps the two methods of a session by which every client of Python calls tools and reads resources.

    It detaches: a call is over when its coroutine is, so that nothing of ours is needed in a session that outlives the captures.
    """

    name = ADAPTER
    distribution = "mcp"
    tested = ("1.25.0", "2.3.0")
    sees = _SEES
    detaches = True

    def install(self) -> None:
        with needs():
            from mcp.client.session import ClientSession

            from agentassert.adapters.mcp import in_process, resources, tools
        wrap_method(ClientSession, "read_resource", resources.recorded)
        if find_spec("mcp.client.client") is None:  # mcp 1
            wrap_method(ClientSession, "call_tool", in_process.placed)
            self.resolver = in_process.current_event
        wrap_method(ClientSession, "call_tool", tools.recorded)


class MCPClientAdapter(Adapter):
    """Wraps the client of mcp 2, one call of which may be several of its session: rounds for input, or a request that is sent again.

    What it reads may come from its cache, of which the session hears nothing. It detaches as :class:`MCPAdapter` does.
    """

    name = ADAPTER
    distribution = "mcp"
    tested = ("2.3.0", "2.3.0")
    sees = _SEES
    detaches = True

    def install(self) -> None:
        with needs():
            from mcp.client.client import Client

            from agentassert.adapters.mcp import resources, tools
        wrap_method(Client, "read_resource", resources.recorded)
        wrap_method(Client, "call_tool", tools.recorded)


class FastMCPAdapter(Adapter):
    """Wraps the methods of fastmcp's client that all its ways to call a tool and to read a resource go through.

    Not every request of theirs goes through a method of the session. It detaches as :class:`MCPAdapter` does.
    """

    name = ADAPTER
    distribution = _fastmcp()
    tested = ("3.2.4", "4.2.3")
    sees = _SEES
    detaches = True

    def install(self) -> None:
        with needs():
            from fastmcp.client.client import Client

            from agentassert.adapters.mcp import resources, tools
        wrap_method(_definer(Client, "read_resource_mcp"), "read_resource_mcp", resources.recorded)
        wrap_method(_definer(Client, "call_tool_mcp"), "call_tool_mcp", tools.recorded)


def _definer(kind: type, method: str) -> type:
    """The class that defines a method: wrapped in one that inherits it, it would hide what others do to it later."""
    return next((one for one in kind.__mro__ if method in vars(one)), kind)
