"""Test an agent whose tools are on an MCP server, here one in the same process.

pip install -e ".[fastmcp]" && python examples/mcp_agent.py
"""

from __future__ import annotations

import asyncio

from fastmcp import Client, FastMCP

from agentassert import AgentAssertionError, assert_that, capture, record

# A server and an agent as you would write them, but for the agent's decorator: its calls are recorded without one.

shop = FastMCP("shop")


@shop.tool
def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


@shop.tool
def cancel_booking(number: str, reason: str) -> str:
    """Cancel a booking."""
    return f"{number} is cancelled ({reason})"


@record.agent
async def support(question: str) -> str:
    """Look a booking up, and cancel it."""
    async with Client(shop) as client:
        booking = await client.call_tool("get_booking", {"number": question.rpartition(" ")[2]})
        await client.call_tool("cancel_booking", {"number": booking.data["number"], "reason": "illness"})
    return f"{booking.data['customer']}, your booking is cancelled."


async def main() -> None:
    """Capture one invocation, and assert on it."""
    async with capture() as cap:
        await support("Please cancel my booking MS-777")

    print("1. A chain that passes\n")
    chain = (
        assert_that(cap)
        .has_succeeded()
        .has_tools_executed_in_order("get_booking", "cancel_booking")
        .has_tool_executed_with("cancel_booking", {"number": "MS-777"})
        .has_no_more_tool_executions()
    )
    print(chain)

    print("\n2. An assertion that fails, and what it says\n")
    try:
        assert_that(cap).has_tool_executed_with("cancel_booking", {"number": "MS-778"})
    except AgentAssertionError as error:
        print(error)


if __name__ == "__main__":
    asyncio.run(main())
