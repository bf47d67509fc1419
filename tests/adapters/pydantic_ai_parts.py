"""Tools and agents of Pydantic AI that the tests of its adapter share."""

from __future__ import annotations

from pydantic_ai import Agent, DeferredToolRequests, ModelRetry

from agentassert import Capture, Invocation, Outcome
from tests.scripted.pydantic_ai import ScriptedModel, own_loop


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


async def cancel_booking(number: str, reason: str = "user") -> str:
    """Cancel a booking."""
    return f"cancelled {number}"


def broken(x: int) -> str:
    """Fail."""
    raise ValueError("kaput")


def again(x: int) -> str:
    """Ask for another try."""
    raise ModelRetry(f"not {x}")


def agent(*steps, tools=(), name="support", **options):
    """An agent whose model follows the script."""
    return Agent(ScriptedModel(*steps), name=name, tools=list(tools), **options)


def gated(*steps, tools=(), **options):
    """An agent that may end by waiting for somebody."""
    return agent(*steps, tools=tools, output_type=[str, DeferredToolRequests], **options)


def toolset_of(server):
    """The tools of a server of fastmcp, by the class that the installed release has for them."""
    from pydantic_ai import mcp

    if hasattr(mcp, "MCPToolset"):
        return mcp.MCPToolset(server)
    from pydantic_ai.toolsets.fastmcp import FastMCPToolset

    return FastMCPToolset(server)


def run_sync(support, given="hi", **options):
    """`Agent.run_sync`, in an event loop that is closed afterwards."""
    with own_loop():
        return support.run_sync(given, **options)


def executed(recorded: Capture | Invocation) -> list[tuple[str, Outcome]]:
    """Names and outcomes of the tool executions of an invocation, or of a capture's only one."""
    invocation = recorded if isinstance(recorded, Invocation) else recorded.invocation
    return [(execution.name, execution.outcome) for execution in invocation.tool_executions]
