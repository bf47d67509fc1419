"""MCP: the tools that a client calls on a server, and the resources that it reads there."""

from __future__ import annotations

from typing import Final

ADAPTER: Final = "mcp"
