"""Test an agent that uses no framework: three decorators record what it does. Run it: `python examples/handwritten.py`."""

from __future__ import annotations

from agentassert import AgentAssertionError, assert_that, capture, record, result_of

ITEMS = {"A-1": "lamp", "A-2": "desk"}
PRICES = {"A-1": 40, "A-2": 300}
LARGE = 100


@record.tool
def find_order(number: str) -> dict[str, object]:
    """Look an order up."""
    return {"number": number, "item": ITEMS[number], "price": PRICES[number]}


@record.tool
def refund(number: str, amount: int) -> str:
    """Give money back."""
    return f"refunded {amount} for {number}"


@record.agent
def refund_agent(number: str) -> str:
    """Refunds what was paid; of large sums only a half, by a mistake that a test is to find."""
    order = find_order(number)
    price = PRICES[number]
    refund(number, price if price < LARGE else price // 2)
    return f"The price of your {order['item']} is on its way."


def check(number: str) -> None:
    """Whatever the order, what was paid comes back, once, and nothing else happens."""
    with capture() as cap:
        refund_agent(number)
    (
        assert_that(cap)
        .has_tools_executed_in_order("find_order", "refund")
        .has_tool_executed_with("refund", {"number": number, "amount": result_of("find_order", "$.price")})
        .has_no_more_tool_executions()
    )


def main() -> None:
    """One order that is refunded well, and one that is not."""
    check("A-1")
    print("A-1: refunded as it should be\n")
    try:
        check("A-2")
    except AgentAssertionError as error:
        print(f"A-2: {error}")


if __name__ == "__main__":
    main()
