"""A server of MCP in a process of its own, which is talked to by its standard input and output.

python -m tests.scripted.mcp_server
"""

from __future__ import annotations

from tests.scripted.mcp import Server, ToolError, provide


def get_booking(number: str) -> dict[str, str]:
    """Look a booking up."""
    return {"number": number, "customer": "Ann"}


def fragile(x: int) -> str:
    """Fail."""
    raise ToolError("kaput")


if __name__ == "__main__":
    provide(Server("bookings"), (get_booking, fragile), {}).run()
