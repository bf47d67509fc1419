"""How the adapters for MCP come to be there, and what is said where they cannot."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest

pytest.importorskip("mcp")

from agentassert.adapters.base import HookMissingError
from agentassert.adapters.mcp import adapter

CALL = """
import asyncio
from tests.scripted.mcp import connected

def number() -> int:
    return 7

async def run():
    async with connected(number) as client:
        await client.call_tool("number", {})

asyncio.run(run())
"""


def show(project, *lines):
    """What a program prints."""
    environment = {**os.environ, "PYTHONPATH": str(project)}
    command = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("first", ["import mcp", "from mcp.client.session import ClientSession", "import mcp.types"])
def test_a_client_that_is_imported_in_the_block_is_recorded(project, first):
    block = [f"    {line}" for line in (first, *CALL.splitlines())]

    shown = show(
        project,
        "from agentassert import capture",
        "with capture() as cap:",
        *block,
        "print([one.result for one in cap.invocation.tool_executions], cap.health.doubts)",
    )
    assert shown == "[7] ()\n"


@pytest.mark.parametrize(
    ("kind", "module"),
    [
        (adapter.MCPAdapter, "mcp.client.session"),
        (adapter.MCPClientAdapter, "mcp.client.client"),
        (adapter.FastMCPAdapter, "fastmcp.client.client"),
    ],
)
def test_a_client_that_has_moved_is_said_to_be_missing(kind, module, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(HookMissingError, match=r"it lacks what the adapter needs"):
        kind().attach()


def test_the_slim_distribution_of_fastmcp_will_do(monkeypatch):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(adapter, "version", version)
    assert adapter._fastmcp() == "fastmcp-slim"


def test_the_whole_distribution_of_fastmcp_is_asked_for_where_it_is_there(monkeypatch):
    monkeypatch.setattr(adapter, "version", lambda name: "4.0")
    assert adapter._fastmcp() == "fastmcp"
